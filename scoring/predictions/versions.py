"""The predictions of a version: new files, and what it keeps of earlier uploads.

A new file replaces what earlier uploads have for its task, even where it turns out to be unusable:
falling back on the rows that it was to replace would be silently wrong. Of an earlier upload only
kept tasks are read, and only their problems are reported: the others were reported before.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scoring.catalog import TASKS
from scoring.limits import LIMITS, Budget, Limits
from scoring.predictions.dialects import named
from scoring.predictions.members import Member
from scoring.predictions.reader import Predictions, TaskPredictions, collected, read_members
from scoring.problems import Problem, ProblemLog


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, an archive, or several files that are read as one."""

    name: str  # given by its author
    open: Callable[[ProblemLog], Iterable[Member]]
    task: str | None = None  # of the only file whose name does not say it
    file_tasks: Mapping[str, str] = field(default_factory=dict)  # of several such files, by name
    kept: Collection[str] | None = None  # the tasks that count; None: all

    def read(self, log: ProblemLog, budget: Budget, without: Collection[str] = ()) -> Predictions:
        """The predictions, but for those of some tasks."""
        only = None
        if without or self.kept is not None:
            only = set(TASKS if self.kept is None else self.kept).difference(without)
        members = [] if only == set() else self.open(log)
        return read_members(
            self.name,
            members,
            log,
            task=self.task,
            file_tasks=self.file_tasks,
            only=only,
            budget=budget,
        )

    def is_new(self, problem: Problem, without: Collection[str]) -> bool:
        """Whether a problem has to be reported, given an earlier upload."""
        if problem.code in ("nothing_to_score", "task_not_needed") or problem.task in without:
            return False
        of_all = problem.file == self.name and problem.severity == "error"
        return self.kept is None or (of_all if problem.task is None else problem.task in self.kept)


class VersionContent(NamedTuple):
    predictions: Predictions
    tasks: list[list[str]]  # of each upload, in their order: the new one is the last


def read_version(
    new: Upload | None, kept: Sequence[Upload] = (), limits: Limits = LIMITS
) -> VersionContent:
    """Read the new files, and what is kept; of two uploads with the same task the later counts.

    If there are new files but none has rows, there are no predictions: the author meant to change
    something.
    """
    log, budget = ProblemLog(), Budget(limits)
    arrived = new.read(log, budget) if new else None
    found: dict[str, TaskPredictions] = dict(arrived.tasks) if arrived else {}
    tasks = [list(found)] if new else []
    replaced = _named_tasks(new, arrived) if new and arrived and found else set[str]()
    for upload in reversed(kept):
        own_log = ProblemLog()
        read = upload.read(own_log, budget, without=replaced)
        for problem in read.problems:
            if upload.is_new(problem, without=replaced):
                log.keep(problem)
        found |= read.tasks
        tasks.insert(0, list(read.tasks))
        replaced |= read.tasks.keys()
    if arrived and not arrived.tasks:
        found = {}
    if not found and not any(problem.severity == "error" for problem in log.problems()):
        log.add("nothing_to_score", file=kept[-1].name if kept else None)
    return VersionContent(collected(found, log), tasks)


def _named_tasks(new: Upload, arrived: Predictions) -> set[str]:
    """The tasks of all new files, also of those that cannot be used."""
    tasks = set(arrived.tasks)
    for problem in arrived.problems:
        file = problem.file or ""
        if name := named(file):
            tasks.add(name.task)
        tasks.update(filter(None, (problem.task, new.file_tasks.get(file))))
    return tasks
