"""Metric sets side by side: the scores of an entry, and the ranks on a board, under each."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from leaderboard.board.metric_ranks import RankedLine
from leaderboard.charts.slopes import MOST_LINES, Series, Slopes, rank_slopes, score_slopes
from leaderboard.pages.entries.ranks import EntryRanks
from portal.scores.comparison.metric_sets import TaskUnderSets
from portal.web.csv_files import csv_file
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS
from scoring.stats import rounded

_ARROW = " → "
_STEPS = list(pairwise(METRIC_SETS))  # from each metric set to the next


class EntryFigure(NamedTuple):
    finding: str
    slopes: Slopes
    tasks: Sequence[TaskUnderSets]

    @property
    def has_counts(self) -> bool:
        """Whether any line has a number on it."""
        return any(one.counts for one in self.slopes.slopes)


def entry_figure(tasks: Sequence[TaskUnderSets], ranks: EntryRanks | None) -> EntryFigure:
    texts = {one.task: [str(rounded(percent, 1)) for percent in one.percents] for one in tasks}
    series = [
        Series(
            one.task,
            TASKS[one.task].title,
            TASKS[one.task].domain,
            one.percents,
            texts[one.task],
            counts=[change.examples for change in one.changes],
        )
        for one in tasks
    ]
    notes = []
    if ranks and ranks.shared:
        notes = [f"rank {rank}" for rank in ranks.shared]
    most = max(tasks, key=lambda one: (max(one.percents) - min(one.percents), one.changed))
    finding = "the three metrics agree in every example"
    if most.changed:
        scores = _ARROW.join(str(rounded(percent, 2)) for percent in most.percents)
        about = {"task": TASKS[most.task].title, "scores": scores}
        finding = "{task} depends most on the metric: {scores}".format(**about)
    if ranks and len(set(ranks.shared)) > 1:
        places = {"ranks": _ARROW.join(ranks.shared), "n": ranks.shared_count}
        rank = "overall rank {ranks} of {n}".format(**places)
        finding = f"{finding}; {rank}"
    return EntryFigure(finding, score_slopes(series, notes), tasks)


def entry_document(entry: str, tasks: Iterable[TaskUnderSets]) -> dict[str, Any]:
    """For programs; scores in percent."""
    return {
        "entry": entry,
        "tasks": {
            one.task: {
                "n": one.n,
                "scores": dict(zip(METRIC_SETS, one.percents, strict=True)),
                "changes": [
                    {"from": before, "to": after, "gained": change.gained, "lost": change.lost}
                    for (before, after), change in zip(_STEPS, one.changes, strict=True)
                ],
            }
            for one in tasks
        },
    }


def entry_csv(entry: str, tasks: Iterable[TaskUnderSets]) -> str:
    """A header, and two rows for each task: from each metric set to the next."""
    names = ("entry", "task", "n", "from", "to", "score_from", "score_to", "gained", "lost")
    rows = [
        (
            *(entry, one.task, one.n, before, after, start, end),
            *(len(change.gained), len(change.lost)),
            *(" ".join(map(str, keys)) for keys in (change.gained, change.lost)),
        )
        for one in tasks
        for (before, after), (start, end), change in zip(
            _STEPS, pairwise(one.percents), one.changes, strict=True
        )
    ]
    return csv_file((*names, "gained_ids", "lost_ids"), rows)


class BoardFigure(NamedTuple):
    finding: str
    slopes: Slopes
    left_out: int  # number of entries that are not in the picture


def board_figure(lines: Sequence[RankedLine]) -> BoardFigure:
    """The entries that are best under some metric set."""
    best = sorted(lines, key=lambda line: min(one.rank for one in line.ranks))[:MOST_LINES]
    slopes = rank_slopes(
        [
            Series(
                line.entry.id,
                line.entry.title,
                "",
                [one.rank for one in line.ranks],
                [str(one.rank) for one in line.ranks],
                [one.score_text for one in line.ranks],
            )
            for line in best
        ]
    )
    return BoardFigure(_board_finding(lines), slopes, len(lines) - len(best))


def _board_finding(lines: Sequence[RankedLine]) -> str:
    def moves(line: RankedLine) -> int:
        places = [one.rank for one in line.ranks]
        return max(places) - min(places)

    def change(line: RankedLine) -> float:
        percents = [one.score.percent for one in line.ranks]
        return max(percents) - min(percents)

    most = max(lines, key=lambda line: (moves(line), change(line)))
    scores = _ARROW.join(one.score_text for one in most.ranks)
    if not change(most):
        return "no score and no rank depends on the metric"
    if not moves(most):
        return f"no rank changes; the score of {most.entry.title} changes most: {scores}"
    ranks = _ARROW.join(str(one.rank) for one in most.ranks)
    return f"{most.entry.title} moves most: rank {ranks}, score {scores}"


def board_document(release: str, column: str, lines: Iterable[RankedLine]) -> dict[str, Any]:
    return {
        "release": release,
        "ranked_by": column,
        "entries": [
            {
                "entry": line.entry.id,
                "model": line.entry.model.name,
                "method": line.entry.method or None,
                "metric_sets": {
                    name: {
                        "percent": one.score.percent,
                        "rank": one.rank,
                        "rank_low": one.low,
                        "rank_high": one.high,
                    }
                    for name, one in zip(METRIC_SETS, line.ranks, strict=True)
                },
            }
            for line in lines
        ],
    }


def board_csv(release: str, column: str, lines: Iterable[RankedLine]) -> str:
    """A header, and a row for each entry."""
    names = [
        f"{name}{suffix}"
        for name in METRIC_SETS
        for suffix in ("", "_rank", "_rank_low", "_rank_high")
    ]
    rows = [
        (
            *(release, column, line.entry.id, line.entry.model.name, line.entry.method),
            *(
                figure
                for one in line.ranks
                for figure in (one.score.percent, one.rank, one.low, one.high)
            ),
        )
        for line in lines
    ]
    return csv_file(("release", "ranked_by", "entry", "model", "method", *names), rows)
