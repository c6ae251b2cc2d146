"""Strategies of one language model side by side: the same questions, prompted in different ways."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.entries import Entry
from leaderboard.pages.entries.entry import EntryDetails
from portal.models import Release
from portal.releases.titles import task_title
from portal.scores.comparison.differences import (
    Difference,
    Verdict,
    comparison_among,
)
from portal.scores.comparison.runs import SETTINGS
from portal.scores.scores import ByTask, Score, scores_by_set
from portal.scores.vectors import read_vectors
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.stats import rounded

MOST = 4  # strategies


class Strategy(NamedTuple):
    entry: Entry
    name: str  # what distinguishes it, as stated
    setup: tuple[object, ...]
    evaluation: int
    scores: ByTask
    release: Release


class Cell(NamedTuple):
    name: str  # of the strategy
    score: Score | None
    difference: Difference | None  # to the first strategy: this one minus the first

    @property
    def text(self) -> str:
        return "" if self.score is None else str(rounded(self.score.percent, 2))


class Row(NamedTuple):
    task: Task
    cells: Sequence[Cell]  # one for each strategy


class Strategies(NamedTuple):
    finding: str
    strategies: Sequence[Strategy]
    rows: Sequence[Row]
    release: Release  # of the first strategy

    @property
    def comparison(self) -> str:
        """The address of the page that compares them."""
        ids = zip("abcd", self.strategies, strict=False)
        query = urlencode({letter: one.entry.id for letter, one in ids})
        return f"{reverse('compare')}?{query}"


def strategies_of(entries: Iterable[EntryDetails], metric_set: str) -> Strategies | None:
    """The entry with the most tasks, preferably no control, and beside it the newest one of every
    other setup that answered some of its questions; None if there is no other.

    Only for releases with public labels: differences disclose verdicts.
    """
    found = []
    for details in entries:
        submission, evaluation = details.submission, details.evaluation
        if submission and evaluation and not submission.release.hidden:
            setup = (submission.method, *(getattr(submission, name) for name in SETTINGS))
            scores = scores_by_set(evaluation, exact=True)[metric_set]
            parts = [submission.method, submission.prompt_strategy]
            name = ", ".join(part for part in parts if part) or "strategy not stated"
            found.append(
                Strategy(details.entry, name, setup, evaluation.pk, scores, submission.release)
            )
    if len({one.setup for one in found}) < 2:
        return None
    first = max(found, key=lambda one: (one.entry.control is None, len(one.scores)))
    vectors = read_vectors([one.evaluation for one in found], metric_set)
    of_first = vectors.get(first.evaluation, {})
    differences: dict[int, dict[str, Difference]] = {}
    shown = {first.setup: first}
    for other in found:
        if other.setup in shown or len(shown) == MOST:
            continue
        own = vectors.get(other.evaluation, {})
        samples = [one.entry.sample for one in (first, other) if one.entry.sample]
        compare = comparison_among(samples)
        paired = {task: compare(own, of_first, [task]) for task in BOARD_ORDER}
        shared = {task: one for task, one in paired.items() if one and one.n}
        if shared:
            shown[other.setup], differences[other.evaluation] = other, shared
    if not differences:
        return None
    strategies = list(shown.values())
    rows = [
        Row(
            TASKS[task],
            [
                Cell(one.name, one.scores.get(task), differences.get(one.evaluation, {}).get(task))
                for one in strategies
            ],
        )
        for task in BOARD_ORDER
        if any(task in shared for shared in differences.values())
    ]
    return Strategies(_finding(strategies, rows), strategies, rows, first.release)


def _finding(strategies: Sequence[Strategy], rows: Sequence[Row]) -> str:
    """The largest difference that is not explained by chance."""
    apart = [
        (abs(cell.difference.points), row, place)
        for row in rows
        for place, cell in enumerate(row.cells)
        if cell.difference and cell.difference.verdict in (Verdict.BETTER, Verdict.WORSE)
    ]
    if not apart:
        return "no difference that could not be chance"
    _points, row, place = max(apart, key=lambda one: one[0])
    difference = row.cells[place].difference
    return "{task}: {a} ({first}) against {b} ({other}), {p}".format(
        task=task_title(row.task.id, strategies[0].release),
        first=strategies[0].name,
        a=row.cells[0].text,
        other=strategies[place].name,
        b=row.cells[place].text,
        p=difference.p_text if difference else "",
    )
