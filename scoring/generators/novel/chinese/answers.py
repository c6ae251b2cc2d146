"""Questions and their answers in Chinese."""

from collections.abc import Callable

from scoring.generators.novel.chinese import things as zh
from scoring.generators.novel.chinese.numbers import numeral
from scoring.generators.novel.questions import (  # fmt: skip
    Colour,
    Crowns,
    Garment,
    Name,
    Place,
    Question,
    Times,
    Value,
)

_QUESTIONS = {
    "total spent": "全书之中，{who}买{goods}前后一共花了多少块银元？请只用阿拉伯数字回答总数。",
    "count of visits": "全书之中，{who}真正去过{place}几次？请只用阿拉伯数字回答次数。",
    "dearest purchase": "{who}买过好几{measure}{goods}，其中最贵的一{measure}是从谁手里买的？请只回答姓名。",
    "meeting": "{who}第{nth}次遇见{whom}的时候，{who}身上那件衣物是什么{part}？请只回答{part}。",
    "last owner": "{thing}在书中几经转手，后来不再直呼其名。到全书结束时，{thing}在谁手里？请只回答姓名。",
    "who told": "“{secret}”这件事，{who}是听某人说的；那个人自己又是听谁说的？请只回答姓名。",
    "whereabouts": "{calamity}的那一夜，{who}是在哪里过夜的？请只回答地点。",
    "order of signing": "在请求{petition}的请愿书上，第{nth}个签名的人是谁？请只回答姓名。",
}

_PARTS = {"colour": "颜色", "garment": "款式"}


def ask(question: Question, name: Callable[[int], str]) -> str:
    """The question, and how to answer it."""
    key = question.key
    ware = zh.GOODS.get(key)
    return _QUESTIONS[question.kind].format(
        who=name(question.who),
        whom=name(question.whom),
        nth=numeral(question.nth),
        goods=ware.name if ware else "",
        measure=ware.measure if ware else "",
        part=_PARTS.get(key),
        place=zh.PLACES.get(key),
        thing=zh.THINGS.get(key),
        secret=zh.SECRETS.get(key),
        calamity=zh.CALAMITIES.get(key),
        petition=zh.PETITIONS.get(key),
    )


def answers(value: Value, name: Callable[[int], str]) -> list[str]:
    """All ways of writing the answer that are right, the plainest first."""
    match value:
        case Crowns(amount):
            return [str(amount)]
        case Times(times):
            return [str(times)]
        case Name(person):
            return [name(person)]
        case Place(place):
            return [zh.PLACES[place]]
        case Colour(colour):
            return [zh.COLOURS[colour].removesuffix("色")]
        case Garment(garment):
            return [zh.GARMENTS[garment].name]
