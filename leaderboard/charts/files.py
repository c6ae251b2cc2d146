"""A picture of a page as a file of its own: SVG that needs no stylesheet, script or font.

A page draws a picture with a template of ``templates/charts/`` inside of ``<svg>``, in a figure
with a class that ``charts.css`` knows. The file holds the output of the same template, and the same
rules: whatever a template draws and ``charts.css`` styles has its file with one call::

    picture = Picture("charts/_plot.html", {"plot": plot}, plot.width, plot.height, title, notes)
    return svg_response(request, picture, "name.svg")
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from leaderboard.cache import conditional_response
from leaderboard.charts.stylesheet import styles_of
from leaderboard.charts.texts import FONTS, lines_of
from portal.web.file_responses import as_attachment

SVG = "image/svg+xml; charset=utf-8"
_MARGIN = 12
_TITLE, _NOTE = 11, 8  # font sizes
_BOLD = 1.17  # times the width of regular type
_LEADING = 1.4
_SCALE = 2  # pixels for each unit of the drawing, which is small on pages
_CLASSES = re.compile(r'\bclass="([^"]*)"')
# Forbidden in XML 1.0, but names may contain them.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Picture(NamedTuple):
    template: str  # draws its marks
    context: Mapping[str, object]
    width: float  # of the drawing, in the units of the marks
    height: float
    title: str  # above it: the subject and the finding
    notes: Sequence[str]  # below it: data, metric, date
    css: str = "plot"  # the class of the figure


def notes_of(title: str, facts: Iterable[str], path: str) -> list[str]:
    """The lines below a picture: what it shows, under which conditions, and where its page is."""
    return [title, " · ".join(filter(None, facts)), f"{settings.SITE_URL}{path}"]


class _Line(NamedTuple):
    text: str
    y: float


def svg_file(picture: Picture) -> str:
    title = _lines(lines_of(picture.title, _TITLE * _BOLD, picture.width), _TITLE, _MARGIN)
    top = _MARGIN + _TITLE * _LEADING * len(title) + _MARGIN / 2
    below = [line for note in picture.notes for line in lines_of(note, _NOTE, picture.width)]
    notes = _lines(below, _NOTE, top + picture.height + _MARGIN / 2)
    height = top + picture.height + _NOTE * _LEADING * len(notes) + 1.5 * _MARGIN
    drawing = render_to_string(picture.template, dict(picture.context))
    classes = {"value", *picture.css.split(), *" ".join(_CLASSES.findall(drawing)).split()}
    context = {
        "picture": picture,
        "drawing": drawing,
        "styles": styles_of(classes),
        "fonts": FONTS,
        "title": title,
        "notes": notes,
        "sizes": (_TITLE, _NOTE),
        "left": _MARGIN,
        "top": round(top, 1),
        "box": (picture.width + 2 * _MARGIN, round(height, 1)),
        "pixels": (_SCALE * (picture.width + 2 * _MARGIN), round(_SCALE * height)),
    }
    return as_xml(render_to_string("charts/file.svg", context))


def _lines(texts: Sequence[str], size: float, top: float) -> list[_Line]:
    return [
        _Line(text, round(top + size * (1 + _LEADING * number), 1))
        for number, text in enumerate(texts)
    ]


def as_xml(text: str) -> str:
    """Without the characters that XML forbids."""
    return _NO_XML.sub("", text).lstrip()


def svg_response(request: HttpRequest, picture: Picture, name: str) -> HttpResponse:
    response = HttpResponse(svg_file(picture), content_type=SVG)
    attachment = as_attachment(response, name, cache="private, no-cache")
    return conditional_response(request, attachment)
