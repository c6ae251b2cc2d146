"""Reported entries: numbers typed from papers and model cards, each with its source.

A table is a CSV file with a header line: ``model``, ``source``, a column for each task by its id,
and, if known, ``avg_as_published``, ``note``, ``organisation`` and ``weights`` (open or closed).
Numbers are percentages; an empty cell says that the source has none.
"""

import csv
import io
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from portal.board_version import raise_board_version
from portal.errors import UserError
from portal.language_models.services import LanguageModelError, get_or_create_site_model
from portal.models import LanguageModel, ReportedEntry, ReportedScore
from scoring.catalog import TASKS

_AVERAGE = "avg_as_published"
_NEEDED = ("model", "source")
_KNOWN = (*_NEEDED, "organisation", "weights", *TASKS, _AVERAGE, "note")
_CAPS = {"model": 120, "organisation": 120, "source": 200, "note": 300}  # characters
_SHOWN = 20  # problems named at once

log = logging.getLogger(__name__)


class ReportedError(UserError):
    """The table cannot be imported; the message lists every problem with its line."""

    def __init__(self, file: Path, problems: Sequence[str]) -> None:
        more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
        lines = [f"{file} was not imported:", *problems[:_SHOWN], *more]
        super().__init__("\n  ".join(lines))


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table that has been checked."""

    model: str
    source: str
    organisation: str
    weights: str
    note: str
    average: float | None  # percent, as the scores
    scores: Mapping[str, float]  # by task


def import_reported(file: Path, *, report: Callable[[str], None] = log.info) -> Counter[str]:
    """Bring a table into the database: rows are known by model and source, and brought up to date.

    Returns how many were new, changed and as they were. Entries that the table does not have stay.
    Raises ``ReportedError`` for anything wrong in the table, ``OSError``; nothing is stored then.
    """
    report(f"reading {file}")
    rows = read_reported(file)
    with transaction.atomic():
        try:
            counts = Counter(_keep(row, report) for row in rows)
        except LanguageModelError as error:
            raise ReportedError(file, [str(error)]) from error
        if counts["new"] or counts["changed"]:
            raise_board_version()
    said = ", ".join(f"{counts[word]} {word}" for word in ("new", "changed", "as before"))
    report(f"{len(rows)} rows: {said}")
    return counts


# The table


def read_reported(file: Path) -> list[Row]:
    """The rows of a table. Raises ``ReportedError`` with all its problems, ``OSError``."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReportedError(file, [f"It is not UTF-8 (byte {error.start}): save it so."]) from error
    (_, header), *records = [*_records(file, text)] or [(1, [])]
    if problems := list(_faults_of_header(header)):
        raise ReportedError(file, problems)
    checked = [_Line(number, header, cells) for number, cells in records]
    problems = [problem for line in checked for problem in line.faults()]
    if problems := [*problems, *_faults_of_all(checked)]:
        raise ReportedError(file, problems)
    return [line.row() for line in checked]


def _records(file: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the number of its first line, blank ones left out."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    first = 1
    try:
        for cells in lines:
            if any(cells):
                yield first, cells
            first = lines.line_num + 1
    except csv.Error as error:
        raise ReportedError(file, [f"line {first}: {error}."]) from error


def _faults_of_header(header: Sequence[str]) -> Iterator[str]:
    for name in _NEEDED:
        if name not in header:
            yield f"line 1: there is no column “{name}”."
    for name in sorted({*header} - {*_KNOWN}):
        yield f"line 1: there is no such column as “{name}”; there are {', '.join(_KNOWN)}."
    for name, times in Counter(header).items():
        if times > 1:
            yield f"line 1: the column “{name}” comes {times} times."


def _faults_of_all(lines: Sequence["_Line"]) -> Iterator[str]:
    if not lines:
        yield "It has no rows."
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        key = (line.cell("model"), line.cell("source"))
        if seen.setdefault(key, line.number) != line.number:
            yield f"line {line.number}: model and source are those of line {seen[key]}."


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    header: Sequence[str]
    cells: Sequence[str]

    def cell(self, name: str) -> str:
        return dict(zip(self.header, self.cells, strict=False)).get(name, "").strip()

    def faults(self) -> Iterator[str]:
        return (f"line {self.number}: {fault}" for fault in self._faults())

    def _faults(self) -> Iterator[str]:
        if len(self.cells) != len(self.header):
            yield f"{len(self.cells)} cells, and the header has {len(self.header)}."
            return
        yield from (f"“{name}” is empty." for name in _NEEDED if not self.cell(name))
        for name, cap in _CAPS.items():
            if len(self.cell(name)) > cap or "\0" in self.cell(name):
                yield f"“{name}” is longer than {cap} characters, or holds a NUL."
        if self.cell("weights") not in LanguageModel.Weights.values:
            yield f"“weights” is “{self.cell('weights')}”; write open, closed or nothing."
        for name in (*TASKS, _AVERAGE):
            if self.cell(name) and _percent(self.cell(name)) is None:
                yield f"{name} is “{self.cell(name)}”; write 0 to 100, or nothing."
        if not any(map(self.cell, TASKS)):
            yield "there is no score in it."

    def row(self) -> Row:
        """What the line says, when it has no faults."""
        found = {name: _percent(self.cell(name)) for name in (*TASKS, _AVERAGE)}
        return Row(
            model=self.cell("model"),
            source=self.cell("source"),
            organisation=self.cell("organisation"),
            weights=self.cell("weights"),
            note=self.cell("note"),
            average=found.pop(_AVERAGE),
            scores={task: percent for task, percent in found.items() if percent is not None},
        )


def _percent(text: str) -> float | None:
    """The number, or None where it is no percentage; not a number is none either."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None


# The entries


def _keep(row: Row, report: Callable[[str], None]) -> str:
    """Store a row. Returns what happened: new, changed, as before."""
    model = get_or_create_site_model(row.model, organisation=row.organisation, weights=row.weights)
    facts = {"note": row.note, "average": row.average}
    entry, is_new = ReportedEntry.objects.get_or_create(
        language_model=model, source=row.source, defaults=facts
    )
    before = _told(entry.note, entry.average, {s.task: s.percent for s in entry.scores.all()})
    after = _told(row.note, row.average, row.scores)
    if not is_new and before == after:
        return "as before"
    ReportedEntry.objects.filter(pk=entry.pk).update(**facts)
    entry.scores.all().delete()
    ReportedScore.objects.bulk_create(
        ReportedScore(entry=entry, task=task, percent=percent)
        for task, percent in row.scores.items()
    )
    if is_new:
        return "new"
    for name in (name for name in after if before.get(name) != after[name]):
        report(f"{row.model}: {name} was {before[name] or '·'}, is {after[name] or '·'}")
    return "changed"


def _told(note: str, average: float | None, scores: Mapping[str, float]) -> dict[str, str]:
    """An entry as text, to find and tell what has changed."""
    numbers = {"average": average} | {task.title: scores.get(task.id) for task in TASKS.values()}
    return {"note": note} | {name: "" if n is None else f"{n:.10g}" for name, n in numbers.items()}
