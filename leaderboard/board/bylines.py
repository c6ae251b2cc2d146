"""What stands beside the name of a model in a row of a board."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple
from unicodedata import east_asian_width

from leaderboard.board.board import Line
from leaderboard.entries import Entry

_ROOM = 41  # characters of name and byline that fit beside one another
_LEAST = 6  # of a byline: of fewer nothing can be read


class Byline(NamedTuple):
    text: str
    title: str = ""  # name and byline, where there is no room for both of them in a table
    is_left_out: bool = False  # there, since nothing could be read of it


def bylines_of(lines: Sequence[Line]) -> list[Byline]:
    """The organisation; where a model has several rows, what tells them apart."""
    entries = [line.entry for line in lines]
    rows = Counter(entry.model.slug for entry in entries)
    days = Counter((entry.model.slug, entry.handed_in) for entry in entries)
    return [
        _fitted(entry, _apart(entry, days) if rows[entry.model.slug] > 1 else "")
        for entry in entries
    ]


def _apart(entry: Entry, days: Mapping[tuple[str, date | None], int]) -> str:
    day = entry.handed_in
    if day is None:
        return entry.source
    is_only = days[entry.model.slug, day] == 1
    return day.isoformat() if is_only else f"{entry.at:%Y-%m-%d %H:%M}"


def _fitted(entry: Entry, apart: str) -> Byline:
    name, text = entry.model.name, apart or entry.model.organisation
    room = _ROOM - _width(name)
    if _width(text) <= room:
        return Byline(text)
    return Byline(text, " · ".join(filter(None, (name, text))), is_left_out=room < _LEAST)


def _width(text: Iterable[str]) -> int:
    """In letters of the Latin alphabet."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
