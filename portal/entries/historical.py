"""Historical entries: released prediction files, scored against the labels that they carry.

Their examples are data sets of their own. They take the way of every submission: the original
bytes are kept, untrusted text is parsed and scored in the box, results are written under a lease.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from portal.errors import UserError
from portal.evaluations.failures import FAILURES
from portal.evaluations.sandbox import may_score, sandbox
from portal.evaluations.tasks import score_evaluation, sweep
from portal.language_models.services import get_or_create_site_model
from portal.models import (
    Action,
    Evaluation,
    EvaluationState,
    LanguageModel,
    Release,
    Submission,
    SubmissionState,
)
from portal.releases.downloads import temporary_import_file
from portal.releases.importer import import_labels
from portal.scores.scores import mean_of, scores_by_set
from portal.states import change_submission
from portal.submissions.originals import stored_original
from portal.web.zip_writer import pack
from scoring.catalog import TASKS
from scoring.embedded_gold import embedded_gold
from scoring.predictions.canonical import read_canonical
from scoring.predictions.reader import Predictions
from scoring.releases.gold import TaskGold
from scoring.sandbox.run import Boxes, read_in_box

_FIRST_SET = "official-2024-06"  # the one that the files were published with
_POLL = 0.2  # seconds between two looks at an evaluation that somebody else holds
_LATE = 10.0  # seconds; a lease has run out by then, and its evaluation been taken over
_CHUNK = 1 << 20  # bytes
_UNFINISHED = (EvaluationState.QUEUED, EvaluationState.RUNNING)

log = logging.getLogger(__name__)


class HistoricalError(UserError):
    """The files cannot become a historical entry."""


@dataclass(frozen=True, slots=True)
class Historical:
    """What is said of the files. ``name`` is that of the language model."""

    name: str
    organisation: str = ""
    slug: str = ""  # of the language model, in addresses
    drop_first: bool = False

    def known(self) -> Submission | None:
        """The entry that this language model has already."""
        models = LanguageModel.objects.filter(owner=None, name=self.name)
        entries = Submission.objects.filter(origin=Submission.Origin.HISTORICAL)
        return entries.filter(language_model__in=models).first()


def import_historical(
    folder: Path, about: Historical, *, report: Callable[[str], None] = log.info
) -> Submission:
    """Keep the files of a folder, score them here, publish. Returns the submission.

    Done twice, the second time changes nothing; what was broken off is completed. No worker is
    woken. Raises ``HistoricalError``, ``LanguageModelError`` or ``ReleaseError``.
    """
    if not may_score():
        raise HistoricalError(f"Nothing is scored here: {sandbox().reason}")
    with _packed(folder) as upload:
        submission = _same(about, upload) or _store(folder, about, upload, report)
    if submission.state != SubmissionState.PRIVATE:
        report(f"{about.name}: as it was ({submission.get_state_display()})")
        return submission
    _score(submission, report)
    published = change_submission(submission, Action.PUBLISH_HISTORICAL, by=None)
    report(f"{about.name}: published{_overall(published)}")
    return published


# The files


@contextmanager
def _packed(folder: Path) -> Iterator[BufferedRandom]:
    """The files of a folder as an archive; the same files give the same bytes."""
    if not folder.is_dir():
        raise HistoricalError(f"{folder} is no folder. Name the one that holds preds_*.jsonl.")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    with temporary_import_file() as stream:
        pack(((path.relative_to(folder).as_posix(), _parts(path)) for path in files), stream)
        stream.seek(0)
        yield stream


def _parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            yield part


def _same(about: Historical, upload: BufferedRandom) -> Submission | None:
    """The entry that an earlier run made of these files. Raises for one of other files."""
    known = about.known()
    if known is None:
        return None
    if known.upload_hash != _hash(upload) or known.drop_first != about.drop_first:
        raise HistoricalError(
            f"There is a historical entry of {about.name} already, of other files or settings, "
            "and published scores are not changed. Give these files another --model."
        )
    return known


def _hash(upload: BufferedRandom) -> str:
    digest = hashlib.file_digest(upload, "sha256")
    upload.seek(0)
    return digest.hexdigest()


def _read(upload: IO[bytes], name: str, report: Callable[[str], None]) -> dict[str, TaskGold]:
    """The labels in the files: read in the box, as all that others wrote."""
    with read_in_box(Boxes(sandbox().level), {name: upload}) as read:  # type: ignore[dict-item]
        if not read.ok:
            raise HistoricalError(f"{read.ending.message} {read.ending.fix}")
        predictions = read_canonical(read.outputs["predictions"])
    labelled, gold = embedded_gold(predictions)
    if not gold:
        raise HistoricalError(f"{name} carries no labels (ground_truth or label): no scores.")
    _check_ids(predictions, gold)
    for problem in labelled.problems:
        if problem.severity != "note":
            report(f"{problem.file or name}: {problem.message}")
    return gold


def _check_ids(predictions: Predictions, gold: Mapping[str, TaskGold]) -> None:
    """Rows are found again by their ids; in a file without any, by their order, if none is lost."""
    for task, data in gold.items():
        rows = predictions.tasks[task].rows
        without = sum(row.key is None for row in rows)
        if without and not without == len(rows) == len(data.examples):
            raise HistoricalError(
                f"{TASKS[task].title}: {without} of {len(rows)} rows have no id. Give every row an "
                "id, or leave all ids out and a label in every row."
            )


# The entry


def _store(
    folder: Path, about: Historical, upload: IO[bytes], report: Callable[[str], None]
) -> Submission:
    """Everything that there is before the scores: all of it or nothing."""
    name = f"{slugify(folder.resolve().name) or 'files'}.zip"
    report(f"{about.name}: reading the labels in {folder}")
    gold = _read(upload, name, lambda line: report(f"{about.name}: {line}"))
    submission = Submission(
        origin=Submission.Origin.HISTORICAL,
        drop_first=about.drop_first,
        prompt_strategy="as released",
        upload_name=name,
    )
    with stored_original(submission, upload), transaction.atomic(durable=True):
        submission.language_model = get_or_create_site_model(
            about.name, slug=about.slug, organisation=about.organisation
        )
        submission.release = _release(submission.language_model, gold, folder, report)
        submission.save(force_insert=True)
    return submission


def _release(
    language_model: LanguageModel,
    gold: Mapping[str, TaskGold],
    folder: Path,
    report: Callable[[str], None],
) -> Release:
    return import_labels(
        gold.values(),
        slug=f"historical-{language_model.slug}"[:60],
        title=f"Labels in the released files of {language_model.name}"[:120],
        title_zh=f"{language_model.name[:100]} 公开文件自带的标签",
        source=folder,
        report=lambda line: report(f"{language_model.name}: {line}"),
    )


def _score(submission: Submission, report: Callable[[str], None]) -> None:
    """Score it here, or see it scored by whoever holds it. Raises ``HistoricalError``."""
    if submission.evaluations.scored().exists():
        return
    evaluation = submission.evaluations.open().first()
    evaluation = evaluation or Evaluation.objects.create(submission=submission, align="id")
    sizes = submission.release.data_sets.values_list("size", flat=True)
    name = submission.language_model.name
    report(f"{name}: scoring {len(sizes)} tasks, {sum(sizes):,} examples")
    _see_to_its_end(evaluation, name, report)
    if evaluation.state != EvaluationState.SCORED:
        ending = FAILURES.get(evaluation.failure)
        why = ending.message if ending else f"It is “{evaluation.state}”."
        raise HistoricalError(f"{name} was not scored. {why} Run this again.")


def _see_to_its_end(evaluation: Evaluation, name: str, report: Callable[[str], None]) -> None:
    deadline = time.monotonic() + settings.LEASE + _LATE
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    if evaluation.state in _UNFINISHED:
        report(f"{name}: waiting for the process that scores it, or {settings.LEASE:.0f} s")
    while evaluation.state in _UNFINISHED and time.monotonic() < deadline:
        time.sleep(_POLL)
        sweep()
        score_evaluation(evaluation.pk)
        evaluation.refresh_from_db()


def _overall(submission: Submission) -> str:
    """The mean that was published with the files, if all twelve tasks are there."""
    scored = submission.evaluations.scored()[0]
    scores = scores_by_set(scored.task_scores.all(), exact=True)
    overall = mean_of(TASKS, scores[_FIRST_SET])
    return f", {overall.percent:.2f} under {_FIRST_SET}" if overall else ""
