"""Read a generated Chinese novel by patterns, from its text alone."""

import re
from collections.abc import Callable, Iterator, Sequence

NAME = "[一-龥]{3,4}"
_A, _B = rf"(?P<a>{NAME})", rf"(?P<b>{NAME})"
_FROM = "(?:^|，)"  # where the part of a sentence begins that says it
_PLACE = "(?P<place>[一-龥]+?)"
_PRICE = "(?P<price>[两〇零一二三四五六七八九十百]+)块银元"
_WARE = "一(?P<ware>[一-龥]+)"
_WORN = "(?P<worn>[披穿围戴系]着一[一-龥]+?)"
_THAT_DAY = "(?:那天|当时|那一回|其时)"
_KEY = "(?P<key>[一-龥]+?)"
_NIGHT = "(?P<night>[一-龥]+?)那一夜"
_ASKED = f"请求{_KEY}的请愿书"

PAID = (
    rf"{_FROM}{_A}在{_PLACE}花{_PRICE}从{_B}手里买下了{_WARE}。",
    rf"^{_A}在{_PLACE}向{_B}买了{_WARE}，.*付了{_PRICE}。",
    rf"^在{_PLACE}，{_B}把{_WARE}卖给了{_A}，.*价钱是{_PRICE}。",
    rf"{_FROM}{_A}在{_PLACE}数出{_PRICE}付给{_B}，换回了{_WARE}。",
)
WENT = (
    rf"^为了.+，{_A}去了一趟{_PLACE}。",
    rf"，{_A}来到{_PLACE}，",
    rf"^{_A}惦记着.+，便往{_PLACE}走了一趟。",
    rf"^{_A}到{_PLACE}去了一回，",
)
MET = (
    rf"^在{_PLACE}，{_A}遇见了{_B}，{_THAT_DAY}(?P=a){_WORN}，",
    rf"^{_WORN}的{_A}在{_PLACE}迎面遇见了{_B}，",
    rf"，{_A}竟在{_PLACE}遇见了{_B}；{_THAT_DAY}(?P=a){_WORN}。",
    rf"^那回{_A}{_WORN}，在{_PLACE}遇见了{_B}，",
)
GAVE = (
    rf"，{_A}把{_KEY}交给了{_B}。",
    rf"^{_B}从{_A}手里接过了{_KEY}，",
    rf"，{_A}将{_KEY}送给了{_B}，从此归(?P=b)保管。",
    rf"^{_KEY}就这样从{_A}手里转到了{_B}手里，",
)
_C = rf"(?P<c>{NAME})"
PASSED = (  # by whom it came to its owner, it is called
    rf"，{_A}把{_C}给的那件东西转交给了{_B}。",
    rf"^{_B}从{_A}手里接过了{_C}给(?P=a)的那件东西，",
    rf"，{_A}将从{_C}那里得来的东西送给了{_B}。",
    rf"^{_C}给{_A}的那件东西，就这样转到了{_B}手里，",
)
TOLD = (
    rf"，{_A}悄悄告诉{_B}：{_KEY}。",
    rf"^{_B}是听{_A}亲口说的：{_KEY}。",
    rf"，{_A}把一桩消息透露给了{_B}：{_KEY}。",
    rf"^{_KEY}，这件事是{_A}告诉{_B}的。",
)
STAYED = (
    rf"^{_NIGHT}，{_A}是在{_PLACE}过的，",
    rf"^后来问起来，{_NIGHT}{_A}宿在{_PLACE}，",
    rf"^{_A}记得很清楚，{_NIGHT}自己是在{_PLACE}度过的，",
    rf"^原来{_NIGHT}{_A}一直待在{_PLACE}，",
)
HAPPENED = (
    rf"^正是{_NIGHT}，{_KEY}，",
    rf"^{_KEY}，就出在{_NIGHT}，",
    rf"^{_NIGHT}出了大事：{_KEY}，",
    rf"：{_NIGHT}，{_KEY}。",
)
SIGNED = (
    rf"，{_A}在{_ASKED}上签了名。",
    rf"^{_ASKED}上，{_A}也签下了自己的名字，",
    rf"^{_A}提起笔来，.+，在{_ASKED}上签了名。",
    rf"^{_ASKED}摊开在桌上，.+，{_A}签下了名字。",
)
UNREAL = re.compile("本想|原打算|^有人说|传言")  # what was only meant, or only said

_SENTENCE = re.compile("(?<=[。？！])(?!”)|(?<=[。？！]”)|\n+")
_DIGITS = "零一二三四五六七八九"


def sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence]


def worth(words: str) -> int:
    """The value of a number below a hundred in words."""
    tens, ten, ones = words.replace("两", "二").rpartition("十")
    value = _DIGITS.index(ones) if ones else 0
    return value + 10 * (_DIGITS.index(tens) if tens else 1) if ten else value


def found(text: str, patterns: Sequence[str]) -> Iterator[re.Match[str]]:
    """What the patterns find in sentences that say what really happened."""
    compiled = [re.compile(pattern) for pattern in patterns]
    for sentence in sentences(text):
        matches = (pattern.search(sentence) for pattern in compiled)
        if (match := next(filter(None, matches), None)) and not UNREAL.search(sentence):
            yield match


def _purchases(text: str, who: str, goods: str) -> list[tuple[int, str]]:
    return [
        (worth(match["price"]), match["b"])
        for match in found(text, PAID)
        if match["a"] == who and match["ware"].endswith(goods)
    ]


def _asked(pattern: str, question: str) -> tuple[str, ...]:
    match = re.search(pattern, question)
    assert match is not None
    return tuple(map(str, match.groups()))


def total(text: str, question: str) -> str:
    who, goods = _asked(f"，({NAME})买(.+?)前后一共花了多少", question)
    return str(sum(price for price, _ in _purchases(text, who, goods)))


def dearest(text: str, question: str) -> str:
    who, goods = _asked(f"^({NAME})买过好几.(.+?)，其中最贵的", question)
    return max(_purchases(text, who, goods))[1]


def visits(text: str, question: str) -> str:
    wanted = _asked(f"，({NAME})真正去过(.+?)几次", question)
    return str(sum((match["a"], match["place"]) == wanted for match in found(text, WENT)))


def meeting(text: str, question: str) -> str:
    who, nth, whom, part = _asked(f"^({NAME})第(.)次遇见({NAME})的时候.*什么(颜色|款式)", question)
    worn = [m["worn"] for m in found(text, MET) if (m["a"], m["b"]) == (who, whom)]
    colour, _, garment = worn[worth(nth) - 1][4:].partition("色")
    return colour if part == "颜色" else garment


def owner(text: str, question: str) -> str:
    (key,) = _asked("到全书结束时，(.+?)在谁手里", question)
    giver, has = next((m["a"], m["b"]) for m in found(text, GAVE) if m["key"] == key)
    passed = {(match["c"], match["a"]): match["b"] for match in found(text, PASSED)}
    while (giver, has) in passed:
        giver, has = has, passed[giver, has]
    return has


def teller(text: str, question: str) -> str:
    key, who = _asked(f"“(.+?)”这件事，({NAME})是听某人说的", question)
    source = {match["b"]: match["a"] for match in found(text, TOLD) if match["key"] == key}
    return source[source[who]]


def whereabouts(text: str, question: str) -> str:
    key, who = _asked(f"^(.+)的那一夜，({NAME})是在哪里过夜的", question)
    (night,) = {match["night"] for match in found(text, HAPPENED) if match["key"] == key}
    stays = found(text, STAYED)
    (place,) = {m["place"] for m in stays if (m["a"], m["night"]) == (who, night)}
    return place


def signer(text: str, question: str) -> str:
    key, nth = _asked("请求(.+?)的请愿书上，第(.)个签名的人", question)
    signed = [match["a"] for match in found(text, SIGNED) if match["key"] == key]
    return signed[worth(nth) - 1]


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
