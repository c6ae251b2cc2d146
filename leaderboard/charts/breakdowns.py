"""The breakdowns of an entry as its page shows them: for each task all that is known of it."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.charts.findings import effective_context_text, finding_of
from leaderboard.charts.plots import Plot, plot_of
from portal.scores.breakdowns import read_answers
from scoring.breakdowns.breakdown import Breakdown, By, break_down, known_facets
from scoring.breakdowns.effective_context import effective_context
from scoring.catalog import BOARD_ORDER, TASKS, Task

BY_TITLES: dict[By, str | Promise] = {
    By.LENGTH: _("by length"),
    By.DEPTH: _("by position of the evidence"),
    By.LENGTH_DEPTH: _("by length and position"),
    By.HOPS: _("by function calls"),
    By.KIND: _("by kind of question"),
}
_PARTS = {By.LENGTH_DEPTH: 6}  # of a picture; files have more


class Figure(NamedTuple):
    breakdown: Breakdown
    title: str | Promise
    finding: str
    plot: Plot
    is_paired: bool  # on a ladder: with the differences to the shortest length


class TaskFigures(NamedTuple):
    task: Task
    figures: Sequence[Figure]
    missing: int  # answers
    empty: int


class EntryFigures(NamedTuple):
    tasks: Sequence[TaskFigures]
    unknown: Sequence[Task]  # of whose examples nothing is known that would make a picture
    effective: str  # context over all tasks, in words; empty: it cannot be shown


def figures_of(evaluation: int, metric_set: str, claimed: int | None = None) -> EntryFigures:
    """Empty for hidden releases. ``claimed``: the context window of the model, in tokens."""
    answers = read_answers(evaluation, metric_set)
    tasks, unknown = [], []
    for task in BOARD_ORDER:
        if task not in answers:
            continue
        of_task = answers[task]
        figures = []
        for by in known_facets(of_task):
            found = break_down(of_task, by, *([_PARTS[by]] if by in _PARTS else []))
            if found and _can_be_drawn(found):
                is_paired = any(one.paired for one in found.bins)
                plot, finding = plot_of(found, claimed), finding_of(found, claimed)
                figures.append(Figure(found, BY_TITLES[by], finding, plot, is_paired))
        if figures:
            missing, empty = len(of_task.missing), len(of_task.empty)
            tasks.append(TaskFigures(TASKS[task], figures, missing, empty))
        else:
            unknown.append(TASKS[task])
    context = effective_context(list(answers.values()))
    effective = effective_context_text(context, claimed) if context else ""
    return EntryFigures(tasks, unknown, effective)


def _can_be_drawn(breakdown: Breakdown) -> bool:
    """A single mean is no picture, and a grid with a single length is the picture of positions."""
    filled = [one for one in breakdown.bins if one.n]
    starts = {one.start for one in filled}
    return len(filled) > 1 and (breakdown.by is not By.LENGTH_DEPTH or len(starts) > 1)
