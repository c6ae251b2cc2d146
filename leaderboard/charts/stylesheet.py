"""The stylesheet of chart files: the rules of the pages, in a form that every program reads.

Pages use the colours of ``base.css``, which are custom properties with a value for each theme, in a
notation that few programs know. Files have the light theme's colours as hexadecimal numbers, and
neither properties nor ``:is()``: a rule with a property that a class sets, such as the hue of a
domain, is copied for each of these classes.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from django.conf import settings

_FILES = ("charts.css", "ladder.css")
_CLASSES = ("components.css", *_FILES)  # its classes set properties
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_AT_RULE = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")  # one level of nesting
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMA = re.compile(r",\s*(?![^()]*\))")  # outside of brackets
_LIST = re.compile(r":is\(([^()]*)\)")
_VARIABLE = re.compile(r"var\((--[-a-z0-9]+)\)")
_NOT = re.compile(r":not\([^()]*\)")
_CLASS = re.compile(r"\.([a-z][-a-z0-9]*)")
_OKLCH = re.compile(r"oklch\(([0-9.]+) ([0-9.]+) ([0-9.]+)\)")
_REM = re.compile(r"\b([0-9.]+)rem\b")
_PIXELS = 16  # of a rem
# The properties that style marks; the layout of the page around a picture is left out.
_MARKS = re.compile(r"(fill|stroke|opacity|paint|font-size|font-weight|text-anchor)(-[a-z]+)*")
_NOT_IN_FILES = re.compile(
    r":(hover|focus|target|has)|\b(figcaption|summary|details|table|nav|small|h3|p)\b"
)

Properties = Mapping[str, str]


class _Rule(NamedTuple):
    selector: str
    declarations: Properties


def styles_of(classes: Collection[str]) -> str:
    """The rules for marks with these classes, one a line."""
    return "\n".join(
        f"{selector}{{{declarations}}}"
        for selector, declarations in _all_rules()
        if set(_CLASS.findall(_NOT.sub("", selector))).issubset(classes)
    )


@lru_cache(maxsize=1)
def _all_rules() -> list[tuple[str, str]]:
    [root] = [rule for rule in _read("base.css") if rule.selector == ":root"][:1]
    classes = [
        _Rule(rule.selector, declarations)
        for name in _CLASSES
        for rule in _read(name)
        if (declarations := _properties(rule)) and (name in _FILES or "domain-" in rule.selector)
    ]
    # Catch-all rules (``:not``) come first, so that the others override them.
    classes.sort(key=lambda rule: ":not" not in rule.selector)
    return [
        found
        for name in _FILES
        for rule in _read(name)
        if not _NOT_IN_FILES.search(rule.selector)
        for found in _literal_rules(rule, root.declarations, classes)
    ]


def _read(name: str) -> list[_Rule]:
    """The rules of a stylesheet with one selector each, except those for particular media."""
    css = (settings.BASE_DIR / "static" / "css" / name).read_text("utf-8")
    rules = _RULE.findall(_AT_RULE.sub("", _COMMENT.sub("", css)))
    return [
        _Rule(one, _declarations(body))
        for selectors, body in rules
        for selector in _COMMA.split(" ".join(selectors.split()))
        for one in _without_lists(selector)
    ]


def _declarations(body: str) -> Properties:
    pairs = (line.partition(":") for line in body.split(";") if line.strip())
    return {name.strip(): " ".join(value.split()) for name, _, value in pairs}


def _without_lists(selector: str) -> Iterator[str]:
    """``a :is(b, c)`` becomes ``a b`` and ``a c``."""
    parts = _LIST.split(selector)
    choices = [part.split(", ") if place % 2 else [part] for place, part in enumerate(parts)]
    yield from map("".join, product(*choices))


def _properties(rule: _Rule) -> Properties:
    found = rule.declarations.items()
    return {name: value for name, value in found if name.startswith("--")}


def _literal_rules(
    rule: _Rule, root: Properties, classes: Sequence[_Rule]
) -> Iterator[tuple[str, str]]:
    marks = {name: value for name, value in rule.declarations.items() if _MARKS.fullmatch(name)}
    if plain := _literals(marks, root):
        yield rule.selector, plain
    scoped = {
        name: value
        for name, value in marks.items()
        if any(one not in root for one in _VARIABLE.findall(value))
    }
    first, _, last = rule.selector.rpartition(" ")
    for one in classes if scoped else ():
        if literal := _literals(scoped, {**root, **one.declarations}):
            setter = _NOT.sub("", one.selector).rpartition(" ")[2]
            yield f"{first.partition(' ')[0]} {setter} {last}", literal  # set around the mark
            yield f"{first} {last}{setter}", literal  # set on the mark itself


def _literals(declarations: Properties, properties: Properties) -> str:
    """The rules whose properties are known, with their values filled in."""
    found = ((name, _literal(value, properties)) for name, value in declarations.items())
    return ";".join(f"{name}:{value}" for name, value in found if value)


def _literal(value: str, properties: Properties) -> str:
    while found := _VARIABLE.search(value):
        if found[1] not in properties:
            return ""
        value = value.replace(found[0], properties[found[1]])
    if value.startswith("light-dark("):
        value = value.removeprefix("light-dark(").partition("), ")[0] + ")"  # the light one
    value = _REM.sub(lambda size: f"{float(size[1]) * _PIXELS:g}px", value)
    return _OKLCH.sub(lambda colour: _hexadecimal(*map(float, colour.groups())), value)


def _hexadecimal(lightness: float, chroma: float, hue: float) -> str:
    """From OKLCH to sRGB (Björn Ottosson, “A perceptual color space for image processing”)."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _encoded(min(1.0, max(0.0, one)))):02x}" for one in linear)


def _encoded(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
