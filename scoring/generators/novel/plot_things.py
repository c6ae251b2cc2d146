"""The subjects of a main plot's steps, in words of their own: no question asks about these.

So no place, thing or goods of ``things`` is among them, and money is never in crowns.
Causes are used after “because”, “although” and “said that”; days know no season, since a book may
begin in any.
"""

WORKS = (
    "iron bridge", "silk mill", "herb garden", "deaf school", "ferry line", "planetarium",
    "salt canal", "marble theatre", "lead foundry", "eel farm", "cider press", "opera barge",
    "cable railway", "orphan choir", "seed library", "glass dome", "mountain hospice",
    "tidal mill", "ice house", "stud farm", "paper factory", "chess academy", "map archive",
    "pearl fishery", "mosaic church", "water tower", "hop plantation", "cookery school",
    "bell foundry", "sailors' bank", "deer park", "swimming bath", "puppet stage", "hemp dock",
    "beet refinery", "rose nursery",
)  # fmt: skip

# One of each look and object may be carried, opened, mended, sold, sat on and held fast.
LOOKS = (
    "mouldy", "gilded", "waterlogged", "smuggled", "inherited", "perfumed", "charred", "pawned",
    "sealed", "Venetian", "cracked", "stolen", "rusted", "ink-spotted", "numbered", "lopsided",
    "tattered", "lacquered", "moth-eaten", "worm-eaten", "dented", "varnished", "scarred",
    "gaudy", "blackened", "mildewed", "initialled", "Bohemian", "Spanish", "ivory-inlaid",
    "warped", "bullet-holed", "salt-stained", "dusty", "sooty", "mahogany",
)  # fmt: skip
OBJECTS = (
    "sea chest", "hatbox", "music box", "medicine chest", "sewing box", "writing case", "cello",
    "hamper", "birdcage", "kettledrum", "mandolin", "guitar", "accordion", "concertina",
    "tea urn", "milk churn", "globe", "cradle", "cash box", "cake tin", "gramophone",
    "doll's cot", "stuffed bear", "washtub", "bread bin", "beehive", "harmonium", "zither",
    "tuba", "letter box", "jewel case", "tool chest", "gun case", "sledge", "cabinet", "lectern",
    "harp", "toboggan", "puppet booth",
)  # fmt: skip

SPOTS = (
    "behind Gas Street", "under Long Viaduct", "outside Hussar Barracks", "at Crow Crossing",
    "near Hangman's Pool", "beyond Quarantine Point", "between two graveyards",
    "on Widow's Ledge", "along Smugglers' Stair", "at Larch Halt", "beside Gallows Oak",
    "in Tinkers' Gully", "on Sluice Wall", "near Saint Orban's well", "opposite Tulip House",
    "at Ninepin Farm", "in Magpie Cellar", "below Beacon Rock", "by Drowned Cow Ford",
    "in Pewterers' Yard", "on Gibbet Down", "behind Shambles Court", "under Bishop's Arch",
    "at Lame Dog Inn", "in Cinder Alley", "beside Mirror Mere", "near Foxglove Weir",
    "on Nutcracker Row", "at Seven Elms", "beyond Parsonage Dyke", "in Quicklime Lane",
    "above Tumbling Rapids", "at Turnpike Cottage", "on Herring Steps", "behind Almoners' Hall",
    "near Racecourse Road", "in Thimble Court", "by Blackthorn Lock", "on Poacher's Ridge",
    "at Candle Wharf",
)  # fmt: skip

STANDINGS = (
    "Doctor", "Captain", "Widow", "Father", "Sergeant", "Nurse", "Judge", "Deacon", "Corporal",
    "Colonel", "Sister", "Canon", "Bailiff", "Constable", "Baroness", "Professor", "Lieutenant",
    "Major", "Squire", "Matron", "Abbess", "Ensign", "Consul", "Alderman", "Bosun", "Rector",
    "Countess", "Chaplain", "Pastor", "Farmer", "Skipper", "Grandmother",
)  # fmt: skip
HELPERS = (
    "Hobbs", "Fludd", "Prew", "Lomax", "Mould", "Tibb", "Quill", "Crane", "Bodkin", "Scarfe",
    "Duckett", "Noakes", "Pym", "Gossage", "Twelves", "Brattle", "Cutlack", "Dowsett", "Eagle",
    "Froude", "Grubb", "Hickory", "Imber", "Jolly", "Kneebone", "Lavender", "Mudge", "Nudd",
    "Oddy", "Pluck", "Raffles", "Sprott", "Tansy", "Unwin", "Vane", "Whipple", "Yapp", "Zouch",
    "Bellows", "Cheeseman", "Dandy", "Mustard",
)  # fmt: skip

CAUSES = (
    "locusts stripped every field", "cholera closed Port Albion",
    "cotton prices collapsed overnight", "mutineers held Fort Adder",
    "avalanches buried Kestrel Pass", "wolves followed each mail coach",
    "an eclipse frightened labourers", "gold fever emptied thirty villages",
    "winter came six weeks early", "dry rot weakened nine pillars",
    "landslides moved boundary stones", "salt ruined fresh mortar", "almanacs foretold floods",
    "rats gnawed through four cables", "two sisters swore different oaths",
    "old maps lied about marshes", "mercury poisoned seven miners", "parliament abolished guilds",
    "insurers suspected arson", "newspapers printed wild rumours",
    "deserters burned Miller's Bridge", "moths ate both contracts", "nobody could read Armenian",
    "rival bishops claimed Cuckoo Hill", "bees swarmed during prayers",
    "lightning split Saint Orban's spire", "twins looked exactly alike",
    "surveyors miscounted acres", "glaziers were on strike", "a regiment seized every horse",
    "ice blocked Grand Canal", "pirates took three packets", "hail destroyed ripe vines",
    "smallpox raged upriver", "no banker trusted mere arithmetic",
    "wet plaster swallowed signatures", "music drowned every warning", "taxes doubled twice",
    "an uncle gambled away mortgages",
)  # fmt: skip

SKIES = (
    "foggy", "windless", "thundery", "drizzling", "cloudless", "blustery", "hazy", "wet", "grey",
    "mild", "stormy", "showery", "gusty", "misty", "dull", "damp", "chilly", "sunless", "breezy",

)  # fmt: skip
DAYS = (
    "Monday morning", "Monday afternoon", "Monday evening", "Monday night", "Tuesday morning",
    "Tuesday afternoon", "Tuesday evening", "Tuesday night", "Wednesday morning",
    "Wednesday afternoon", "Wednesday evening", "Wednesday night", "Thursday morning",
    "Thursday afternoon", "Thursday evening", "Thursday night", "Friday morning",
    "Friday afternoon", "Friday evening", "Friday night", "Saturday morning",
    "Saturday afternoon", "Saturday evening", "Saturday night", "Sunday morning",
    "Sunday afternoon", "Sunday evening", "Sunday night",
)  # fmt: skip

COINS = (
    "florins", "ducats", "guineas", "thalers", "doubloons", "roubles", "marks", "piastres",
    "shillings", "pistoles", "sequins", "guilders",
)  # fmt: skip
