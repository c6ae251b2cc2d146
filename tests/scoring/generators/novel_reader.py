"""Read a generated English novel by patterns, from its text alone."""

import re
from collections.abc import Callable, Iterator, Sequence

NAME = r"[A-Z]\w+ [A-Z]\w+"
_A, _B = rf"(?P<a>{NAME})", rf"(?P<b>{NAME})"
_PLACE = r"the (?P<place>[\w ]+?)"
_AT = rf"[Aa]t {_PLACE}"
_WARE = r"an? (?P<ware>[\w'’ -]+?)"
_PRICE = r"(?P<price>[a-z-]+) crowns"
_WEAR = r"(?P<worn>an? [\w -]+?)"
_THING = r"[Tt]he (?P<key>[\w ]+?)"
_NIGHT = r"the night of the (?P<night>[\w ]+?)"
_WHY = r" (?:to|with|because|in search|out of) "

PAID = (
    rf"{_AT} {_A} paid {_B} {_PRICE} for {_WARE}[,.]",
    rf"{_A} bought {_WARE} from {_B} for {_PRICE} at",
    rf"{_AT} {_B} sold {_A} {_WARE} for {_PRICE}",
    rf"[Ff]or {_PRICE} {_A} bought {_WARE} from {_B} at",
)
WENT = (
    rf"(?:^|, ){_A} went to {_PLACE}(?:\.|{_WHY})",
    rf"^{_A} paid a visit to {_PLACE}{_WHY}",
    rf"^{_A} came to {_PLACE}{_WHY}",
)
MET = (
    rf"^{_AT} {_A}, wearing {_WEAR}, met {_B}[,.]",
    rf"^{_A} wore {_WEAR} when s?he met {_B} at {_PLACE}[,.]",
    rf"^{_B} met {_A}, who was wearing {_WEAR}, at {_PLACE}[,.]",
    rf"^(?P<x>{NAME}) and {_B} met at {_PLACE}; {_A} was wearing {_WEAR}\.",
)
GAVE = (
    rf"^{_A} gave {_THING} to {_B}[,.]",
    rf"^{_A} handed {_B} {_THING}[,.]",
    rf"^{_THING} passed from {_A} to {_B}[,.]",
    rf"^{_B} received {_THING} from {_A}[,.]",
)
PASSED = (  # by whom it came to its owner, it is called
    rf"^{_A} passed on to {_B} what (?P<c>{NAME}) had given (?:her|him)[,.]",
    rf"^{_A} gave {_B} what s?he had got from (?P<c>{NAME})[,.]",
    rf"^What {_A} had got from (?P<c>{NAME}) went to {_B}[,.]",
    rf"^{_B} received from {_A} what (?P<c>{NAME}) had given (?P=a)[,.]",
)
TOLD = (
    rf"(?:^|, ){_A} told {_B} that (?P<key>[^.]+)\.",
    rf"^{_A} let {_B} know that (?P<key>[^.]+)\.",
    rf"^{_B} learned from {_A} that (?P<key>[^.]+)\.",
    rf"^It was from {_A} that {_B} heard that (?P<key>[^.]+)\.",
)
STAYED = (
    rf"^{_A} had spent {_NIGHT} at {_PLACE}[,.]",
    rf"^On {_NIGHT} {_A} had slept at {_PLACE}[,.]",
    rf"^The night of the (?P<night>[\w ]+?) had found {_A} at {_PLACE}[,.]",
)
HAPPENED = (
    r"^On the night of the (?P<night>[\w ]+?) the (?P<key>[a-z ]+)\.",
    r"^The (?P<key>[a-z ]+) on the night of the (?P<night>[\w ]+?)\.",
    r"^It was on the night of the (?P<night>[\w ]+?) that the (?P<key>[a-z ]+)\.",
)
SIGNED = (
    rf"^{_A} signed the petition for the (?P<key>[\w ]+?)[,.]",
    rf"(?:^|, ){_A} put h(?:is|er) name to the petition for the (?P<key>[\w ]+?)[,.]",
    rf"^The petition for the (?P<key>[\w ]+?) was signed by {_A}[,.]",
)

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[.!?]\")\s+|\n+")
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence]


def worth(words: str) -> int:
    """The value of a number below a hundred in words."""
    small, tens = _NUMBERS.split(), _TENS.split()
    head, _, last = words.rpartition("-")
    if words in tens:
        return tens.index(words) * 10 + 20
    return (tens.index(head) * 10 + 20 if head else 0) + small.index(last)


def found(text: str | Sequence[str], patterns: Sequence[str]) -> Iterator[re.Match[str]]:
    """What the patterns find, sentence by sentence."""
    compiled = [re.compile(pattern) for pattern in patterns]
    for sentence in sentences(text) if isinstance(text, str) else text:
        for pattern in compiled:
            if match := pattern.search(sentence):
                yield match
                break


def _purchases(text: str, question: str) -> list[tuple[int, str]]:
    who, goods = (
        _match(rf"did ({NAME}) pay for ([a-z]+)", question)
        or _match(rf"all the ([a-z]+) that ({NAME}) bought", question)[::-1]
    )
    single = {"knives": "knife"}.get(goods, goods.removesuffix("s"))
    return [
        (worth(match["price"]), match["b"])
        for match in found(text, PAID)
        if match["a"] == who and match["ware"].split()[-1] == single
    ]


def _match(pattern: str, text: str) -> tuple[str, ...]:
    match = re.search(pattern, text)
    return tuple(group for group in match.groups() if group) if match else ()


def total(text: str, question: str) -> str:
    return str(sum(price for price, _ in _purchases(text, question)))


def dearest(text: str, question: str) -> str:
    return max(_purchases(text, question))[1]


def visits(text: str, question: str) -> str:
    wanted = _match(rf"did ({NAME}) go to the ([\w ]+)\?", question)
    return str(sum((match["a"], match["place"]) == wanted for match in found(text, WENT)))


def meeting(text: str, question: str) -> str:
    pattern = rf"What (\w+) was ({NAME}) wearing when meeting ({NAME}) for the (\w+)"
    part, who, whom, nth = _match(pattern, question)
    worn = [m["worn"] for m in found(text, MET) if (m["a"], m["b"]) == (who, whom)]
    colour, garment = outfit(worn[ORDINALS.index(nth)])
    return colour if part == "colour" else garment


def outfit(worn: str) -> tuple[str, str]:
    """The colour and the garment of “a dark green riding coat”."""
    _, *words = worn.split()
    of_colour = 2 if words[0] in ("dark", "pale") else 1
    return " ".join(words[:of_colour]), " ".join(words[of_colour:])


def owner(text: str, question: str) -> str:
    (key,) = _match(r"The ([\w ]+) passed from hand", question)
    giver, has = next((m["a"], m["b"]) for m in found(text, GAVE) if m["key"] == key)
    passed = {(match["c"], match["a"]): match["b"] for match in found(text, PASSED)}
    while (giver, has) in passed:
        giver, has = has, passed[giver, has]
    return has


def teller(text: str, question: str) -> str:
    who, key = _match(rf"Somebody told ({NAME}) that ([^.]+)\.", question)
    source = {match["b"]: match["a"] for match in found(text, TOLD) if match["key"] == key}
    return source[source[who]]


def whereabouts(text: str, question: str) -> str:
    who, key = _match(rf"Where did ({NAME}) spend the night on which the ([\w ]+)\?", question)
    (night,) = {match["night"] for match in found(text, HAPPENED) if match["key"] == key}
    stays = found(text, STAYED)
    (place,) = {m["place"] for m in stays if (m["a"], m["night"]) == (who, night)}
    return f"the {place}"


def signer(text: str, question: str) -> str:
    nth, key = _match(r"the (\w+) person .* petition for the ([\w ]+)\?", question)
    signed = [match["a"] for match in found(text, SIGNED) if match["key"] == key]
    return signed[ORDINALS.index(nth)]


READERS: dict[str, Callable[[str, str], str]] = {
    "total spent": total,
    "dearest purchase": dearest,
    "count of visits": visits,
    "meeting": meeting,
    "last owner": owner,
    "who told": teller,
    "whereabouts": whereabouts,
    "order of signing": signer,
}
