"""The patterns of facts in English novels, and of questions about them."""

import re
from collections.abc import Mapping

from scoring.baseline.language_rules import LanguageRules

# All lengths are bounded: a text without full stops must not take quadratic time.
_WHO = r"[A-Z][\w'-]{1,30} [A-Z][\w'-]{1,30}"
_NAME = rf"(?P<name>{_WHO})"
_GIVER = rf"(?P<giver>{_WHO})"
_PRICE = r"(?P<price>\w[\w -]{0,60}?) crowns?"
_WARE = r"an? [^,.;]{0,80}?\b<key>"
_OUTFIT = r"an? (?P<colour>(?:dark |pale )?[\w-]{1,30}) (?P<garment>[^,.;]{1,60}?)"
_PLACE = r"(?P<place>the [^,.;]+)"
_NIGHT = r"[Nn]ight of the <night>"

# Plans are in other tenses: “meant to buy”, “would have bought”.
_FACTS: Mapping[str, tuple[str, ...]] = {
    "paid": (
        rf"<who> paid {_NAME} {_PRICE} for {_WARE}\b",
        rf"<who> bought {_WARE} from {_NAME} for {_PRICE}",
        rf"{_NAME} sold <who> {_WARE} for {_PRICE}",
        rf"\b[Ff]or {_PRICE} <who> bought {_WARE} from {_NAME}",
    ),
    "went": (r"<who> (?:went|came|paid a visit) to the <key>\b",),
    "met": (
        rf"<who>, wearing {_OUTFIT}, met <whom>",
        rf"<who> wore {_OUTFIT} when s?he met <whom>",
        rf"<whom> met <who>, who was wearing {_OUTFIT}[,.;]",
        rf"<who> and <whom> met .*; <who> was wearing {_OUTFIT}[,.;]",
    ),
    "gave": (
        rf"{_GIVER} gave the <key> to {_NAME}",
        rf"{_GIVER} handed {_NAME} the <key>",
        rf"[Tt]he <key> passed from {_GIVER} to {_NAME}",
        rf"{_NAME} received the <key> from {_GIVER}",
    ),
    "passed": (
        rf"<who> passed on to {_NAME} what <giver> had given ",
        rf"<who> gave {_NAME} what s?he had got from <giver>",
        rf"[Ww]hat <who> had got from <giver> went to {_NAME}",
        rf"{_NAME} received from <who> what <giver> had given ",
    ),
    "told": (
        rf"{_NAME} told <who> that <key>",
        rf"{_NAME} let <who> know that <key>",
        rf"<who> learned from {_NAME} that <key>",
        rf"from {_NAME} that <who> heard that <key>",
    ),
    "happened": (
        r"[Nn]ight of the (?P<night>.+?) (?:that )?the <key>",
        r"[Tt]he <key> on the night of the (?P<night>[^,.;]+)",
    ),
    "stayed": (
        rf"<who> had spent the {_NIGHT} at {_PLACE}",
        rf"{_NIGHT} <who> had slept at {_PLACE}",
        rf"{_NIGHT} had found <who> at {_PLACE}",
    ),
    "signed": (
        rf"{_NAME} (?:signed|put (?:his|her) name to) the petition for the <key>",
        rf"petition for the <key> was signed by {_NAME}",
    ),
}

_QUESTIONS: Mapping[str, str] = {
    "total": r"How many crowns did (?P<who>.{1,300}?) pay for (?P<key>.{1,300}?) in ",
    "dearest": r"Of all the (?P<key>.{1,300}?) that (?P<who>.{1,300}?) bought .{0,300} most",
    "visits": r"How many times .{0,300}did (?P<who>.{1,300}?) go to the (?P<key>.{1,300}?)\?",
    "outfit": r"What (?P<part>\w+) was (?P<who>.{1,300}?) wearing when meeting (?P<whom>.{1,300}?)"
    r" for the (?P<nth>\w+) time",
    "owner": r"The (?P<key>.{1,300}?) passed from hand to hand",
    "teller": r"Somebody told (?P<who>.{1,300}?) that (?P<key>.{1,300}?)\. From whom",
    "whereabouts": r"Where did (?P<who>.{1,300}?) spend the night on which"
    r" the (?P<key>.{1,300}?)\?",
    "signer": r"Who was the (?P<nth>\w+) person .{0,300}sign the petition"
    r" for the (?P<key>.{1,300}?)\?",
}

_LONGEST = 18  # digits
_WORDS = (
    "nought one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_VALUES = {
    **{word: value for value, word in enumerate(_WORDS.split())},
    **{word: value for value, word in enumerate(_ORDINALS.split(), 1)},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
}


def number(words: str) -> int:
    """What “forty-one”, “two hundred and six”, “third” or “41” means; other words count nothing."""
    if words.isdecimal():
        return int(words[:_LONGEST])
    value = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word == "hundred":
            value *= 100
        else:
            value += _VALUES.get(word, 0)
    return value


def singular(goods: str) -> str:
    """One of these goods: “knife” of “knives”."""
    return f"{goods[:-3]}fe" if goods.endswith("ves") else goods.removesuffix("s")


ENGLISH = LanguageRules(
    facts=_FACTS,
    questions={kind: re.compile(pattern, re.DOTALL) for kind, pattern in _QUESTIONS.items()},
    untrue=re.compile(r"\bthat .*, but\b"),
    name=re.compile(_WHO),
    singular=singular,
    parts={"colour": "colour", "garment": "garment"},
    number=number,
    unknown="I could not find it in the text.",
)
