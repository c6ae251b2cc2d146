"""The text of a window as HTML: marked, with line numbers, and with every character visible.

``static/js/context.js`` renders the windows that it fetches in the same way.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from scoring.problems import UNSEEN
from scoring.text.text_index import Span, Window

# They are shown as their code point, and have no effect.
_CONTROL = re.compile(f"(?P<control>[{UNSEEN}]|\r(?!\n))|(?P<line>\n)")


class Mark(NamedTuple):
    span: Span  # characters of the context
    kind: str  # a class of the stylesheet


def html_of(
    window: Window, marks: Sequence[Mark], place: int, line: int | None, *, begins_line: bool
) -> SafeString:
    """``place`` is the character with the anchor of links; ``line`` is the number of the first
    line, or None if lines are not numbered. A line's number stands where the line begins."""
    writer = _Writer(line, begins_line)
    start, end = window.characters
    edges = {start, end, place, *(edge for mark in marks for edge in mark.span)}
    parts: list[str] = []
    for first, last in pairwise(sorted(edge for edge in edges if start <= edge <= end)):
        if first == place:
            parts.append(_ANCHOR)
        shown = writer.written(window.text[first - start : last - start])
        parts.append(_marked(shown, first, [mark for mark in marks if _covers(mark, first, last)]))
    if place == end:
        parts.append(_ANCHOR)
    return mark_safe("".join(parts))  # noqa: S308 - of escaped parts


_ANCHOR = "<span data-anchor></span>"


def _covers(mark: Mark, first: int, last: int) -> bool:
    return mark.span[0] <= first and last <= mark.span[1]


def _marked(shown: SafeString, first: int, marks: Sequence[Mark]) -> SafeString:
    if not marks:
        return shown
    kinds = " ".join(dict.fromkeys(mark.kind for mark in marks))
    return format_html('<mark class="{}" data-character="{}">{}</mark>', kinds, first, shown)


class _Writer:
    """Writes the parts of a text one after another."""

    def __init__(self, line: int | None, begins_line: bool) -> None:
        self._line, self._is_due = line, begins_line

    def written(self, text: str) -> SafeString:
        return mark_safe("".join(self._parts(text)))  # noqa: S308 - of escaped parts

    def _parts(self, text: str) -> Iterator[str]:
        place = 0
        for found in _CONTROL.finditer(text):
            if found.start() > place:
                yield from self._number()
                yield escape(text[place : found.start()])
            yield from self._number()
            if found["line"]:
                yield "\n"
                self._line = None if self._line is None else self._line + 1
                self._is_due = True
            else:
                yield f'<i class="control" data-code="{ord(found[0]):04X}"></i>'
            place = found.end()
        if text[place:]:
            yield from self._number()
            yield escape(text[place:])

    def _number(self) -> Iterator[str]:
        if self._is_due and self._line is not None:
            yield f'<i class="line" data-line="{self._line}"></i>'
        self._is_due = False
