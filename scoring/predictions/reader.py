"""Read prediction files in every known dialect: a file, a directory or an archive.

Untrusted input never raises here: what is wrong becomes a problem with file, line and fix, and
what is left is read. The steps: sources (``archive``) → rows of each file (``rows``) → the files
of each task put together.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from scoring.catalog import TASKS
from scoring.keys import Key
from scoring.limits import LIMITS, Budget, LimitError, Limits
from scoring.predictions.archive import open_path
from scoring.predictions.dialects import (
    ABSENT,
    OFFICIAL,
    Named,
    base_name,
    may_hold_rows,
    named,
    resembling_task,
)
from scoring.predictions.members import ArchiveError, Member, MemberError
from scoring.predictions.rows import Row, RowReader
from scoring.problems import Problem, ProblemLog

__all__ = [
    "ABSENT", "LIMITS", "Key", "Limits", "Predictions", "Row", "TaskPredictions",
    "read_members", "read_predictions",
]  # fmt: skip


_EXAMPLE = "longbook_qa_eng"  # of a task, for advice: nobody's first guess for another one
_DOCUMENTS = {"[Content_Types].xml": "Microsoft Office", "mimetype": "OpenDocument"}  # are zips


@dataclass(slots=True)
class TaskPredictions:
    task: str
    dialect: str
    files: list[str]
    rows: list[Row]

    @property
    def usable(self) -> bool:
        """Whether there is any prediction."""
        return any(row.prediction is not None for row in self.rows)


@dataclass(slots=True)
class Predictions:
    tasks: dict[str, TaskPredictions]  # in the order of the catalogue
    problems: list[Problem]
    digest: str  # SHA-256 of task, key and prediction of every row, however packed and labelled

    @property
    def readable(self) -> bool:
        """Whether there is any prediction at all."""
        return any(task.usable for task in self.tasks.values())


@dataclass(frozen=True, slots=True)
class _FileOfTask:
    reader: RowReader
    named: Named
    is_told: bool  # its name says nothing, and the task was given


def read_predictions(
    path: Path, *, task: str | None = None, limits: Limits = LIMITS
) -> Predictions:
    """What a file, a directory or an archive predicts, with every problem found on the way.

    ``task`` is the task of a single file whose name does not say it. Nothing is extracted, and no
    content of the input raises.
    """
    log = ProblemLog()
    return read_members(path.name, open_path(path, limits, log), log, task=task, limits=limits)


def read_members(
    name: str,
    members: Iterable[Member],
    log: ProblemLog,
    *,
    task: str | None = None,
    limits: Limits = LIMITS,
) -> Predictions:
    """Like ``read_predictions``, of the files in an input called ``name`` that is open already."""
    collection = _Collection(name, task, limits, log)
    tasks: dict[str, TaskPredictions] = {}
    try:
        collection.read(members)
        tasks = collection.tasks()
    except (ArchiveError, MemberError) as error:  # of the archive, of the one file
        log.keep(Problem(error.code, name, params=error.params))
    if not tasks and not any(problem.severity == "error" for problem in log.problems()):
        log.keep(collection.nothing())  # nothing else says why
    return Predictions(tasks, log.problems(), _digest(tasks))


class _Collection:
    """The files read so far, by task."""

    def __init__(self, name: str, task: str | None, limits: Limits, log: ProblemLog) -> None:
        self._input = name
        self._task = task
        self._budget = Budget(limits)
        self._log = log
        self._files: dict[str, list[_FileOfTask]] = {}
        self._unnamed: list[str] = []  # files whose names say nothing
        self._format = ""  # of the input as a whole, where a file in it gives that away

    def read(self, members: Iterable[Member]) -> None:
        """Read the files as far as the limits allow. Raises ``ArchiveError``."""
        try:
            for member in members:
                self._read(member)
        except LimitError as error:
            self._log.add(error.code, file=self._input, limit=error.limit)

    def _read(self, member: Member) -> None:
        own = named(member.name)
        says = own or self._as_told(member.name)
        if not says:
            return
        reader = RowReader(member.name, TASKS[says.task], self._budget, self._log)
        files = self._files.setdefault(says.task, [])
        files.append(_FileOfTask(reader, says, is_told=own is None))
        try:
            reader.read(member.chunks)
        except MemberError as error:
            files.pop()
            self._log.keep(Problem(error.code, member.name, None, says.task, error.params))

    def _as_told(self, name: str) -> Named | None:
        """The task that was given for the one file whose name says nothing."""
        if not may_hold_rows(name) and base_name(name) != base_name(self._input):
            self._log.add("file_ignored", file=name)
            self._format = self._format or _DOCUMENTS.get(name, "")
            return None
        self._unnamed.append(name)
        return Named(self._task) if self._task and len(self._unnamed) == 1 else None

    def nothing(self) -> Problem:
        """Why there is nothing to be scored, where no file is at fault."""
        if self._format:
            return Problem("file_not_rows", self._input, params={"format": self._format})
        return Problem("nothing_to_score", self._input)

    def _report_unnamed(self) -> None:
        """Say of each file that is left out for its name what it should be called."""
        for name in self._unnamed:
            like = resembling_task(name)
            example = like or _EXAMPLE
            params = {"example": example, "title": TASKS[example].title}
            code = "task_unknown"
            if like and (files := self._files.get(like)):
                code, params["beside"] = "task_another_run", files[0].reader.file
            self._log.keep(Problem(code, name, params=params))

    def _check_told(self) -> None:
        """Say where the task that was given does not name exactly one file."""
        task = self._task or ""
        files = [file for files in self._files.values() for file in files]
        if task and len(self._unnamed) > 1:
            first, second, *_ = self._unnamed
            self._log.add("task_ambiguous", task=task, first=first, second=second)
            self._files[task] = [file for file in self._files.get(task, []) if not file.is_told]
        elif task and not self._unnamed and len(files) == 1 and task not in self._files:
            own, file = files[0].named.task, files[0].reader.file
            self._log.add("task_not_needed", file=file, task=own, named=own, told=task)

    def tasks(self) -> dict[str, TaskPredictions]:
        """The files of each task put together; a task with files that exclude each other is out."""
        if self._task is None:
            self._report_unnamed()
        self._check_told()
        together = {task: self._together(task) for task in TASKS if self._files.get(task)}
        return {task: found for task, found in together.items() if found}

    def _together(self, task: str) -> TaskPredictions | None:
        files = sorted(self._files[task], key=lambda file: file.named.part or (0, 0))
        if clash := _clash(files):
            first, second = (file.reader.file for file in clash)
            self._log.add("two_files_for_task", file=second, task=task, first=first, second=second)
            return None
        readers = [file.reader for file in files]
        dialects = dict.fromkeys((reader.dialect or OFFICIAL).name for reader in readers)
        rows: list[Row] = []
        for file in files:
            rows += _gap(file, len(rows)) + file.reader.rows
        if not rows:
            return None  # an empty file answers nothing, and says so
        if any(file.named.numbers_restart for file in files):
            rows = [row._replace(key=None) for row in rows]  # their order counts
        return TaskPredictions(task, ", ".join(dialects), [one.file for one in readers], rows)


def _gap(file: _FileOfTask, rows: int) -> list[Row]:
    """Empty places before a part without ids: its order begins where its name says."""
    part, own = file.named.part, file.reader.rows
    if not part or file.named.numbers_restart or any(row.key is not None for row in own):
        return []
    empty = Row(None, None, ABSENT, file.reader.file, 1)
    return [empty] * min(part[0] - rows, LIMITS.lines)


def _clash(files: list[_FileOfTask]) -> tuple[_FileOfTask, _FileOfTask] | None:
    """Two files of one task that are not disjoint ranges of it."""
    for one, other in pairwise(files):
        parts = one.named.part, other.named.part
        if not parts[0] or not parts[1] or parts[1][0] < parts[0][1]:
            return one, other
    return None


def _digest(tasks: dict[str, TaskPredictions]) -> str:
    digest = hashlib.sha256()
    for task, found in tasks.items():
        for row in found.rows:
            text = row.prediction
            length = -1 if text is None else len(text)
            digest.update(f"{task}\t{row.key!r}\t{length}\n{text or ''}".encode())
    return digest.hexdigest()
