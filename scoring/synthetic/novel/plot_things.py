"""What the steps of a main plot are about, in words of their own: no question asks about these.

So no place, thing or goods of ``things`` is among them, and money is never in crowns.
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

LOOKS = (
    "mouldy", "gilded", "waterlogged", "singing", "counterfeit", "ivory-handled", "smuggled",
    "hollow", "inherited", "perfumed", "blood-stained", "moonlit", "miniature", "charred", "holy",
    "bulletproof", "embroidered", "pawned", "sealed", "Venetian", "cracked", "jewelled", "stolen",
    "unsigned", "rusted", "magnetic", "ink-spotted", "feathered", "royal", "frozen", "numbered",
    "buried", "musical", "braided", "lopsided", "tattered",
)  # fmt: skip
OBJECTS = (
    "chalices", "blueprints", "sextants", "tapestries", "pistols", "prayer books", "accordions",
    "helmets", "birth certificates", "crossbows", "death masks", "globes", "sledgehammers",
    "wedding veils", "music boxes", "skeleton keys", "phials", "bearskins", "thermometers",
    "diaries", "passports", "harpoons", "altar cloths", "microscopes", "sabres", "bagpipes",
    "money belts", "chandeliers", "daguerreotypes", "cookbooks", "coffins", "tuning forks",
    "harps", "whalebones", "crucibles", "mandolins", "hymnals", "spinets", "scarabs",
)  # fmt: skip

SPOTS = (
    "behind the gasworks", "aboard a cattle barge", "under the viaduct", "inside a dovecote",
    "across three frozen lakes", "among ruined kilns", "beneath the pulpit",
    "outside the barracks", "at Crow Crossing", "near Hangman's Pool",
    "beyond the quarantine huts", "up a chimney shaft", "between two graveyards",
    "on Widow's Ledge", "amid burning stubble", "down a silver shaft", "past the leper hospital",
    "within the debtors' wing", "along Smugglers' Stair", "at a snowed-in halt",
    "over the powder magazine", "inside an empty cistern", "beside the gallows oak",
    "among quarrelling pilgrims", "aboard the dredger", "in Tinkers' Gully",
    "upon the sluice wall", "behind stage curtains", "under canvas awnings",
    "near Saint Orban's well", "opposite the mint", "at Ninepin Farm", "amid hop poles",
    "in Magpie Cellar", "atop the beacon", "by Drowned Cow Ford", "within the crypt",
    "at a masked ball", "among chained bears", "inside the confessional",
)  # fmt: skip

EPITHETS = (
    "one-eyed", "stammering", "disgraced", "red-bearded", "pious", "drunken", "retired",
    "homesick", "penniless", "gouty", "left-handed", "freckled", "runaway", "superstitious",
    "near-sighted", "bankrupt", "silent", "giggling", "toothless", "foreign", "bald", "jealous",
    "sleepless", "truthful", "lame", "vegetarian", "wealthy", "excommunicated", "orphaned",
    "colour-blind", "tattooed", "melancholy",
)  # fmt: skip
HELPERS = (
    "acrobat", "alchemist", "astronomer", "auctioneer", "bigamist", "botanist", "cardinal",
    "cartographer", "colonel", "dentist", "diver", "falconer", "fencing master", "forger",
    "gamekeeper", "hangman", "hermit", "hypnotist", "interpreter", "jockey", "lieutenant",
    "locksmith", "magician", "matchmaker", "missionary", "opera singer", "perfumer", "philosopher",
    "pickpocket", "quartermaster", "ropewalker", "smuggler", "stonecutter", "taxidermist",
    "telegraphist", "trumpeter", "undertaker", "ventriloquist", "vicar", "wet nurse", "whaler",
    "zoologist",
)  # fmt: skip

CAUSES = (
    "sheep had blocked every road", "moths had eaten both contracts",
    "cholera closed all harbours", "rival bishops claimed that hill",
    "no banker trusted mere arithmetic", "locusts stripped four valleys",
    "lightning had split its keel", "grandmother's ghost forbade it", "taxes doubled overnight",
    "mutineers held Fort Adder", "wet plaster swallowed the signature", "almanacs foretold ruin",
    "war had emptied thirty villages", "rats gnawed through each cable",
    "an avalanche buried supplies", "two sisters swore different oaths",
    "someone mistook sugar for cement", "old maps lied about marshes",
    "mercury poisoned seven miners", "parliament abolished guilds", "pride forbade borrowing",
    "wolves followed every convoy", "an eclipse terrified labourers", "cotton prices collapsed",
    "vows made at sea bind hardest", "gold fever spread northward",
    "candle smoke betrayed hiding places", "newspapers printed wild rumours",
    "twins looked exactly alike", "winter came six weeks early", "nobody could read Armenian",
    "dry rot weakened nine pillars", "a parrot repeated secrets",
    "landslides moved boundary stones", "bees swarmed during prayers", "insurers suspected arson",
    "music drowned every warning", "salt ruined fresh mortar", "deserters burned bridges",
    "an uncle gambled away mortgages",
)  # fmt: skip

SKIES = (
    "foggy", "sultry", "hail-beaten", "moonless", "windless", "thundery", "icy", "drizzling",
    "cloudless", "sweltering", "blustery", "snowbound", "hazy", "sodden", "starlit", "scorching",
)  # fmt: skip
DAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Easter",
    "Lammas", "Midsummer", "Michaelmas", "Candlemas", "Advent", "Whitsun", "Martinmas",
    "Shrovetide",
)  # fmt: skip

COINS = (
    "florins", "ducats", "guineas", "thalers", "doubloons", "roubles", "marks", "piastres",
    "shillings", "pistoles", "sequins", "guilders",
)  # fmt: skip
