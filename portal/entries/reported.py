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

from portal.audit.records import describe, log_record
from portal.board_version import raise_board_version
from portal.errors import UserError
from portal.language_models.services import LanguageModelError, get_or_create_site_model
from portal.models import LanguageModel, ReportedEntry, ReportedScore
from scoring.catalog import TASKS

_AVERAGE = "avg_as_published"
_REQUIRED = ("model", "source")
_KNOWN = (*_REQUIRED, "organisation", "weights", *TASKS, _AVERAGE, "note")
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
    """Create or update an entry for each row of a table, identified by model and source.

    Returns how many were new, changed and unchanged. Entries that are not in the table stay. Raises
    ``ReportedError`` for anything wrong in the table, and ``OSError``; nothing is stored then.
    """
    report(f"reading {file}")
    rows = read_reported(file)
    with transaction.atomic():
        try:
            counts = Counter(_store(row, report) for row in rows)
        except LanguageModelError as error:
            raise ReportedError(file, [str(error)]) from error
        if counts["new"] or counts["changed"]:
            raise_board_version()
    summary = ", ".join(f"{counts[word]} {word}" for word in ("new", "changed", "as before"))
    report(f"{len(rows)} rows: {summary}")
    return counts


# The table


def read_reported(file: Path) -> list[Row]:
    """The rows of a table. Raises ``ReportedError`` with all its problems, ``OSError``."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReportedError(
            file, [f"It is not UTF-8 (byte {error.start}): save it as UTF-8."]
        ) from error
    (_, header), *records = [*_records(file, text)] or [(1, [])]
    if problems := list(_faults_of_header(header)):
        raise ReportedError(file, problems)
    if not records:
        raise ReportedError(file, ["It has no rows."])
    lines = [_Line(number, header, cells) for number, cells in records]
    problems = [f"line {line.number}: {fault}" for line in lines for fault in line.faults()]
    first: dict[tuple[str, str], int] = {}
    for line in lines:
        key = (line.cell("model"), line.cell("source"))
        if first.setdefault(key, line.number) != line.number:
            problems.append(f"line {line.number}: same model and source as line {first[key]}.")
    if problems:
        raise ReportedError(file, problems)
    return [line.row() for line in lines]


def _records(file: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the number of its first line, without blank ones."""
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
    for name in _REQUIRED:
        if name not in header:
            yield f"line 1: there is no column “{name}”."
    for name in sorted({*header} - {*_KNOWN}):
        yield f"line 1: unknown column “{name}”; the columns are {', '.join(_KNOWN)}."
    for name, times in Counter(header).items():
        if times > 1:
            yield f"line 1: the column “{name}” appears {times} times."


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    header: Sequence[str]
    cells: Sequence[str]

    def cell(self, name: str) -> str:
        return dict(zip(self.header, self.cells, strict=False)).get(name, "").strip()

    def faults(self) -> Iterator[str]:
        if len(self.cells) != len(self.header):
            yield f"{len(self.cells)} cells, and the header has {len(self.header)}."
            return
        yield from (f"“{name}” is empty." for name in _REQUIRED if not self.cell(name))
        for name, cap in _CAPS.items():
            if len(self.cell(name)) > cap or "\0" in self.cell(name):
                yield f"“{name}” is longer than {cap} characters, or contains a NUL."
        if self.cell("weights") not in LanguageModel.Weights.values:
            yield f"“weights” is “{self.cell('weights')}”; write open, closed or nothing."
        for name in (*TASKS, _AVERAGE):
            if self.cell(name) and _percent(self.cell(name)) is None:
                yield f"{name} is “{self.cell(name)}”; write 0 to 100, or nothing."
        if not any(map(self.cell, TASKS)):
            yield "there is no score in it."

    def row(self) -> Row:
        """The checked values of a line without faults."""
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
    """The number, or None if it is no percentage, as NaN is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None


# The entries


def _store(row: Row, report: Callable[[str], None]) -> str:
    """Store a row. Returns what happened: new, changed, as before."""
    model = get_or_create_site_model(row.model, organisation=row.organisation, weights=row.weights)
    entry = ReportedEntry.objects.filter(language_model=model, source=row.source).first()
    before = describe(entry) if entry else {}
    entry = entry or ReportedEntry(language_model=model, source=row.source)
    stored = dict(entry.scores.values_list("task", "percent")) if before else {}
    if before and (entry.note, entry.average, stored) == (row.note, row.average, row.scores):
        return "as before"
    entry.note, entry.average = row.note, row.average
    entry.save()
    entry.scores.all().delete()
    ReportedScore.objects.bulk_create(
        ReportedScore(entry=entry, task=task, percent=percent)
        for task, percent in row.scores.items()
    )
    after = describe(entry)
    changes = log_record(entry, before, after, by=None)
    if not before:
        return "new"
    for name in changes:
        report(f"{row.model}: {name} was {before[name] or '·'}, is {after[name] or '·'}")
    return "changed"
