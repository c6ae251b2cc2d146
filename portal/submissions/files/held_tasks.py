"""The files of a submission, their tasks, and what a new version can keep of them.

All of this is known from evaluations: the web process opens no uploaded file.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple
from uuid import UUID

from portal.models import Submission, SubmissionFile
from portal.submissions.files.originals import KeptFile
from portal.submissions.versions import versions_of
from scoring.catalog import BOARD_ORDER, TASKS

_WHOLE = "file-"  # prefix of an original's primary key


class HeldTask(NamedTuple):
    task: str  # empty: the whole file, which has not been read yet
    file: SubmissionFile

    @property
    def value(self) -> str:
        """The value of its checkbox."""
        return self.task or f"{_WHOLE}{self.file.original_id}"

    @property
    def title(self) -> str:
        return TASKS[self.task].title if self.task else ""


def held_tasks(submission: Submission) -> list[HeldTask]:
    """The tasks in the order of the catalogue, then the files whose tasks are not known yet."""
    held = [
        HeldTask(task, file)
        for file, tasks in _files_with_tasks(submission)
        for task in ([""] if tasks is None else tasks)
    ]
    order = [*BOARD_ORDER, ""]
    return sorted(held, key=lambda one: order.index(one.task))


def _files_with_tasks(submission: Submission) -> list[tuple[SubmissionFile, list[str] | None]]:
    """Each file with the tasks that were read from it, or are to be kept of it; None: it has not
    been read yet."""
    files = list(submission.files.select_related("original__submission", "original__fetch"))
    read = submission.evaluations.filter(contents__isnull=False).values_list("contents", flat=True)
    contents = read.first() or [one.kept_tasks for one in files]
    return list(zip(files, contents, strict=True))


def kept_files(held: Iterable[HeldTask], chosen: Collection[str]) -> list[KeptFile]:
    """The files of the chosen tasks, in the order of the earlier version's files.

    A file that could only be chosen as a whole may have been read since.
    """
    tasks: dict[SubmissionFile, list[str]] = {}
    for one in held:
        if one.value in chosen or f"{_WHOLE}{one.file.original_id}" in chosen:
            tasks.setdefault(one.file, []).append(one.task)
    return [
        KeptFile(file.original, None if found == [""] else found)
        for file, found in sorted(tasks.items(), key=lambda item: item[0].position)
    ]


class FileRow(NamedTuple):
    file: SubmissionFile
    tasks: list[str] | None  # titles; None: not read yet
    version: int | None  # that it was kept from; None: it is new, or that version was deleted


def file_rows(submission: Submission) -> list[FileRow]:
    """The files as pages show them: where each comes from, and what it contributes."""
    found = _files_with_tasks(submission)
    sources = [
        file.original.submission
        for file, _ in found
        if file.original.submission and not file.is_new
    ]
    versions = versions_of(sources)
    numbers: dict[UUID | None, int] = {pk: version.number for pk, version in versions.items()}
    return [
        FileRow(
            file,
            None if tasks is None else [TASKS[task].title for task in BOARD_ORDER if task in tasks],
            numbers.get(file.original.submission_id),
        )
        for file, tasks in found
    ]
