"""Figures 4 and 5 of the paper, as far as the released files allow: by calls and by position.

The runs on shorter inputs were not released. The position of the evidence in En.Dia is unknown
without the contexts.
"""

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.charts.breakdowns import Figure, figure_of
from leaderboard.reproduction.tables import Released
from portal.scores.breakdowns import read_answers
from portal.scores.scores import REPORTED_UNDER
from scoring.breakdowns.breakdown import By
from scoring.catalog import TASKS, Task

_FIGURES = (
    ("code_run", By.HOPS),
    ("passkey", By.DEPTH),
    ("number_string", By.DEPTH),
    ("kv_retrieval", By.DEPTH),
)


class ModelFigure(NamedTuple):
    entry: Released
    figure: Figure


class TaskFigures(NamedTuple):
    """The figures of a task, one for each language model."""

    task: Task
    by: By
    figures: Sequence[ModelFigure]


def read_figures(entries: Sequence[Released]) -> list[TaskFigures]:
    """For the first entry of each language model; without tasks that nobody answered."""
    first = list({entry.model: entry for entry in reversed(entries)}.values())
    tasks = [task for task, _by in _FIGURES]
    answers = {one.id: read_answers(one.evaluation, REPORTED_UNDER, tasks) for one in first}
    found = []
    for task, by in _FIGURES:
        figures = [
            ModelFigure(one, figure)
            for one in sorted(first, key=lambda one: one.model.casefold())
            if task in answers[one.id] and (figure := figure_of(answers[one.id][task], by))
        ]
        if figures:
            found.append(TaskFigures(TASKS[task], by, figures))
    return found
