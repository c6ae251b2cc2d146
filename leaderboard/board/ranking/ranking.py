"""Rank entries: pure functions whose results do not depend on the input order."""

import dataclasses
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from statistics import fmean
from typing import NamedTuple

from leaderboard.board.ranking.facets import FACETS
from leaderboard.columns import Column
from leaderboard.entries import Entry, Mark, System
from portal.models import spelled_alike
from portal.scores.comparison.runs import Runs
from portal.scores.scores import ByTask, Score, mean_of, percent_of
from scoring.stats import rounded

_DECIMALS = 2  # of a score as printed; ranks depend on it
_TRUST_ORDER = {mark: position for position, mark in enumerate(Mark)}  # most trusted first


class Quality(NamedTuple):
    """What decides between the entries of a system, most important first."""

    has_rank: bool  # in the overall column
    is_from_here: bool  # not only reported
    score: float  # as printed; 0 for those without a rank: the best would be there by luck
    tasks: int  # with all their questions
    sampled: int  # number of questions in a sample
    trust: int
    created: datetime
    id: str


class Candidate(NamedTuple):
    """An entry with everything that ranks and filters need, computed once for many views of a
    board."""

    entry: Entry
    system: System
    percents: tuple[float | None, ...]  # in the order of the columns
    facets: tuple[tuple[str, ...], ...]  # its values, in the order of ``FACETS``
    text: str  # the text that a search looks in
    quality: Quality  # the board shows the entry of a system with the greatest
    order: tuple[int, str, str]  # among entries with equal scores

    def ranks_with(self, column: int) -> Decimal | None:
        """Its score in the column as printed. None if it is not ranked: it lacks a task, is a
        control or a baseline, or its score is an estimate from some of the questions."""
        return None if self.entry.has_no_rank else printed_percent(self.percents[column])


class Line(NamedTuple):
    """An entry on a board."""

    # On the whole board; None: the ranking column lacks a task, or not all questions were asked.
    rank: int | None
    entry: Entry
    columns: Sequence[Column]  # of the board
    percents: Sequence[float | None]  # in the order of the columns
    # The range of indistinguishable ranks; None: not computed yet.
    rank_low: int | None = None
    rank_high: int | None = None
    filtered_rank: int | None = None  # among the lines that are shown
    is_pinned: bool = False

    def ranks_with(self, column: int) -> Decimal | None:
        """As ``Candidate.ranks_with``."""
        return None if self.entry.has_no_rank else printed_percent(self.percents[column])

    @property
    def rank_text(self) -> str:
        """A range once it is known how many ranks are indistinguishable."""
        if self.rank_low is None or self.rank_high is None:
            return "" if self.rank is None else str(self.rank)
        is_one = self.rank_low == self.rank_high
        return str(self.rank_low) if is_one else f"{self.rank_low}–{self.rank_high}"

    @property
    def scores(self) -> list[Score | None]:
        """In the order of the columns. Computing them for all lines would cost more than the rest
        of the board, so this is only for lines that are shown."""
        return [score_of(column, self.entry.scores) for column in self.columns]


def candidates_of(
    entries: Iterable[Entry], columns: Sequence[Column], known: Mapping[str, Candidate]
) -> list[Candidate]:
    """``known`` has by entry id those computed earlier for the same columns; they are reused if
    still right."""
    return [
        found
        if (found := known.get(entry.id)) and found.entry == entry
        else _candidate(entry, columns)
        for entry in entries
    ]


def _candidate(entry: Entry, columns: Sequence[Column]) -> Candidate:
    overall, model = columns[0], entry.model
    percents = tuple(percent_in(column, entry.scores) for column in columns)
    score, trust = printed_percent(percents[0]), _TRUST_ORDER[entry.mark]
    texts = (model.name, entry.method, model.organisation, model.slug, *model.aliases)
    return Candidate(
        entry=entry,
        system=entry.system,
        percents=percents,
        facets=tuple(facet.of(entry, overall.tasks) for facet in FACETS),
        text="\n".join(map(spelled_alike, texts)),
        quality=Quality(
            score is not None and not entry.has_no_rank,
            entry.mark is not Mark.REPORTED,
            0.0 if entry.has_no_rank else float(score or 0),
            0 if entry.sample else entry.count_scored(overall.tasks),
            entry.sample.asked if entry.sample else 0,
            -trust,
            entry.created,
            entry.id,
        ),
        order=(trust, entry.title.casefold(), entry.id),
    )


def percent_in(column: Column, scores: ByTask) -> float | None:
    return percent_of(column.tasks, scores, column.shares)


def score_of(column: Column, scores: ByTask) -> Score | None:
    return mean_of(column.tasks, scores, column.shares)


def best_of_each_system(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One entry for each combination of model and method: the best one with an overall mean,
    otherwise the one with the most tasks, otherwise the one with the largest sample.

    Repeated runs count as one entry with the mean of their scores. Scores computed here take
    precedence over reported ones: an unchecked number never replaces a checkable one.
    """
    best: dict[System, Candidate] = {}
    for candidate in _with_means_of_runs(candidates):
        known = best.get(candidate.system)
        if known is None or candidate.quality > known.quality:
            best[candidate.system] = candidate
    return list(best.values())


def _with_means_of_runs(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    groups: dict[Runs, list[Candidate]] = {}
    for one in candidates:
        if one.entry.runs:
            groups.setdefault(one.entry.runs, []).append(one)
        else:
            yield one
    for runs, group in groups.items():
        if len(group) == len(runs):
            yield _mean_of_runs(group)
        else:
            yield from group


def _mean_of_runs(group: Sequence[Candidate]) -> Candidate:
    """Represented by the newest of them. They have the same tasks, so either all are complete or
    none is."""
    oldest_first = sorted(group, key=lambda one: (one.entry.created, one.entry.id))
    newest = oldest_first[-1]
    entry = dataclasses.replace(
        newest.entry,
        scores={
            task: Score(fmean(one.entry.scores[task].percent for one in group))
            for task in newest.entry.scores
        },
        run_ids=[one.entry.id for one in oldest_first],
        is_run_by_us=all(one.entry.is_run_by_us for one in group),
    )
    columns = zip(*(one.percents for one in group), strict=True)
    known = ([one for one in column if one is not None] for column in columns)
    return newest._replace(
        entry=entry,
        percents=tuple(fmean(column) if column else None for column in known),
        quality=newest.quality._replace(score=fmean(one.quality.score for one in group)),
    )


def ranks(values: Sequence[Decimal | float | None]) -> list[int | None]:
    """The rank of each value, from the greatest; ties share a rank: 1, 2, 2, 4.

    None gets no rank and takes none from the others.
    """
    order = ascending(values)
    return [rank_in(order, value) for value in values]


def ascending(values: Iterable[Decimal | float | None]) -> list[Decimal | float]:
    """The values that have a rank, for ``rank_in``."""
    return sorted(value for value in values if value is not None)


def rank_in(order: Sequence[Decimal | float], value: Decimal | float | None) -> int | None:
    """The rank that a value has among others, which are in ascending order."""
    return None if value is None else len(order) - bisect_right(order, value) + 1


def ranked(
    candidates: Iterable[Candidate], column: int, tasks: Collection[str]
) -> list[tuple[Decimal | None, Candidate]]:
    """With their scores in one of the columns, best first.

    Scores are compared as printed, so that an invisible difference decides nothing. Of equal scores
    the more trusted one comes first. Then come entries without a rank in that column: those with
    the most of its tasks first, and among these those with the best estimates. Then come readers
    that go by rules, and last controls, grouped by model.
    """

    def order(
        pair: tuple[Decimal | None, Candidate],
    ) -> tuple[int, Decimal | int, float, tuple[int, str, str]]:
        percent, candidate = pair
        if candidate.entry.control:
            return 3, 0, 0.0, candidate.order
        if candidate.entry.model.baseline:
            return 2, 0, -(candidate.percents[column] or 0.0), candidate.order
        if percent is None:
            estimate = candidate.percents[column] or 0.0
            return 1, -candidate.entry.count_scored(tasks), -estimate, candidate.order
        return 0, -percent, 0.0, candidate.order

    return sorted(((one.ranks_with(column), one) for one in candidates), key=order)


def printed_percent(percent: float | None) -> Decimal | None:
    return None if percent is None else rounded(percent, _DECIMALS)
