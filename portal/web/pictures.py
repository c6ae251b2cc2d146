"""SVG drawn as PNG, for previews of links, which show no SVG.

resvg draws no text at all unless it has a font of the very family that the SVG asks for, and says
nothing about it. So the font is named here, and tried before anything is drawn with it.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import resvg_py
from django.conf import settings
from django.core.checks import CheckMessage, Info


class Font(NamedTuple):
    path: Path
    family: str


PLACES = (  # of fonts with Latin and Chinese, as Debian, Fedora, Arch and macOS install them
    Font(Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"), "WenQuanYi Micro Hei"),
    Font(Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"), "Noto Sans CJK SC"),
    Font(Path("/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc"), "Noto Sans CJK SC"),
    Font(Path("/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc"), "Noto Sans CJK SC"),
    Font(Path("/System/Library/Fonts/PingFang.ttc"), "PingFang SC"),
)
_SAMPLES = ("Ab 1", "长文")
_TRIAL = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="30">'
    '<text y="20" font-size="20" font-family="sans-serif">{}</text></svg>'
)


def picture_font() -> Font | None:
    """The font of pictures; None: nothing can be drawn, as all text would be missing."""
    named = Font(Path(settings.PICTURE_FONT), settings.PICTURE_FONT_FAMILY)
    return _first_usable((named,) if settings.PICTURE_FONT else PLACES)


@lru_cache(maxsize=4)
def _first_usable(fonts: Sequence[Font]) -> Font | None:
    return next((one for one in fonts if one.path.is_file() and _has_letters(one)), None)


def _has_letters(font: Font) -> bool:
    empty = _draw(_TRIAL.format(""), font)
    return all(_draw(_TRIAL.format(sample), font) != empty for sample in _SAMPLES)


def png_of(svg: str) -> bytes | None:
    """None without a font."""
    font = picture_font()
    return _draw(svg, font) if font else None


def _draw(svg: str, font: Font) -> bytes:
    """Text of the family ``sans-serif`` in this font; no other font of the system is looked at."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=[str(font.path)],
            sans_serif_family=font.family,
        )
    )


def check_font(**_options: object) -> list[CheckMessage]:
    if picture_font():
        return []
    hint = "Install fonts-wqy-microhei, or set PICTURE_FONT and PICTURE_FONT_FAMILY."
    return [Info("Links have no preview pictures: no font was found.", hint, id="portal.I001")]
