"""Numbers, measures of time and dates, as a Chinese novel writes them."""

from random import Random

from scoring.generators.novel.world import YEAR, Moment, pick

_DIGITS = "零一二三四五六七八九"
_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_MONTHS = ("正月", *(f"{month}月" for month in "二三四五六七八九十"), "冬月", "腊月")
_DAYS = 30  # of a month


def numeral(number: int) -> str:
    """A number from 0 to 9,999 in Chinese: 105 is 一百零五."""
    text, gap = "", False
    for unit, name in _UNITS:
        digit, number = divmod(number, unit)
        if digit:
            text += ("零" if gap and text else "") + _DIGITS[digit] + name
        gap = not digit
    if number or not text:
        text += ("零" if gap and text else "") + _DIGITS[number]
    return text.removeprefix("一") if text.startswith("一十") else text


def counted(number: int) -> str:
    """A number before a measure word, where two is 两."""
    return "两" if number == 2 else numeral(number)


def date(day: int) -> str:
    """A day of the lunar calendar, in which spring begins with the year: 四月初七."""
    month, day = divmod(day % YEAR, _DAYS)
    return _MONTHS[month] + ("初" if day < 10 else "") + numeral(day + 1)


_PARTS = (
    ("清早", "大清早", "天刚亮", "早饭过后", "辰时光景", "太阳出来不久"),
    ("晌午", "正午", "太阳当顶的时候", "将近中午", "午饭时分", "午后不久"),
    ("下午", "后半晌", "太阳偏西", "未时过后", "过了午睡的时辰", "申时光景"),
    ("傍晚", "掌灯时分", "天擦黑的时候", "黄昏", "晚饭前后", "暮色落下来的时候"),
    ("夜里", "夜静时分", "入夜以后", "更深人静的时候", "半夜", "街上的人散尽以后"),
)
_SAME = ("当天", "同一天", "就在这一天", "还是那天", "这天")
_NEXT = ("第二天", "次日", "到了第二天", "转过天来", "又一日")
_LATER = ("过了{}天，", "{}天后，", "又过了{}天，", "一晃{}天过去，", "隔了{}天，")


def when(moment: Moment, rng: Random, *, dated: bool) -> str:
    """The time since the previous event, or the day and the part of it; without a comma at the end.

    ``dated`` includes the day, unless it is the same.
    """
    part = pick(rng, _PARTS[moment.part % len(_PARTS)])
    if moment.since == 0:
        return pick(rng, _SAME) + part
    if rng.random() < 0.4 or dated:
        return date(moment.day) + part
    if moment.since == 1:
        return pick(rng, _NEXT) + part
    return pick(rng, _LATER).format(counted(moment.since)) + part
