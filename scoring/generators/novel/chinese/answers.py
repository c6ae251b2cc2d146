"""Questions and their answers in Chinese."""

from collections.abc import Callable

from scoring.generators.novel.chinese import things as zh
from scoring.generators.novel.chinese.facts import dress, money
from scoring.generators.novel.chinese.numbers import counted, numeral
from scoring.generators.novel.questions import Crowns, Name, Place, Question, Times, Value
from scoring.generators.novel.world import Outfit

_QUESTIONS = {
    "total spent": "全书之中，{who}买{goods}前后一共花了多少块银元？请只回答总数。",
    "count of visits": "全书之中，{who}真正去过{place}几次？请只回答次数。",
    "dearest purchase": "{who}买过好几{measure}{goods}，其中最贵的一{measure}是从谁手里买的？请只回答姓名。",
    "meeting": "{who}第{nth}次遇见{whom}的时候，{who}穿戴的是什么颜色的什么衣物？请只回答颜色和衣物。",
    "last owner": "{thing}在书中几经转手，后来不再直呼其名。到全书结束时，{thing}在谁手里？请只回答姓名。",
    "who told": "“{secret}”这件事，{who}是听某人说的；那个人自己又是听谁说的？请只回答姓名。",
    "whereabouts": "{calamity}的那一夜，{who}是在哪里过夜的？请只回答地点。",
    "order of signing": "在请求{petition}的请愿书上，第{nth}个签名的人是谁？请只回答姓名。",
}


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
            return _money(amount)
        case Times(times):
            return _times(times)
        case Name(person):
            return [name(person)]
        case Place(place):
            where = zh.PLACES[place]
            return [where, f"在{where}", f"{where}里"]
        case Outfit():
            return _outfit(value)


def _money(amount: int) -> list[str]:
    words = [money(amount), numeral(amount)]
    digits = [f"{amount}{unit}" for unit in ("块银元", "", "块", "元", "银元")]
    spoken = [f"{counted(amount)}{unit}" for unit in ("块", "元", "银元")]
    return list(dict.fromkeys([*words, *digits, *spoken]))


def _times(times: int) -> list[str]:
    words = [f"{counted(times)}次", counted(times), numeral(times), f"{numeral(times)}次"]
    return list(dict.fromkeys([*words, f"{times}次", str(times)]))


def _outfit(outfit: Outfit) -> list[str]:
    garment, colour = zh.GARMENTS[outfit.garment], zh.COLOURS[outfit.colour]
    plain, parted = dress(outfit), f"{colour}的{garment.name}"
    one = f"一{garment.measure}"
    return [plain, parted, f"{one}{plain}", f"{one}{parted}", f"{garment.worn}{one}{plain}"]
