"""Reported entries: numbers typed from papers and model cards, each with its source.

A table is a CSV file with a header line: ``model``, ``source``, a column for each task by its id,
and, if known, ``method``, ``link`` (the address of the source), ``avg_as_published``, ``note``,
``organisation`` and ``weights`` (open or closed). Numbers are percentages; an empty cell says that
the source has none. Names may be spelled as the source spells them
(``portal.language_models.known``).
"""

import csv
import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from portal.audit.records import describe, log_record
from portal.board_version import raise_board_version
from portal.entry_slugs import assign_slug
from portal.errors import UserError
from portal.language_models.known import split_published_name
from portal.language_models.services import LanguageModelError, get_or_create_site_model
from portal.models import LanguageModel, ReportedEntry, ReportedScore
from scoring.catalog import TASKS

_AVERAGE = "avg_as_published"
_REQUIRED = ("model", "source")
_KNOWN = (*_REQUIRED, "method", "link", "organisation", "weights", *TASKS, _AVERAGE, "note")
_CAPS = {  # characters
    "model": 120, "method": 80, "organisation": 120, "source": 200, "link": 200, "note": 300
}  # fmt: skip
_WEB_ADDRESS = re.compile(r"(https://[!-~]+)?")
_ARXIV = re.compile(r"\barXiv:([0-9]{4}\.[0-9]{4,5})\b")
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

    model: str  # as the source spells it
    method: str
    source: str
    link: str
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
    first: dict[tuple[str, str, str], int] = {}
    for line in lines:
        key = (*_system(line.cell("model"), line.cell("method")), line.cell("source"))
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
        if not _WEB_ADDRESS.fullmatch(self.cell("link")):
            yield f"“link” is “{self.cell('link')}”; write an https address, or nothing."
        if not any(map(self.cell, TASKS)):
            yield "there is no score in it."

    def row(self) -> Row:
        """The checked values of a line without faults."""
        found = {name: _percent(self.cell(name)) for name in (*TASKS, _AVERAGE)}
        return Row(
            model=self.cell("model"),
            method=self.cell("method"),
            source=self.cell("source"),
            link=self.cell("link") or _paper(self.cell("source")),
            organisation=self.cell("organisation"),
            weights=self.cell("weights"),
            note=self.cell("note"),
            average=found.pop(_AVERAGE),
            scores={task: percent for task, percent in found.items() if percent is not None},
        )


def _paper(source: str) -> str:
    """The address of the paper that a source names by its arXiv number; empty without one."""
    found = _ARXIV.search(source)
    return f"https://arxiv.org/abs/{found[1]}" if found else ""


def _system(published: str, method: str) -> tuple[str, str]:
    """The language model and the method that a row is about."""
    model, known_method = split_published_name(published)
    return model, method or known_method


def _percent(text: str) -> float | None:
    """The number, or None if it is not a percentage (NaN is not)."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None


# The entries


def _store(row: Row, report: Callable[[str], None]) -> str:
    """Store a row. Returns what happened: new, changed, as before."""
    name, method = _system(row.model, row.method)
    model = get_or_create_site_model(name, organisation=row.organisation, weights=row.weights)
    known = {"language_model": model, "method": method, "source": row.source}
    entry = ReportedEntry.objects.filter(**known).first()
    before = describe(entry) if entry else {}
    entry = entry or ReportedEntry(**known)
    listed_as = "" if row.model == name else f"Listed there as “{row.model}”."
    note = " ".join(filter(None, (listed_as, row.note)))
    stored = dict(entry.scores.values_list("task", "percent")) if before else {}
    found = (entry.note, entry.link, entry.average, stored)
    if before and found == (note, row.link, row.average, row.scores):
        return "as before"
    entry.note, entry.link, entry.average = note, row.link, row.average
    entry.save()
    entry.scores.all().delete()
    ReportedScore.objects.bulk_create(
        ReportedScore(entry=entry, task=task, percent=percent)
        for task, percent in row.scores.items()
    )
    after = describe(entry)
    changes = log_record(entry, before, after, by=None)
    if not before:
        assign_slug(entry)
        return "new"
    for column in changes:
        report(f"{row.model}: {column} was {before[column] or '·'}, is {after[column] or '·'}")
    return "changed"
