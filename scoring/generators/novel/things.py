"""Everything that worlds can contain, named by keys; a narrator has its own words for each of them.

The keys are English, close to the words of the English narrator. A world uses some of each.
"""

from typing import NamedTuple


class Goods(NamedTuple):
    qualities: tuple[str, ...]
    low: int  # crowns
    high: int


GOODS: dict[str, Goods] = {
    "lamp": Goods(("copper", "brass", "storm", "glass", "tin", "ship's"), 4, 19),
    "horse": Goods(("bay", "grey", "black", "dappled", "chestnut", "lame"), 31, 89),
    "knife": Goods(("hunting", "bone-handled", "folding", "kitchen", "steel", "carving"), 3, 17),
    "blanket": Goods(("woollen", "striped", "quilted", "heavy", "grey", "winter"), 5, 21),
    "book": Goods(("leather-bound", "second-hand", "slim", "illustrated", "cookery", "law"), 4, 27),
    "clock": Goods(("wall", "carriage", "walnut", "kitchen", "brass", "travelling"), 12, 58),
    "chair": Goods(("oak", "rocking", "cane", "high-backed", "painted", "three-legged"), 6, 29),
    "goat": Goods(("white", "brown", "milking", "young", "spotted", "bearded"), 7, 33),
    "rope": Goods(("hemp", "tarred", "long", "silk", "braided", "mooring"), 3, 15),
    "kettle": Goods(("iron", "copper", "dented", "black", "two-handled", "camp"), 3, 18),
    "mirror": Goods(("oval", "gilt", "hand", "cracked", "round", "travelling"), 8, 44),
    "violin": Goods(("old", "varnished", "child's", "foreign", "mended", "red"), 23, 77),
    "saddle": Goods(("leather", "side", "military", "worn", "double", "light"), 14, 52),
    "barrel": Goods(("cider", "oak", "herring", "rain", "small", "salt"), 5, 24),
    "map": Goods(("coast", "county", "hand-drawn", "torn", "coloured", "river"), 6, 31),
    "boat": Goods(("rowing", "flat", "blue", "leaking", "fishing", "narrow"), 37, 95),
    "carpet": Goods(("red", "woven", "patched", "eastern", "stair", "flowered"), 15, 63),
    "basket": Goods(("willow", "covered", "laundry", "fishing", "round", "picnic"), 2, 13),
    "spade": Goods(("garden", "peat", "broad", "iron", "short", "ash-handled"), 3, 14),
    "telescope": Goods(("brass", "naval", "folding", "pocket", "scratched", "long"), 21, 71),
    "cheese": Goods(("sheep's", "ripe", "wheel-shaped", "smoked", "blue", "mountain"), 2, 12),
    "umbrella": Goods(("black", "green", "silk", "broken", "large", "parrot-headed"), 4, 16),
    "trunk": Goods(("tin", "sea", "leather", "iron-bound", "painted", "cabin"), 9, 38),
    "bell": Goods(("hand", "ship's", "cow", "bronze", "cracked", "dinner"), 5, 26),
}  # fmt: skip

PLACES = (
    "lighthouse", "corn market", "ferry house", "upper mill", "glassworks", "almshouse",
    "custom house", "rope walk", "town library", "old chapel", "fish quay", "brickyard",
    "toll gate", "vineyard", "observatory", "post office", "boatyard", "orchard house",
    "quarry", "salt works", "winter garden", "printing house", "tannery", "forge",
    "bath house", "north gate", "weaving hall", "coffee house", "school house", "assembly hall",
    "dye house", "signal tower", "bakehouse", "cattle market", "paper mill", "lock house",
)  # fmt: skip

COLOURS = (
    "grey", "scarlet", "dark green", "brown", "pale blue", "black", "white", "mustard",
    "plum", "russet", "violet", "cream", "crimson", "sea-green", "navy", "copper-coloured",
)  # fmt: skip
GARMENTS = (
    "cloak", "coat", "scarf", "hat", "cape", "jacket", "hood", "waistcoat",
    "sash", "mantle", "riding coat", "travelling cloak", "beret", "overcoat", "collar", "tunic",
)  # fmt: skip

# Unique things, which are passed on.
THINGS = (
    "silver compass", "ivory whistle", "jade seal", "amber necklace", "pearl brooch", "gold watch",
    "coral comb", "ebony flute", "crystal inkwell", "opal ring", "enamel snuffbox", "pewter goblet",
    "tortoiseshell fan", "bronze astrolabe", "garnet earring", "sandalwood box", "porcelain owl",
    "sapphire pin", "marble chessman", "onyx paperweight",
)  # fmt: skip

# What one person may confide to another.
SECRETS = (
    "the upper bridge was rotten", "the mayor had sold the common", "the school would be closed",
    "the old well was poisoned", "the bank had lost its gold", "the harbour dues would be doubled",
    "the doctor had never taken a degree", "the railway would pass through the marsh",
    "the bishop was coming in disguise", "the regiment would be sent away",
    "the last will had been forged", "the island was for sale", "the theatre owed a year's rent",
    "the tax rolls had been burned", "the lottery had no winner", "the captain was a deserter",
    "the spring water held iron", "the judge meant to resign",
)  # fmt: skip

PETITIONS = (
    "new bridge", "street lamps", "night ferry", "free school", "town clock", "lower bread tax",
    "marsh drain", "night watch", "public garden", "paved market", "sea wall", "hospital",
)  # fmt: skip

NIGHTS = (
    "first frost", "comet", "great gale", "lantern feast", "broken ice", "red moon",
    "falling stars", "harvest dance", "black fog", "spring tide", "northern lights", "long eclipse",
)  # fmt: skip

CALAMITIES = (
    "granary burned down", "weir broke", "bell tower fell", "town safe was robbed",
    "packet boat sank", "prisoners escaped", "library roof caved in", "toll bridge collapsed",
    "menagerie broke loose", "powder store blew up", "portrait of the founder was stolen",
    "great elm was struck by lightning",
)  # fmt: skip

TRADES = (
    "apothecary", "baker", "bargeman", "beekeeper", "bookbinder", "brewer", "carpenter", "carter",
    "clerk", "clockmaker", "cooper", "draper", "engraver", "ferryman", "fiddler", "gardener",
    "glazier", "harness-maker", "innkeeper", "lamplighter", "mason", "miller", "notary", "pilot",
    "potter", "printer", "saddler", "schoolteacher", "shepherd", "surveyor", "tailor", "weaver",
)  # fmt: skip

SCENES = (
    "weather", "walk", "talk", "letter", "meal", "journey", "work", "memory",
    "dream", "room", "quarrel", "portrait", "crowd", "night", "errand", "music",
)  # fmt: skip
