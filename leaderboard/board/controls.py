"""What a reader can choose on the page of a board: links, and the fields of its form."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.board.board import Board
from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.columns import Column, Kind
from leaderboard.entries import Mark
from leaderboard.names import MARKS
from leaderboard.queries import BoardRelease
from scoring.metrics import METRIC_SETS

_IN_THE_FORM = ("sort", "weights", "entries", "marks", "q")  # names of an address


class Choice(NamedTuple):
    """A link or an option, one of several."""

    value: str
    title: str | Promise
    is_chosen: bool
    href: str = ""


class Head(NamedTuple):
    """Of a column: its link sorts by it."""

    column: Column
    href: str
    aria_sort: str  # empty: it does not sort


class MarkChoice(NamedTuple):
    value: Mark
    glyph: str
    title: str | Promise
    meaning: str | Promise
    entries: int
    is_chosen: bool


class Controls(NamedTuple):
    said: str  # what is chosen, apart from the release
    releases: list[Choice]
    metric_sets: list[Choice]
    sorts: list[Choice]
    weights: list[Choice]
    entries: list[Choice]
    marks: list[MarkChoice]
    hidden: list[tuple[str, str]]  # what the form has no field for
    heat: Choice  # each leads to the opposite
    errors: Choice
    everything: str  # without a search


def controls_of(board: Board, releases: Iterable[BoardRelease]) -> Controls:
    filters = board.filters
    return Controls(
        said=" · ".join(_said(board)),
        releases=list(_releases(board, releases)),
        metric_sets=[
            Choice(name, name, name == filters.metric_set, filters.but(metric_set=name).href)
            for name in METRIC_SETS
        ],
        sorts=[
            Choice(value, title, value == filters.sort) for value, title in _sorts(board.columns)
        ],
        weights=_options(filters.weights, _weights()),
        entries=_options(filters.entries, _entries()),
        marks=[
            MarkChoice(mark, *MARKS[mark], board.marks.get(mark, 0), mark in filters.marks)
            for mark in Mark
        ],
        hidden=[pair for pair in filters.pairs() if pair[0] not in _IN_THE_FORM],
        heat=_switch(filters, "heat", _("Hide shading"), _("Show shading")),
        errors=_switch(filters, "errors", _("Hide standard errors"), _("Show standard errors")),
        everything=filters.but(search="", weights="any", marks=tuple(Mark)).href,
    )


def _said(board: Board) -> Iterator[str]:
    """In words, what the address of the board says, and by which rules it is scored."""
    filters, plain = board.filters, Filters()
    if filters.sort != plain.sort:
        yield dict(_sorts(board.columns))[filters.sort]
    yield filters.metric_set
    if filters.entries != plain.entries:
        yield _entries()[filters.entries]
    if filters.weights != plain.weights:
        yield _weights()[filters.weights]
    if filters.marks != plain.marks:
        yield ", ".join(str(MARKS[mark].title) for mark in filters.marks)
    if filters.search:
        yield f"“{filters.search}”"


def _entries() -> dict[str, str]:
    return {"best": _("best entry of each model"), "all": _("all entries")}


def _weights() -> dict[str, str]:
    return {"any": _("any weights"), "open": _("open weights"), "closed": _("closed weights")}


def heads_of(board: Board) -> list[Head]:
    return [_head(column, board.filters) for column in board.columns]


def head_of_models(filters: Filters) -> Head:
    """Of the column of names."""
    column = Column(BY_MODEL, Kind.OVERALL, _("Model"), ())
    head = _head(column, filters)
    opposite = {"ascending": "descending", "descending": "ascending"}
    return head._replace(aria_sort=opposite.get(head.aria_sort, ""))  # A first is ascending


def _head(column: Column, filters: Filters) -> Head:
    order = {"forward": "descending", "back": "ascending"}[filters.direction]
    sorts = order if filters.sort == column.id else ""
    return Head(column, filters.sorted_by(column.id).href, sorts)


def _releases(board: Board, releases: Iterable[BoardRelease]) -> Iterator[Choice]:
    for release in releases:
        href = f"{reverse('board', args=[release.slug])}{board.filters}"
        yield Choice(release.slug, release.title, release.slug == board.release.slug, href)


def _sorts(columns: Iterable[Column]) -> Iterator[tuple[str, str]]:
    for column in columns:
        yield column.id, str(column.title)
    yield BY_MODEL, _("Model name")


def _options(chosen: str, titles: dict[str, str]) -> list[Choice]:
    return [Choice(value, title, value == chosen) for value, title in titles.items()]


def _switch(filters: Filters, field: str, turn_off: str, turn_on: str) -> Choice:
    is_on = getattr(filters, field) == "on"
    href = filters.but(**{field: "off" if is_on else "on"}).href
    return Choice(field, turn_off if is_on else turn_on, is_on, href)
