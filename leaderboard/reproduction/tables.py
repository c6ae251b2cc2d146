"""Each printed number beside the result of the released files here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import OuterRef

from leaderboard.reproduction.publications import (
    AVERAGE,
    FOLLOWS,
    PUBLICATIONS,
    REASONS,
    Number,
    Publication,
    PublishedRow,
    Reason,
    published_rows,
)
from portal.models import Evaluation, Submission, TaskScore
from portal.scores.scores import REPORTED_UNDER
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.stats import rounded

_PLACES = 2  # decimal places in the paper


class Released(NamedTuple):
    """A historical entry: the scores of its files under the rules of the paper, with their own
    labels."""

    id: str
    model: str
    strategy: str  # of prompting, as stored
    evaluation: int
    percents: Mapping[str, float]  # by task
    sizes: Mapping[str, int]  # number of examples with a label

    @property
    def average(self) -> float | None:
        """Over all tasks; None if one is missing."""
        if len(self.percents) < len(TASKS):
            return None
        return sum(self.percents.values()) / len(self.percents)


class Cell(NamedTuple):
    """A printed number and its counterpart."""

    row: PublishedRow
    task: str  # or ``AVERAGE``
    number: Number
    percent: float | None  # from the released files; None: they are not here
    reason: Reason | None = (
        None  # for the difference; None if there is no difference or no known reason
    )

    @property
    def state(self) -> str:
        """``equal``, ``explained``, ``unexplained``, or ``no-files``."""
        if self.percent is None:
            return "no-files"
        if self.number.is_of(self.percent):
            return "equal"
        return "explained" if self.reason else "unexplained"

    @property
    def recomputed(self) -> str:
        return "" if self.percent is None else str(rounded(self.percent, _PLACES))

    @property
    def task_title(self) -> str:
        return TASKS[self.task].title if self.task in TASKS else "Average"


class Line(NamedTuple):
    """A task, across the models of a table."""

    title: str
    cells: Sequence[Cell | None]


class Table(NamedTuple):
    publication: Publication
    columns: Sequence[tuple[PublishedRow, Released | None]]
    lines: Sequence[Line]

    @property
    def cells(self) -> list[Cell]:
        return [cell for line in self.lines for cell in line.cells if cell]

    @property
    def checked(self) -> int:
        """How many numbers have released files here."""
        return sum(cell.state != "no-files" for cell in self.cells)

    @property
    def equal(self) -> int:
        return sum(cell.state == "equal" for cell in self.cells)

    @property
    def differences(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.state in ("explained", "unexplained")]


def released_entries() -> list[Released]:
    """The published historical entries of the models in these tables, those with the most tasks
    first; takes two queries."""
    models = {row.model for one in PUBLICATIONS for row in published_rows(one.id)}
    historical = Submission.objects.published().filter(origin=Submission.Origin.HISTORICAL)
    named = historical.filter(language_model__name__in=models)
    current = named.annotate(current=Evaluation.objects.current_of(OuterRef("pk")))
    columns = ("slug", "language_model__name", "prompt_strategy", "current")
    rows = list(current.order_by("-created", "-pk").values_list(*columns))
    percents: dict[int, dict[str, float]] = {}
    sizes: dict[int, dict[str, int]] = {}
    scores = TaskScore.objects.filter(
        evaluation__in=[evaluation for *_rest, evaluation in rows if evaluation],
        metric_set=REPORTED_UNDER,
        evaluation__submission__release__hidden=False,
    )
    for evaluation, task, mean, size in scores.values_list("evaluation", "task", "mean", "size"):
        percents.setdefault(evaluation, {})[task] = mean
        sizes.setdefault(evaluation, {})[task] = size
    found = [
        Released(slug or "", model, strategy, evaluation, percents[evaluation], sizes[evaluation])
        for slug, model, strategy, evaluation in rows
        if evaluation in percents
    ]
    return sorted(found, key=lambda one: -len(one.percents))


def read_tables(entries: Sequence[Released]) -> list[Table]:
    return [table_of(publication, entries) for publication in PUBLICATIONS]


def table_of(publication: Publication, entries: Sequence[Released]) -> Table:
    """A pure function. If a model has several entries, the first one counts."""
    rows = published_rows(publication.id)
    columns = [(row, _released(row, entries)) for row in rows]
    cells = [_cells(publication, row, released) for row, released in columns]
    tasks = [task for task in (*BOARD_ORDER, AVERAGE) if any(task in of_row for of_row in cells)]
    titles = {AVERAGE: "Average"} | {task: TASKS[task].title for task in TASKS}
    lines = [Line(titles[task], [of_row.get(task) for of_row in cells]) for task in tasks]
    return Table(publication, columns, lines)


def _released(row: PublishedRow, entries: Iterable[Released]) -> Released | None:
    of_model = (one for one in entries if one.model == row.model)
    if row.run:
        return next((one for one in of_model if one.strategy == row.run), None)
    return next(of_model, None)


def _cells(
    publication: Publication, row: PublishedRow, released: Released | None
) -> dict[str, Cell]:
    reasons = REASONS.get(publication.id, {}).get(row.model, {}) if not row.run else {}
    percents: dict[str, float | None] = {}
    if released:
        percents = {**released.percents, AVERAGE: released.average}
    cells = {
        task: Cell(row, task, number, percents.get(task), reasons.get(task))
        for task, number in row.numbers.items()
    }
    if AVERAGE in cells and any(cell.state == "explained" for cell in cells.values()):
        cells[AVERAGE] = cells[AVERAGE]._replace(reason=FOLLOWS)
    return cells
