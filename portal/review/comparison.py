"""The scores of each task beside those of other entries of the language model."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from portal.models import ReportedEntry
from portal.review.facts import Facts, Other
from portal.scores.scores import Score
from portal.scores.table import TaskRow
from scoring.metrics import METRIC_SETS

RULES = next(iter(METRIC_SETS))  # those of the papers, under which most can be compared
_OTHERS = 4  # columns fit beside one another
_REPORTED = 2


class TaskBeside(NamedTuple):
    title: str
    scores: list[Score | None]  # of this submission, then of each other entry


class Beside(NamedTuple):
    metric_set: str
    others: list[Other]
    reported: list[ReportedEntry]
    tasks: list[TaskBeside]


def tasks_beside(facts: Facts) -> Beside | None:
    """None where there is nothing to compare with."""
    others = [other for other in facts.others if other.by_set][:_OTHERS]
    reported = facts.reported[:_REPORTED]
    if not (facts.tasks and (others or reported)):
        return None
    columns = [other.by_set[RULES] for other in others]
    columns += [
        {score.task: Score(score.percent) for score in one.scores.all()} for one in reported
    ]
    return Beside(RULES, others, reported, list(_rows(facts.tasks, columns)))


def _rows(tasks: list[TaskRow], columns: list[Mapping[str, Score]]) -> Iterator[TaskBeside]:
    for row in tasks:
        beside = [scores.get(row.id) for scores in columns]
        yield TaskBeside(row.title, [row.scores[0], *beside])
