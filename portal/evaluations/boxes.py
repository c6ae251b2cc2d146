"""Scores the files of a submission in two sandboxes (“boxes”); stores nothing."""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO, NamedTuple

from portal.models import Evaluation, Original, Submission, SubmissionFile
from portal.releases.label_files import labels_of, labels_of_others
from portal.storage.folder import StorageUnavailableError
from scoring.sandbox.results_file import Example, read_contents, read_examples, read_report
from scoring.sandbox.run import Boxes, BoxResult, KeptUpload, read_in_box, score_in_box

log = logging.getLogger(__name__)


class AttemptFailedError(Exception):
    """``code``: from ``portal.evaluations.failures.FAILURES``."""

    def __init__(self, code: str, details: str) -> None:
        super().__init__(code)
        self.code, self.details = code, details


class Scored(NamedTuple):
    report: dict[str, Any]
    examples: Iterable[Example]  # read lazily
    contents: list[list[str]]  # the tasks of each file of the submission


@contextmanager
def score_in_boxes(
    evaluation: Evaluation, boxes: Boxes, on_read: Callable[[], None] = lambda: None
) -> Iterator[Scored]:
    """Parse the files, call ``on_read``, score the rows.

    Raises ``AttemptFailedError``, ``ResultsFileError`` if a box's output is malformed, and whatever
    the boxes' ``watch`` raises.
    """
    submission = evaluation.submission
    labels = labels_of(submission.release)
    is_uploaded = submission.origin == Submission.Origin.UPLOADED
    if is_uploaded and not evaluation.release_confirmed:
        labels += labels_of_others(submission.release)
    with ExitStack() as opened:
        files = list(submission.files.select_related("original"))
        read = opened.enter_context(_read(boxes, files, opened))
        _check("read", read, evaluation)
        on_read()
        scored = opened.enter_context(
            score_in_box(
                boxes,
                read.outputs["predictions"],
                labels,
                align=evaluation.align or None,
                drop_first=submission.drop_first,
                version=evaluation.label_version,
                compare_labels=not submission.release.hidden,
            )
        )
        _check("score", scored, evaluation)
        yield Scored(
            read_report(scored.outputs["report"]),
            read_examples(scored.outputs["examples"]),
            read_contents(read.outputs["contents"], len(files)),
        )


def _check(stage: str, result: BoxResult, evaluation: Evaluation) -> None:
    about = {"evaluation": evaluation.pk, "submission": evaluation.submission_id}
    log.info("box to %s: %s after %.2f s", stage, result.code, result.seconds, extra=about)
    if not result.ok:
        raise AttemptFailedError(result.code, result.details)


def _read(boxes: Boxes, files: Sequence[SubmissionFile], opened: ExitStack) -> BoxResult:
    """Stage one: read the file that is new in this version, and those that it keeps tasks of."""
    new = [one.original for one in files if one.is_new]
    kept = [
        KeptUpload(
            one.original.name,
            _open_original(one.original, opened),
            tasks=one.kept_tasks,
            task=one.original.task or None,
            file_tasks=one.original.file_tasks,
        )
        for one in files
        if not one.is_new
    ]
    return read_in_box(
        boxes,
        {original.name: _open_original(original, opened) for original in new},
        task=(new[0].task if new else "") or None,
        file_tasks=new[0].file_tasks if new else {},
        kept=kept,
    )


def _open_original(original: Original, opened: ExitStack) -> BinaryIO:
    """The uploaded bytes as a file with a descriptor, whatever storage they are in."""
    try:
        stored = opened.enter_context(original.file.open("rb"))
        stream: BinaryIO = stored.file
        try:
            stream.fileno()
        except (AttributeError, OSError):
            copy = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed by the stack
            shutil.copyfileobj(stored, copy)
            copy.seek(0)
            return copy
    except StorageUnavailableError:
        raise
    except OSError as error:
        raise AttemptFailedError("upload_lost", str(error)) from error
    return stream
