"""The width of a text as drawn: SVG neither breaks lines nor truncates."""

import unicodedata
from collections.abc import Iterator

FONTS = "Verdana, 'DejaVu Sans', 'Noto Sans', 'Noto Sans CJK SC', 'WenQuanYi Micro Hei', sans-serif"
_FIRST = " "
# In hundredths of the font size, from the space to the tilde in DejaVu Sans. It
# is as wide as Verdana: no common sans serif is wider.
_WIDTHS = (
    *(32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34),
    *(64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53),
    *(100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79),
    *(60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50),
    *(50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61),
    *(63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84),
)
_OTHERS = {"–": 50, "·": 32, "…": 100, "×": 84}
_LETTER, _WIDE = 66, 100
_NO_WIDTH = ("Mn", "Me", "Cf", "Cc")  # categories: marks on another character, and no signs


def text_width(text: str, size: float) -> float:
    return size / 100 * sum(map(_width, text))


def _width(character: str) -> int:
    place = ord(character) - ord(_FIRST)
    if 0 <= place < len(_WIDTHS):
        return _WIDTHS[place]
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    is_wide = unicodedata.east_asian_width(character) in ("W", "F")
    return _OTHERS.get(character, _WIDE if is_wide else _LETTER)


def shortened(text: str, size: float, width: float) -> str:
    """The text, or as much of it as fits, with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    room = width - text_width("…", size)
    end = 0
    while end < len(text) and text_width(text[: end + 1], size) <= room:
        end += 1
    return f"{text[:end].rstrip()}…"


def lines_of(text: str, size: float, width: float) -> list[str]:
    """Broken between words; Chinese between any two characters."""
    lines = [""]
    for word in _words(text):
        if lines[-1] and text_width((lines[-1] + word).rstrip(), size) > width:
            lines.append("")
        lines[-1] += word.lstrip() if not lines[-1] else word
    return [line.rstrip() for line in lines if line.strip()]


def _words(text: str) -> Iterator[str]:
    """The units that a line may be broken after, each with the space behind it."""
    word = ""
    for character, following in zip(text, f"{text[1:]} ", strict=True):
        word += character
        is_wide = unicodedata.east_asian_width(character) in ("W", "F")
        is_closing = unicodedata.category(following) in ("Pe", "Pf", "Po")
        if (character == " " != following) or (is_wide and not is_closing):
            yield word
            word = ""
    yield word
