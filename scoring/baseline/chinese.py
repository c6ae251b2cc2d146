"""The patterns of facts in Chinese novels, and of questions about them."""

import re
from collections.abc import Mapping

from scoring.baseline.language_rules import LanguageRules

# All lengths are bounded: a text without full stops must not take quadratic time.
_WHO = r"[^，。；：“”\s]{2,5}?"
_NAME = rf"(?P<name>{_WHO})"
_GIVER = rf"(?P<giver>{_WHO})"
_PRICE = r"(?P<price>[零一二两三四五六七八九十百千\d]+)块银元"
_WARE = r"一[^，。]{0,60}?<key>"
_OUTFIT = r"\w着一\w(?P<colour>[^，。；]{1,9}?)色(?P<garment>[^，。；]{1,60}?)"
_PLACE = r"(?P<place>[^，。]{1,60}?)"
_NIGHT = r"<night>那一夜"
_AT = r"在[^，。]{0,60}?"

_FACTS: Mapping[str, tuple[str, ...]] = {
    "paid": (
        rf"<who>{_AT}花{_PRICE}从{_NAME}手里买下了{_WARE}。",
        rf"<who>{_AT}向{_NAME}买了{_WARE}，.{{0,200}}付了{_PRICE}",
        rf"，{_NAME}把{_WARE}卖给了<who>，.{{0,200}}价钱是{_PRICE}",
        rf"<who>{_AT}数出{_PRICE}付给{_NAME}，换回了{_WARE}。",
    ),
    "went": (
        r"<who>去了一趟<key>。",
        r"<who>来到<key>，",
        r"<who>惦记着.{0,200}往<key>走了一趟",
        r"<who>到<key>去了一回",
    ),
    "met": (
        rf"<who>遇见了<whom>，[^，]{{0,60}}?<who>{_OUTFIT}，",
        rf"{_OUTFIT}的<who>在.{{0,200}}遇见了<whom>",
        rf"<who>竟在.{{0,200}}遇见了<whom>；.{{0,200}}?<who>{_OUTFIT}。",
        rf"那回<who>{_OUTFIT}，在.{{0,200}}遇见了<whom>",
    ),
    "gave": (
        rf"，{_GIVER}把<key>交给了{_NAME}[，。]",
        rf"，{_GIVER}将<key>送给了{_NAME}[，。]",
        rf"(?:^|，){_NAME}从{_GIVER}手里接过了<key>",
        rf"<key>就这样从{_GIVER}手里转到了{_NAME}手里",
    ),
    "passed": (
        rf"<who>把<giver>给的那件东西转交给了{_NAME}。",
        rf"(?:^|，){_NAME}从<who>手里接过了<giver>给<who>的那件东西",
        rf"<who>将从<giver>那里得来的东西送给了{_NAME}。",
        rf"<giver>给<who>的那件东西，就这样转到了{_NAME}手里",
    ),
    "told": (
        rf"(?:^|，){_NAME}悄悄告诉<who>：<key>",
        rf"<who>是听{_NAME}亲口说的：<key>",
        rf"(?:^|，){_NAME}把一桩消息透露给了<who>：<key>",
        rf"<key>，这件事是{_NAME}告诉<who>的",
    ),
    "happened": (
        r"正是(?P<night>[^，。]{1,60}?)那一夜，<key>",
        r"<key>，就出在(?P<night>[^，。]{1,60}?)那一夜",
        r"(?:^|[，：])(?P<night>[^，。：]{1,60}?)那一夜(?:出了大事：|，)<key>",
    ),
    "stayed": (
        rf"{_NIGHT}，<who>是在{_PLACE}过的",
        rf"{_NIGHT}<who>(?:宿|一直待)在{_PLACE}[，。]",
        rf"<who>记得很清楚，{_NIGHT}自己是在{_PLACE}度过的",
    ),
    "signed": (
        rf"(?:^|，){_NAME}在请求<key>的请愿书上签了名",
        rf"(?:^|，){_NAME}提起笔来，.{{0,200}}请求<key>的请愿书上签了名",
        rf"请求<key>的请愿书上，{_NAME}也签下了自己的名字",
        rf"请求<key>的请愿书摊开在桌上，.{{0,200}}，{_NAME}签下了名字",
    ),
}

_QUESTIONS: Mapping[str, str] = {
    "total": r"，(?P<who>[^，]{1,60}?)买(?P<key>.{1,300}?)前后一共花了多少",
    "visits": r"，(?P<who>[^，]{1,60}?)真正去过(?P<key>.{1,300}?)几次",
    "dearest": r"(?P<who>[^，]{1,60}?)买过好几.(?P<key>.{1,300}?)，其中最贵",
    "outfit": r"(?P<who>[^，]{1,60}?)第(?P<nth>.{1,300}?)次遇见(?P<whom>.{1,300}?)的时候"
    r".{1,60}?是什么(?P<part>颜色|款式)",
    "owner": r"到全书结束时，(?P<key>.{1,300}?)在谁手里",
    "teller": r"“(?P<key>.{1,300}?)”这件事，(?P<who>.{1,300}?)是听某人说的",
    "whereabouts": r"(?P<key>.{1,300}?)的那一夜，(?P<who>.{1,300}?)是在哪里过夜",
    "signer": r"在请求(?P<key>.{1,300}?)的请愿书上，第(?P<nth>.{1,300}?)个签名",
}

_LONGEST = 18  # digits
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}


def number(words: str) -> int:
    """The value of 四十一, 一百零五, 两 or 41; other characters count 0."""
    if words.isdecimal():
        return int(words[:_LONGEST])
    value, digit = 0, 0
    for sign in words:
        if sign in _UNITS:
            value += (digit or 1) * _UNITS[sign]
            digit = 0
        else:
            digit = _DIGITS.get(sign, 0)
    return value + digit


CHINESE = LanguageRules(
    facts=_FACTS,
    questions={kind: re.compile(pattern) for kind, pattern in _QUESTIONS.items()},
    untrue=re.compile("其实"),
    name=re.compile(r"(?<=从)[\u4e00-\u9fff]{3,4}(?=手里)"),
    singular=lambda goods: goods,
    parts={"颜色": "colour", "款式": "garment"},
    number=number,
    unknown="书里没有找到答案。",
)
