"""The choices on the page of a board: links, and the fields of its form."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.board.board import Board
from leaderboard.board.filters import BY_MODEL, OWN_LABELS, Filters
from leaderboard.columns import Column, Kind
from leaderboard.entries import Mark
from leaderboard.names import MARKS
from leaderboard.queries import BoardRelease
from portal.scores.titles import METRIC_SET_TITLES

_FORM_FIELDS = ("sort", "weights", "entries", "marks", "q", "labels")  # names in a query string


class Choice(NamedTuple):
    """A link or an option, one of several."""

    value: str
    title: str | Promise
    is_chosen: bool
    href: str = ""
    tooltip: str = ""


class Head(NamedTuple):
    """The head of a column, whose link sorts by it."""

    column: Column
    href: str
    aria_sort: str  # empty: the board is not sorted by it


class MarkChoice(NamedTuple):
    value: Mark
    glyph: str
    title: str | Promise
    meaning: str | Promise
    entries: int
    is_chosen: bool


class Controls(NamedTuple):
    summary: str  # of what is chosen, apart from the release
    releases: list[Choice]
    metric_sets: list[Choice]
    sorts: list[Choice]
    weights: list[Choice]
    entries: list[Choice]
    labels: list[Choice]  # empty where there are no label versions
    marks: list[MarkChoice]
    hidden: list[tuple[str, str]]  # choices without a field in the form
    heat: Choice  # this and the next lead to the opposite
    errors: Choice
    everything: str  # without a search


def controls_of(board: Board, releases: Iterable[BoardRelease]) -> Controls:
    filters = board.filters
    return Controls(
        summary=" · ".join(_summary(board)),
        releases=[
            Choice(
                release.slug,
                release.title,
                release.slug == board.release.slug,
                f"{reverse('board', args=[release.slug])}{filters}",
                release.description,
            )
            for release in releases
        ],
        metric_sets=[
            Choice(
                name,
                about.title,
                name == filters.metric_set,
                filters.replace(metric_set=name).href,
                about.tooltip,
            )
            for name, about in METRIC_SET_TITLES.items()
        ],
        sorts=[
            Choice(value, title, value == filters.sort) for value, title in _sorts(board.columns)
        ],
        weights=_options(filters.weights, _weights()),
        entries=_options(filters.entries, _entries()),
        labels=_options(filters.labels, _labels(board)) if board.release.versions else [],
        marks=[
            MarkChoice(mark, *MARKS[mark], board.marks.get(mark, 0), mark in filters.marks)
            for mark in Mark
        ],
        hidden=[pair for pair in filters.pairs() if pair[0] not in _FORM_FIELDS],
        heat=_switch(filters, "heat", _("Hide shading"), _("Show shading")),
        errors=_switch(filters, "errors", _("Hide intervals"), _("Show intervals")),
        everything=filters.replace(search="", weights="any", labels="", marks=tuple(Mark)).href,
    )


def _summary(board: Board) -> Iterator[str]:
    """The metric set, and every choice that is not the default."""
    filters, default = board.filters, Filters()
    if filters.sort != default.sort:
        yield dict(_sorts(board.columns))[filters.sort]
    yield str(METRIC_SET_TITLES[filters.metric_set].title)
    if filters.entries != default.entries:
        yield _entries()[filters.entries]
    if filters.weights != default.weights:
        yield _weights()[filters.weights]
    if filters.labels:
        yield _labels(board)[filters.labels]
    if filters.marks != default.marks:
        yield _(", ").join(str(MARKS[mark].title) for mark in filters.marks)
    if filters.search:
        yield f"“{filters.search}”"


def _entries() -> dict[str, str]:
    return {"best": _("best of each model and method"), "all": _("all entries")}


def _weights() -> dict[str, str]:
    return {"any": _("any weights"), "open": _("open weights"), "closed": _("closed weights")}


def _labels(board: Board) -> dict[str, str]:
    return {"": _("any labels"), **board.release.versions, OWN_LABELS: _("labels of its own")}


def column_heads(board: Board) -> list[Head]:
    return [_head(column, board.filters) for column in board.columns]


def model_head(filters: Filters) -> Head:
    """Of the column of names."""
    column = Column(BY_MODEL, Kind.OVERALL, _("Model"), ())
    head = _head(column, filters)
    opposite = {"ascending": "descending", "descending": "ascending"}
    return head._replace(aria_sort=opposite.get(head.aria_sort, ""))  # A first is ascending


def _head(column: Column, filters: Filters) -> Head:
    order = {"forward": "descending", "back": "ascending"}[filters.direction]
    sorts = order if filters.sort == column.id else ""
    return Head(column, filters.sorted_by(column.id).href, sorts)


def _sorts(columns: Iterable[Column]) -> Iterator[tuple[str, str]]:
    for column in columns:
        yield column.id, str(column.title)
    yield BY_MODEL, _("Model name")


def _options(chosen: str, titles: dict[str, str]) -> list[Choice]:
    return [Choice(value, title, value == chosen) for value, title in titles.items()]


def _switch(filters: Filters, field: str, turn_off: str, turn_on: str) -> Choice:
    is_on = getattr(filters, field) == "on"
    href = filters.replace(**{field: "off" if is_on else "on"}).href
    return Choice(field, turn_off if is_on else turn_on, is_on, href)
