"""The controls on the page of a board: links, and the fields of its form."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.board.board import Board
from leaderboard.board.choices import (
    Chip,
    FacetChoice,
    HiddenNote,
    chips_of,
    count_in_words,
    facet_choices,
    hidden_notes,
)
from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.board.ranking.facets import FACETS
from leaderboard.columns import (
    GROUP_TITLES,
    Column,
    Kind,
    group_of,
    is_board,
    selection_of,
)
from leaderboard.queries import BoardRelease
from portal.scores.titles import DOMAIN_TITLES, METRIC_SET_TITLES
from portal.scores.trust import TRUST, Trust
from scoring.catalog import DOMAINS, GROUPS, OVERALL, TASKS, tasks_of
from scoring.metrics import PAPER_SET
from scoring.stats import rounded

# The query parameters that the form with the filters has fields for.
_FORM_FIELDS = {"sort", "entries", "q", "pin", *(facet.name for facet in FACETS)}
_LETTERS = "abcd"  # parameters of the compared entries in ``leaderboard.comparison``


class Choice(NamedTuple):
    """A link or an option, one of several."""

    value: str
    title: str
    is_chosen: bool
    href: str = ""
    tooltip: str = ""


class Head(NamedTuple):
    """The head of a column, whose link sorts by it."""

    column: Column
    href: str
    aria_sort: str  # empty: the board is not sorted by it
    difference: str = ""  # in points, for neighbours to be distinguishable


class MarkLegend(NamedTuple):
    value: Trust
    title: str
    meaning: str


class TaskChoice(NamedTuple):
    task: str
    title: str
    is_chosen: bool
    weight: str


class DomainChoice(NamedTuple):
    title: str
    tasks: list[TaskChoice]


class Pages(NamedTuple):
    number: int
    all: int
    before: str  # empty: this is the first one
    after: str


class Controls(NamedTuple):
    summary: str  # of all choices but the release
    releases: list[Choice]
    metric_sets: list[Choice]
    sorts: list[Choice]
    entries: list[Choice]
    facets: list[FacetChoice]
    more_chosen: int  # the number of chosen values in other facets
    marks: list[MarkLegend]
    hidden: list[tuple[str, str]]  # choices without a field in the form
    heat: Choice  # this link and the next toggle a switch
    errors: Choice
    everything: str  # the address without filters
    shown: str  # how many entries, in words
    chips: list[Chip]
    notes: list[HiddenNote]
    boards: list[Choice]  # by all tasks, or by a named group of tasks
    own_tasks: list[DomainChoice]
    own_tasks_hidden: list[tuple[str, str]]
    own_selection: bool  # rather than a named group of tasks
    unpinned: str
    compare: str  # the page that compares the pinned entries; empty: too few or too many
    baseline: Choice | None  # makes the first pinned entry the baseline
    pages: Pages


def controls_of(board: Board, releases: Iterable[BoardRelease]) -> Controls:
    filters, facets = board.filters, facet_choices(board)
    is_default = filters.entries == Filters().entries
    return Controls(
        summary=summary_of(board),
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
        entries=[
            Choice(value, title, value == filters.entries) for value, title in _entries().items()
        ],
        facets=facets,
        more_chosen=sum(one.chosen for one in facets if not one.in_front) + (not is_default),
        marks=_legend(board),
        hidden=[pair for pair in filters.pairs() if pair[0] not in _FORM_FIELDS],
        heat=_switch(filters, "heat", "Hide shading", "Show shading"),
        errors=_switch(filters, "errors", "Hide intervals", "Show intervals"),
        everything=filters.without_filters().href,
        shown=count_in_words(board),
        chips=chips_of(board),
        notes=hidden_notes(board),
        boards=_boards(board),
        own_tasks=_own_tasks(board),
        own_tasks_hidden=[
            pair for pair in filters.pairs() if pair[0] not in ("tasks", "sort", "dir", "page")
        ],
        own_selection=bool(filters.tasks) and not group_of(filters.tasks),
        compare=_compare(board),
        baseline=_baseline(board),
        unpinned=filters.replace(pins=()).href,
        pages=_pages(board),
    )


def summary_of(board: Board) -> str:
    return " · ".join(_summary(board))


def _summary(board: Board) -> Iterator[str]:
    """The metric set, and every choice that differs from the default."""
    filters, default = board.filters, Filters()
    if filters.sort != default.sort:
        yield dict(_sorts(board.columns))[filters.sort]
    yield str(METRIC_SET_TITLES[filters.metric_set].title)
    if filters.entries != default.entries:
        yield _entries()[filters.entries]
    if filters.tasks:
        yield str(board.columns[0].title)
    yield from (
        f"“{chip.title}”" if chip.is_search else str(chip.title) for chip in chips_of(board)
    )


def _entries() -> dict[str, str]:
    return {"best": "best of each model and method", "all": "all entries"}


def _boards(board: Board) -> list[Choice]:
    """By all tasks, by each domain, and by realistic and synthetic tasks, where they exist."""
    filters, included = board.filters, board.release.sizes
    choices = [("", (), "Overall")] + [
        (name, selection_of(dict.fromkeys(tasks, 1.0)), GROUP_TITLES[name])
        for name, tasks in GROUPS.items()
        if is_board(name, included)
    ]
    return [
        Choice(
            name,
            title,
            tasks == filters.tasks,
            filters.replace(tasks=tasks, sort=OVERALL, direction="forward").href,
        )
        for name, tasks, title in choices
    ]


def _own_tasks(board: Board) -> list[DomainChoice]:
    chosen = dict(board.filters.tasks)
    return [
        DomainChoice(
            DOMAIN_TITLES[domain],
            [
                TaskChoice(task, TASKS[task].title, task in chosen, f"{chosen.get(task, 1):g}")
                for task in tasks_of(domain)
                if task in board.release.sizes
            ],
        )
        for domain in DOMAINS
        if any(task in board.release.sizes for task in tasks_of(domain))
    ]


def _compare(board: Board) -> str:
    """The address of the page that compares the pinned entries, under the board's metric."""
    if not 2 <= len(board.pinned) <= len(_LETTERS):
        return ""
    query = dict(zip(_LETTERS, (line.entry.id for line in board.pinned), strict=False))
    if board.filters.metric_set != PAPER_SET:
        query["metric_set"] = board.filters.metric_set
    return f"{reverse('compare')}?{urlencode(query)}"


def _baseline(board: Board) -> Choice | None:
    """None if nothing is pinned, or if differences are shown already."""
    ids = {line.entry.id for line in board.all_lines}
    pinned = [line.entry for line in board.pinned if line.entry.id in ids]
    if not pinned or board.baseline:
        return None
    href = board.filters.replace(baseline=pinned[0].id).href
    return Choice(pinned[0].id, pinned[0].title, False, href)


def _pages(board: Board) -> Pages:
    filters, number = board.filters, board.filters.page
    return Pages(
        number,
        board.pages,
        filters.replace(page=number - 1).href if number > 1 else "",
        filters.replace(page=number + 1).href if number < board.pages else "",
    )


def column_heads(board: Board) -> list[Head]:
    """Each with the difference that is significant in it, as far as entries have been compared."""
    known = board.ranges.smallest_differences
    heads = []
    for column in board.columns:
        points = rounded(known.get(board.compared_column(column)) or 0.0, 1)
        heads.append(_head(column, board.filters)._replace(difference=str(points or "")))
    return heads


def model_head(filters: Filters) -> Head:
    """The head of the column of names."""
    column = Column(BY_MODEL, Kind.OVERALL, "Model", ())
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
    yield BY_MODEL, "Model name"


def _legend(board: Board) -> list[MarkLegend]:
    """Most trusted first; runs by this site where there are any."""
    degrees = [
        one for one in reversed(Trust) if one is not Trust.RUN or one in board.counts["trust"]
    ]
    return [MarkLegend(trust, *TRUST[trust]) for trust in degrees]


def _switch(filters: Filters, field: str, turn_off: str, turn_on: str) -> Choice:
    is_on = getattr(filters, field) == "on"
    href = filters.replace(**{field: "off" if is_on else "on"}).href
    return Choice(field, turn_off if is_on else turn_on, is_on, href)
