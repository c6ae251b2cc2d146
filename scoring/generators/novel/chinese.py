"""Chinese: numbers, dates, and what makes prose of phrases."""

from random import Random
from typing import ClassVar

from scoring.generators.novel.language import Language, Words
from scoring.generators.novel.world import YEAR, Moment, Person, World, pick
from scoring.text.tokens import FREQUENT

_DIGITS = "零一二三四五六七八九"
_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_VALUES = {sign: value for value, sign in enumerate(_DIGITS)} | {"两": 2}
_TENS = {name: unit for unit, name in _UNITS}
_LONGEST = 18  # digits
_NIGHT = 4  # part of a day; scenes of a season happen in daylight
_AGAIN = "这件事"  # what the talk is about, once it has been named
_WORD = "[一-龥]"
_NUMBER = r"[零一二两三四五六七八九十百千\d]{1,9}"
_PERSON = f"(?:那位)?{_WORD}{{2,5}}?"

# cl100k_base spends two tokens on most Chinese characters, one on frequent ones and on these signs,
# three on these rare ones, and has few tokens for more than one character.
_SIGNS = "“”、。《》！，：；？"  # of one token, as the frequent ideographs are
_THREE = (
    "傅傍儿咂咐咕咖咬咱咳咸嗓嗡嗽嘀嘉嘱嘴噼嚷嚼垂垛妇妈妒妙妥妨威娃娘娟娥娴婆婉婚婴婷媒媳嫉嫌峭峰崇崔悄悔悟患悯慈慕慢慰懂懊懒搁搓搔搪搬搭擦梁梅梆梦梯梳椅椒椭榆榕榴榻槌槐槛樊樟横樽橘橡橹檀檐潘潦潮澜澡濒炉炊"
    "炒炖炳炷炸烂烘烛烟烦烧烫热烹煎煮熄熊熏熟熬犬犯犹狄狗狠独狱猎猛猩猪猫猴瑁瑙瑚瑞瑟瑾璃瓜瓢瓦瓶瓷疏疑疚疤疯疲疼病痕痛痣瘦瘪瞅瞒瞧矩短矮矿砂砖砚破磨簪簸簿糊糕糖糙糟糠糯翁翅翠翰翻翼脂脆脊脑脖脚脱脸脾腊腋腐"
    "腕腰腻腿膀膊膛膝莉莫莲葛葡董葫葱蒋蒙蒲蒸蓄蓝蓬蓼蔡蔫蔷蕉蕙蕴薄薇薛薯藓藕藤蘸蚊蚕蛋蛐蛙蛮蛳蜂蜓蜡蜻蝉螃螺蟀蟋蟹褚褥褪襟踏踢踩踪踮踱蹭蹲躲躺酒酬酱酸酿醉醒鞍韦韩韭韵饨饪饭饰饱饼骂骆骏骑骗骚骨鬓魁魏鱼鲁鲈"
    "鲍鲜鸟鸠鸡鸣鸦鸭鸽鸿鹃鹅鹉鹊鹌鹑鹤鹦鹭鹰麟麦麻鼓鼻齐"
)
# Two or more characters of one token; each counted here saves one.
_TOGETHER = (
    "。\n",
    "？\n",
    "\n\n",
    "。”",
    "？”",
    "”，",
    "”\n\n",
    "：“",
    "，“",
    "。“",
    "没有",
    "一个",
)

_NOT_ONE = dict.fromkeys(map(ord, FREQUENT + _SIGNS + "\n "))
_NOT_THREE = dict.fromkeys(map(ord, _THREE))


class Chinese(Language):
    file = "chinese"
    gap = ""
    stop = "。"
    ends = "。？！”"
    of_one = frozenset({"act", "look", "think", "memory", "work"})
    kept: ClassVar = {"t": "topic", "k": "relative", "f": "far", "g": "small", "w": "worker"}
    slots: ClassVar = {
        "A": _PERSON, "B": _PERSON, "C": _PERSON, "P": f"{_WORD}{{2,6}}?",
        "ware": f"一{_WORD}{{2,12}}?", "ask": _NUMBER, "price": _NUMBER,
        "outfit": f"{_WORD}(?P<colour>{_WORD}{{1,3}}?)色(?P<garment>{_WORD}{{2,4}}?)",
        "thing": f"{_WORD}{{2,8}}?", "secret": f"{_WORD}{{4,20}}?", "night": f"{_WORD}{{2,6}}?",
        "woe": f"{_WORD}{{4,14}}?", "petition": f"{_WORD}{{3,10}}?", "trade": f"{_WORD}{{2,6}}",
    }  # fmt: skip

    def person(self, person: Person) -> Words:
        given = self.names["women" if person.female else "men"][person.given]
        he = "她" if person.female else "他"
        words = {"A": self.names["families"][person.family] + given, "a": given, "s": given}
        job = self.words["jobs"][person.trade % self.sizes["jobs"]]
        return {**words, "he": he, "him": he, "his": he, "ta": job}

    def trade(self, person: Person) -> str:
        return f"那位{self.words['trades'][person.trade]}"

    def town(self, world: World) -> Words:
        return {"T": self.names["towns"][world.town]}

    def ware(self, goods: int, quality: int) -> str:
        ware = self.goods[goods]
        return f"一{ware.form}{ware.qualities[quality]}{ware.name}"

    def number(self, value: int) -> str:
        text, gap = "", False
        for unit, name in _UNITS:
            digit, value = divmod(value, unit)
            if digit:
                text += ("零" if gap and text else "") + _DIGITS[digit] + name
            gap = not digit
        if value or not text:
            text += ("零" if gap and text else "") + _DIGITS[value]
        text = text.removeprefix("一") if text.startswith("一十") else text
        return "两" if text == "二" else text

    def value(self, words: str) -> int:
        if words.isdecimal():
            return int(words[:_LONGEST])
        value, digit = 0, 0
        for sign in words[:200]:
            if sign in _TENS:
                value += (digit or 1) * _TENS[sign]
                digit = 0
            else:
                digit = _VALUES.get(sign, 0)
        return value + digit

    def ordinal(self, value: int) -> str:
        return "二" if value == 2 else self.number(value)

    def outfit(self, colour: int, garment: int) -> str:
        words = self.words
        return (
            f"{words['measures'][garment]}{words['colours'][colour]}色{words['garments'][garment]}"
        )

    def when(self, moment: Moment, rng: Random) -> str:
        part = pick(rng, self.calendar["parts"][moment.part])
        if moment.since == 0:
            return f"{pick(rng, self.calendar['same'])}{part}，"
        if rng.random() < 0.4:
            month, day = divmod(moment.day % YEAR, 30)
            first = "初" if day < 10 else ""
            return f"{self.calendar['months'][month]}{first}{self.ordinal(day + 1)}{part}，"
        if moment.since == 1:
            return f"{pick(rng, self.calendar['next'])}{part}，"
        later = pick(rng, self.calendar["later"]).format(self.number(moment.since))
        return f"{later}{part}，"

    def symbol(self, symbol: str, moment: Moment, rng: Random, *, alone: bool) -> str:
        if symbol not in ("when", "season"):
            return symbol
        light = moment.part == _NIGHT or (symbol == "when" and rng.random() < 0.5)
        return f"light{moment.part}" if light else "season"

    def heading(self, chapter: int, title: str) -> str:
        return f"第{self.ordinal(chapter)}回 {title}\n\n"

    def title(self, title: str) -> str:
        return f"《{title}》\n\n"

    def tidy(self, text: str, words: Words) -> str:
        text = text.replace("/", "\n")
        before, topic, after = text.partition(words["t"])
        return f"{before}{topic}{after.replace(topic, _AGAIN) if topic else after}"

    def tokens(self, text: str) -> float:
        dear = len(text.translate(_NOT_ONE)) + len(text) - len(text.translate(_NOT_THREE))
        return len(text) + dear - sum(map(text.count, _TOGETHER))


CHINESE = Chinese()
