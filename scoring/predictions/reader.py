"""Read prediction files in every known dialect: a file, a directory or an archive.

Untrusted input never raises here: what is wrong becomes a problem with file, line and fix, and
what is left is read. The steps: sources (``archive``) → rows of each file (``rows``) → the files
of each task put together.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

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
    without_gz,
)
from scoring.predictions.formats import DOCUMENTS, REPORTED_PROBLEMS, problem_of_document
from scoring.predictions.members import ArchiveError, Member, MemberError
from scoring.predictions.rows import Row, RowReader
from scoring.problems import Problem, ProblemLog

__all__ = [
    "ABSENT", "LIMITS", "Key", "Limits", "Predictions", "Row", "TaskPredictions",
    "collected", "read_members", "read_predictions",
]  # fmt: skip


_NONE: Mapping[str, str] = MappingProxyType({})
_EXAMPLE = "longbook_qa_eng"  # named in advice; it is unlikely to be mistaken for the right task


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
    task_was_given: bool  # by the caller, since the file's name says nothing


def read_predictions(
    path: Path,
    *,
    task: str | None = None,
    file_tasks: Mapping[str, str] = _NONE,
    limits: Limits = LIMITS,
) -> Predictions:
    """The predictions in a file, a directory or an archive, with every problem found on the way.

    ``task`` is the task of a single file whose name does not say it; ``file_tasks`` are those of
    several, by their names. Nothing is extracted, and no content of the input raises.
    """
    log = ProblemLog()
    members = open_path(path, limits, log)
    return read_members(
        path.name, members, log, task=task, file_tasks=file_tasks, budget=Budget(limits)
    )


def read_members(
    name: str,
    members: Iterable[Member],
    log: ProblemLog,
    *,
    task: str | None = None,
    file_tasks: Mapping[str, str] = _NONE,
    only: Collection[str] | None = None,
    budget: Budget | None = None,
) -> Predictions:
    """Like ``read_predictions``, of the files in an input called ``name`` that is open already.

    ``only``: the tasks whose files are read. ``budget``: shared by several inputs.
    """
    collection = _Collection(
        name, log, budget or Budget(LIMITS), task=task, file_tasks=file_tasks, only=only
    )
    tasks: dict[str, TaskPredictions] = {}
    try:
        collection.read(members)
        tasks = collection.tasks()
    except (ArchiveError, MemberError) as error:  # of the archive, of the one file
        log.keep(Problem(error.code, name, params=error.params))
    if not tasks and not any(problem.severity == "error" for problem in log.problems()):
        log.keep(collection.nothing())  # nothing else says why
    return collected(tasks, log)


def collected(tasks: Mapping[str, TaskPredictions], log: ProblemLog) -> Predictions:
    """The tasks in the order of the catalogue, with their digest and all problems."""
    in_order = {task: tasks[task] for task in TASKS if task in tasks}
    digest = hashlib.sha256()
    for found in in_order.values():
        for row in found.rows:
            text = row.prediction
            length = -1 if text is None else len(text)
            digest.update(f"{found.task}\t{row.key!r}\t{length}\n{text or ''}".encode())
    return Predictions(in_order, log.problems(), digest.hexdigest())


class _Collection:
    """The files read so far, by task."""

    def __init__(
        self,
        name: str,
        log: ProblemLog,
        budget: Budget,
        *,
        task: str | None,
        file_tasks: Mapping[str, str],
        only: Collection[str] | None,
    ) -> None:
        self._input = name
        self._task = task
        self._file_tasks = {without_gz(file): task for file, task in file_tasks.items()}
        self._only = only
        self._budget = budget
        self._log = log
        self._files: dict[str, list[_FileOfTask]] = {}
        self._unnamed: list[str] = []  # files without a task in their names
        self._refused: list[Problem] = []  # files of other formats that are not clearly meant
        self._documents: set[str] = set()  # names of files that show what the input as a whole is

    def read(self, members: Iterable[Member]) -> None:
        """Read the files as far as the limits allow. Raises ``ArchiveError``."""
        try:
            for member in members:
                self._read(member)
        except LimitError as error:
            self._log.add(error.code, file=self._input, limit=error.limit)

    def _read(self, member: Member) -> None:
        own = named(member.name)
        if own is None and (chosen := self._file_tasks.get(without_gz(member.name))):
            own = Named(chosen)
        if own and self._is_left_out(own.task):
            return
        if member.problem:
            self._refuse(member.problem, member.name, meant=own is not None)
            return
        found = own or self._given_task(member.name)
        if not found or self._is_left_out(found.task):
            return
        reader = RowReader(member.name, TASKS[found.task], self._budget, self._log)
        files = self._files.setdefault(found.task, [])
        files.append(_FileOfTask(reader, found, task_was_given=own is None))
        try:
            reader.read(member.chunks)
        except MemberError as error:
            files.pop()
            self._log.keep(Problem(error.code, member.name, None, found.task, error.params))

    def _is_left_out(self, task: str) -> bool:
        return self._only is not None and task not in self._only

    def _refuse(self, problem: Problem, name: str, *, meant: bool) -> None:
        alone = base_name(name) == base_name(self._input)
        if meant or alone or may_hold_rows(name) or problem.code in REPORTED_PROBLEMS:
            self._log.keep(problem)
        else:
            self._refused.append(problem)
            self._documents |= {name} & DOCUMENTS.keys()

    def _report_refused(self) -> None:
        """A table named after a task is missed, unless another file answers it; a plot is not."""
        for problem in self._refused:
            name = problem.file or ""
            own = named(re.sub(r"\.\w+\Z", ".jsonl", name))
            if own and own.task not in self._files:
                self._log.keep(problem)
            else:
                self._log.add("file_ignored", file=name)

    def _given_task(self, name: str) -> Named | None:
        """The task that the caller gave for the one file without a task in its name."""
        if not may_hold_rows(name) and base_name(name) != base_name(self._input):
            self._log.add("file_ignored", file=name)
            self._documents |= {name} & DOCUMENTS.keys()
            return None
        self._unnamed.append(name)
        return Named(self._task) if self._task and len(self._unnamed) == 1 else None

    def nothing(self) -> Problem:
        """Why there is nothing to be scored, where no file is at fault."""
        if self._documents:
            format_ = next(what for name, what in DOCUMENTS.items() if name in self._documents)
            return problem_of_document(self._input, format_)
        return Problem("nothing_to_score", self._input)

    def _report_unnamed(self) -> None:
        """Report each file that is left out because of its name, with a name that would do."""
        for name in self._unnamed:
            like = resembling_task(name)
            example = like or _EXAMPLE
            params = {"example": example, "title": TASKS[example].title}
            code = "task_unknown"
            if like and (files := self._files.get(like)):
                code, params["beside"] = "task_another_run", files[0].reader.file
            self._log.keep(Problem(code, name, params=params))

    def _check_given_task(self) -> None:
        """Report where the task that the caller gave does not fit exactly one file."""
        task = self._task or ""
        files = [file for files in self._files.values() for file in files]
        if task and len(self._unnamed) > 1:
            first, second, *_ = self._unnamed
            self._log.add("task_ambiguous", task=task, first=first, second=second)
            self._files[task] = [
                file for file in self._files.get(task, []) if not file.task_was_given
            ]
        elif task and not self._unnamed and len(files) == 1 and task not in self._files:
            own, file = files[0].named.task, files[0].reader.file
            self._log.add("task_not_needed", file=file, task=own, named=own, told=task)

    def tasks(self) -> dict[str, TaskPredictions]:
        """The files of each task put together; a task with files that exclude each other is out."""
        if self._task is None:
            self._report_unnamed()
        self._check_given_task()
        self._report_refused()
        together = {task: self._together(task) for task in TASKS if self._files.get(task)}
        return {task: found for task, found in together.items() if found}

    def _without_copies(self, task: str, files: list[_FileOfTask]) -> list[_FileOfTask]:
        """Of several files with the very same rows only the first."""
        first: dict[object, str] = {}
        kept = []
        for file in files:
            rows = tuple((row.key, row.prediction) for row in file.reader.rows)
            content = (file.named.part, rows)
            if content in first and rows:
                name = first[content]
                self._log.add("file_repeated", file=file.reader.file, task=task, first=name)
            else:
                first[content] = file.reader.file
                kept.append(file)
        return kept

    def _together(self, task: str) -> TaskPredictions | None:
        files = sorted(self._files[task], key=lambda file: file.named.part or (0, 0))
        files = self._without_copies(task, files)
        for one, other in pairwise(files):  # they have to be disjoint ranges of the task
            part, next_part = one.named.part, other.named.part
            if not part or not next_part or next_part[0] < part[1]:
                first, second = one.reader.file, other.reader.file
                self._log.add(
                    "two_files_for_task",
                    file=second,
                    task=task,
                    title=TASKS[task].title,
                    first=first,
                    second=second,
                )
                return None
        readers = [file.reader for file in files]
        dialects = dict.fromkeys((reader.dialect or OFFICIAL).name for reader in readers)
        rows: list[Row] = []
        for file in files:
            part, own = file.named.part, file.reader.rows
            by_order = all(row.key is None for row in own)
            if part and by_order and not file.named.numbers_restart:
                # The order of a part without ids begins where its name says.
                gap = max(0, part[0] - len(rows))
                try:
                    self._budget.take_gap(gap)
                except LimitError as error:
                    self._log.add(error.code, file=file.reader.file, task=task, limit=error.limit)
                    break  # later parts leave larger gaps
                rows += [Row(None, None, ABSENT, file.reader.file, 1)] * gap
            rows += own
        if not rows:
            return None  # an empty file is reported
        if any(file.named.numbers_restart for file in files):
            rows = [row._replace(key=None) for row in rows]  # their order counts
        return TaskPredictions(task, ", ".join(dialects), [one.file for one in readers], rows)
