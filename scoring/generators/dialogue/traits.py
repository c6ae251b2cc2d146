"""The facts about a person of a play, and how people state them.

Every value is one text (“brass compass”, “above the bakery”) that is used unchanged in every
statement of the fact, and that is said for no other reason.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from scoring.generators.draws import between

Forms = tuple[tuple[str, str], ...]  # (third person, first person), followed by a value


@dataclass(frozen=True, slots=True)
class Trait:
    forms: Forms
    values: tuple[str, ...]

    def drawn(self, rng: Random, count: int, taken: Collection[str]) -> list[str]:
        """``count`` different values, none of them taken."""
        found: list[str] = []
        while len(found) < count:
            value = self.values[between(rng, 0, len(self.values) - 1)]
            if value not in taken and value not in found:
                found.append(value)
        return found

    def predicate(self, rng: Random, value: str) -> tuple[str, str]:
        """The same in the third and in the first person: “lodges …”, “lodge …”."""
        other, self_ = self.forms[between(rng, 0, len(self.forms) - 1)]
        return f"{other} {value}", f"{self_} {value}"


def _all(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(" ".join(chosen) for chosen in product(*parts))


_KEEPSAKES = _all(
    (
        "brass", "pewter", "ivory", "amber", "tin", "copper", "walnut", "enamel", "leather",
        "glass", "horn", "ebony", "silver", "coral", "jade", "tortoiseshell",
    ),
    (
        "compass", "thimble", "snuffbox", "whistle", "locket", "inkstand", "spyglass", "hourglass",
        "penknife", "tuning fork", "music box", "chess king", "hairbrush", "dog collar",
        "pocket mirror", "cigar case", "paperweight", "napkin ring", "shoehorn", "letter seal",
    ),
)  # fmt: skip
_ROOMS = _all(
    ("above", "behind", "beside", "opposite", "below", "two doors from"),
    (
        "the bakery", "the tannery", "the candle shop", "the dye works", "the saddlery",
        "the fish market", "the brewery", "the customs house", "the rope works", "the toll house",
        "the printing works", "the corn exchange", "the wash-house", "the livery stable",
        "the apothecary", "the glassworks", "the cooperage", "the savings bank", "the pawnshop",
        "the drawing school",
    ),
)  # fmt: skip
_TRADES = (
    "bookbinder", "glazier", "piano tuner", "beekeeper", "lamplighter", "map engraver",
    "wig maker", "well digger", "bell founder", "cheese grader", "kite maker", "sail mender",
    "clock cleaner", "mole catcher", "picture framer", "button carver", "thatcher", "cork cutter",
    "parchment maker", "locksmith", "dentist", "stenographer", "river surveyor", "puppet carver",
    "tea taster", "stamp dealer", "fencing master", "toy painter", "bird stuffer", "mapmaker",
    "ballet teacher", "diver", "fortune teller", "sign painter", "truffle hunter", "ventriloquist",
)  # fmt: skip
_TOWNS = (
    "Velmar", "Torsk", "Hallin", "Brevold", "Casmor", "Dunholt", "Estrel", "Farrowby", "Grimsund",
    "Hexmoor", "Ilvany", "Jorrick", "Kastrow", "Lindosa", "Marrowfield", "Nyholm", "Orsova Bridge",
    "Pellworth", "Quarrin", "Rostavel", "Skarholm", "Tavira Sands", "Ulverdale", "Vintry", "Wexley",
    "Yarrowgate", "Zeltau", "Ambrock", "Belcastle", "Corrimoor", "Drovno", "Elsinway", "Fallowmere",
    "Gaskony", "Hirsund", "Inverlay", "Kelsoe", "Lorvik", "Montabar", "Norrland Head",
)  # fmt: skip
_KIN = _all(
    (
        "twin brother", "godmother", "half-sister", "great-aunt", "stepfather", "rich uncle",
        "deaf cousin", "married niece", "favourite nephew", "grandfather",
    ),
    (
        "in the navy", "at the observatory", "in the debtors' prison", "with the circus",
        "at the court of appeal", "in the salt mines", "on the lightship",
        "at the botanical garden",
        "in the royal kitchens", "at the weather station", "in a silent order", "at the mint",
    ),
)  # fmt: skip
_DEEDS = (
    *_all(
        ("hid", "found", "buried"),
        ("the love letters", "the unpaid bills", "the treasure map", "the forged will",
         "the church silver", "the ransom note"),
        ("in the piano", "in the flour bin", "in the grandfather clock", "in the organ loft",
         "in the coal cellar", "in the beehive", "in the ice house", "in the cello case"),
    ),
    *_all(
        ("stole", "sold", "gave away"),
        ("the colonel's", "the abbess's", "the mayor's", "the bishop's", "the admiral's"),
        ("racehorse", "stamp collection", "wine cellar", "grand piano", "stuffed bear", "balloon"),
    ),
)  # fmt: skip
_DEBTS = _all(
    ("eleven", "fourteen", "nineteen", "thirty", "forty", "sixty", "ninety"),
    ("crowns to",),
    (
        "the miller", "the fishmonger", "the undertaker", "the innkeeper", "the blacksmith",
        "the wine merchant", "the tailor", "the coal dealer", "the hatter", "the butcher",
        "the draper", "the stonemason", "the grocer", "the moneylender",
    ),
)  # fmt: skip
_FEARS = (
    "geese", "mirrors", "moths", "suspension bridges", "cellos", "barges", "beards", "clowns",
    "lifts", "cacti", "fireworks", "peacocks", "revolving doors", "scarecrows", "swans",
    "balconies",
    "wet leaves", "ventilators", "dentures", "wax figures", "hot-air balloons", "bagpipes", "bats",
    "empty theatres", "sleepwalkers", "jellyfish", "tunnels", "twins", "typewriters",
    "spiral stairs",
)  # fmt: skip

TRAITS: Mapping[str, Trait] = {
    "keepsake": Trait(
        (("carries the", "carry the"), ("always travels with the", "always travel with the")),
        _KEEPSAKES,
    ),
    "room": Trait((("lodges", "lodge"), ("has a room", "have a room")), _ROOMS),
    "trade": Trait(
        (("earns a living as a", "earn a living as a"), ("works as a", "work as a")), _TRADES
    ),
    "journey": Trait(
        (
            ("came back from", "came back from"),
            ("returned last spring from", "returned last spring from"),
        ),
        _TOWNS,
    ),
    "kin": Trait((("has a", "have a"), ("has lost touch with a", "have lost touch with a")), _KIN),
    "deed": Trait((("once", "once"), ("long ago", "long ago")), _DEEDS),
    "debt": Trait((("owes", "owe"), ("still owes", "still owe")), _DEBTS),
    "fear": Trait(
        (("is afraid of", "am afraid of"), ("is frightened of", "am frightened of")), _FEARS
    ),
}
