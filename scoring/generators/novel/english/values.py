"""Numbers, prices, goods and clothes in English words."""

from scoring.generators.novel.english.names import PLURALS, SINGULARS
from scoring.generators.novel.world import Outfit

_WORDS = """
nought one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen
"""
_SMALL = tuple(_WORDS.split())
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip


def number(value: int) -> str:
    """A number from 0 to 999 in words, as “one hundred and forty-one”."""
    if value >= 100:
        hundreds, rest = divmod(value, 100)
        tail = f" and {number(rest)}" if rest else ""
        return f"{_SMALL[hundreds]} hundred{tail}"
    if value < len(_SMALL):
        return _SMALL[value]
    tens, ones = divmod(value, 10)
    return f"{_TENS[tens]}-{_SMALL[ones]}" if ones else _TENS[tens]


def ordinal(value: int) -> str:
    """An ordinal number from 1 to 99 in words, as “twenty-first”."""
    head, dash, last = number(value).rpartition("-")
    plain = f"{last[:-1]}ie" if last.endswith("y") else last
    return f"{head}{dash}{_ORDINALS.get(last, f'{plain}th')}"


def article(words: str) -> str:
    """The words with “a” or “an” before them."""
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def ware(goods: str, quality: str) -> str:
    return article(f"{quality} {SINGULARS.get(goods, goods)}")


def goods_plural(goods: str) -> str:
    return PLURALS.get(goods, f"{goods}s")


def outfit(worn: Outfit) -> str:
    return article(f"{worn.colour} {worn.garment}")
