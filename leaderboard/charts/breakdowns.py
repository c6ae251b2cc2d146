"""The breakdowns of an entry for its page: for each task as many as its data allow."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from leaderboard.charts.findings import effective_context_text, finding_of
from leaderboard.charts.plots import Plot, plot_of
from leaderboard.example_links import bin_parameters
from leaderboard.queries import has_controls
from portal.endpoint_runs.results.context_gain import evidence_only_of
from portal.models import Evaluation
from portal.scores.breakdowns import read_answers
from portal.scores.titles import SettingsLine
from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import Breakdown, By, break_down, known_facets
from scoring.breakdowns.effective_context import effective_context
from scoring.catalog import BOARD_ORDER, TASKS, Task

_BY_TITLES: dict[By, str] = {
    By.LENGTH: "by length",
    By.DEPTH: "by position of the evidence",
    By.LENGTH_DEPTH: "by length and position",
    By.HOPS: "by number of facts",  # that the answer combines
    By.KIND: "by kind of question",
}
_CALLS = "by function calls"  # the hops of Code.Run
_PARTS = {By.LENGTH_DEPTH: 6}  # more would be illegible


class Figure(NamedTuple):
    breakdown: Breakdown
    title: str
    finding: str
    plot: Plot
    is_paired: bool  # on a ladder, which also has the differences to the shortest length
    hrefs: Sequence[str] = ()  # of the examples in each bin

    @property
    def query(self) -> str:
        """The query parameters of its files."""
        by = self.breakdown.by
        parts = {"bins": _PARTS[by]} if by in _PARTS else {}
        return urlencode({"task": self.breakdown.task, "by": by.value, **parts})

    @property
    def rows(self) -> list[tuple[Bin, str]]:
        hrefs = self.hrefs or [""] * len(self.breakdown.bins)
        return list(zip(self.breakdown.bins, hrefs, strict=True))

    def with_links(self, link: Callable[..., str]) -> "Figure":
        """``link`` gives the address of the list of examples with these parameters."""
        by, plot = self.breakdown.by, self.plot
        linked = plot._replace(
            points=[one._replace(href=link(*bin_parameters(one.bin, by))) for one in plot.points],
            cells=[one._replace(href=link(*bin_parameters(one.bin, by))) for one in plot.cells],
        )
        hrefs = [link(*bin_parameters(one, by)) for one in self.breakdown.bins]
        return self._replace(plot=linked, hrefs=hrefs)


class TaskFigures(NamedTuple):
    task: Task
    figures: Sequence[Figure]
    missing: int  # answers
    empty: int
    missing_href: str = ""
    empty_href: str = ""

    def with_links(self, link: Callable[..., str]) -> "TaskFigures":
        return self._replace(
            figures=[figure.with_links(link) for figure in self.figures],
            missing_href=link(("is", "missing")),
            empty_href=link(("is", "empty")),
        )


class EntryFigures(NamedTuple):
    tasks: Sequence[TaskFigures]
    unknown: Sequence[Task]  # nothing is known about their examples that would make a picture
    effective: str  # effective context over all tasks, in words; empty: it cannot be shown


def answers_of(evaluation: Evaluation, metric_set: str) -> dict[str, TaskAnswers]:
    """By task, what an entry's figures are made from. Empty for hidden releases."""
    is_asked = has_controls(evaluation.submission)
    controls = evidence_only_of({evaluation.pk}) if is_asked else {}
    return read_answers(evaluation.pk, metric_set, control=controls.get(evaluation.pk))


def figures_of(
    answers: Mapping[str, TaskAnswers],
    claimed: int | None = None,
    run: SettingsLine | None = None,
) -> EntryFigures:
    """``claimed`` is the context window of the model in tokens, ``run`` the settings of the run."""
    tasks, unknown = [], []
    for task in BOARD_ORDER:
        if task not in answers:
            continue
        of_task = answers[task]
        drawn = (figure_of(of_task, by, claimed, run) for by in known_facets(of_task))
        figures = [figure for figure in drawn if figure]
        if figures:
            missing, empty = len(of_task.missing), len(of_task.empty)
            tasks.append(TaskFigures(TASKS[task], figures, missing, empty))
        else:
            unknown.append(TASKS[task])
    context = effective_context(list(answers.values()))
    effective = effective_context_text(context, claimed) if context else ""
    return EntryFigures(tasks, unknown, effective)


def figure_of(
    answers: TaskAnswers, by: By, claimed: int | None = None, run: SettingsLine | None = None
) -> Figure | None:
    """None if nothing is known that distinguishes the examples."""
    found = break_down(answers, by, *([_PARTS[by]] if by in _PARTS else []))
    return figure_from(found, claimed, run) if found else None


def figure_from(
    breakdown: Breakdown, claimed: int | None = None, run: SettingsLine | None = None
) -> Figure | None:
    """None for a single mean, which is no picture, and for a grid with a single length, which would
    repeat the picture of positions."""
    filled = [one for one in breakdown.bins if one.n]
    lengths = {one.start for one in filled}
    if len(filled) < 2 or (breakdown.by is By.LENGTH_DEPTH and len(lengths) < 2):
        return None
    is_paired = any(one.paired for one in breakdown.bins)
    finding, plot = finding_of(breakdown, claimed), plot_of(breakdown, claimed, run)
    return Figure(breakdown, title_of(breakdown), finding, plot, is_paired)


def title_of(breakdown: Breakdown) -> str:
    if breakdown.by is By.HOPS and breakdown.task == "code_run":
        return _CALLS
    return _BY_TITLES[breakdown.by]
