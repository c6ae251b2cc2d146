"""Historical entries: released prediction files, scored against the labels that they carry.

Their examples are data sets of their own. They are processed like every submission: the original
bytes are kept, untrusted text is parsed and scored in the sandbox, results are stored by lease.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedRandom
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from portal.errors import UserError
from portal.evaluations.failures import FAILURES
from portal.evaluations.sandbox import may_score, sandbox
from portal.evaluations.sweeper import sweep
from portal.evaluations.tasks import score_evaluation
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
from portal.releases.importer import import_tasks, label_drafts
from portal.releases.reader import TaskDraft
from portal.scores.scores import mean_of, scores_by_set
from portal.states import change_submission
from portal.submissions.files.originals import Upload, add_files, stored_original
from portal.web.zip_writer import pack
from scoring.catalog import TASKS
from scoring.embedded_gold import embedded_gold
from scoring.predictions.canonical import read_canonical
from scoring.predictions.reader import Predictions
from scoring.releases.gold import TaskGold
from scoring.sandbox.run import Boxes, read_in_box

_AS_RELEASED = "as released"
# Other runs than the main one, by the end of the names of their files: how they were prompted. The
# reader of predictions leaves such files out, since several runs have no score together.
_OTHER_RUNS = {"step_by_step": "step by step"}
_PUBLISHED_SET = "official-2024-06"  # the metric set of the scores published with the files
_POLL = 0.2  # seconds between polls of an evaluation that a worker holds
_GRACE = 10.0  # seconds to take over an evaluation after its lease has expired
_CHUNK = 1 << 20  # bytes
_UNFINISHED = (EvaluationState.QUEUED, EvaluationState.RUNNING)

log = logging.getLogger(__name__)


class HistoricalError(UserError):
    """The files cannot become a historical entry."""


@dataclass(frozen=True, slots=True)
class Historical:
    """The language model of the files, and how to score them."""

    name: str
    organisation: str = ""
    slug: str = ""
    drop_first: bool = False
    strategy: str = _AS_RELEASED  # of prompting, in the main run
    run: str = ""  # one of ``_OTHER_RUNS``; empty: the main one

    def entry(self) -> Submission | None:
        """The entry that this run of the language model already has."""
        models = LanguageModel.objects.filter(owner=None, name=self.name)
        entries = Submission.objects.filter(
            origin=Submission.Origin.HISTORICAL, language_model__in=models
        )
        if self.run:
            return entries.filter(prompt_strategy=_OTHER_RUNS[self.run]).first()
        return entries.exclude(prompt_strategy__in=_OTHER_RUNS.values()).first()

    @property
    def title(self) -> str:
        return f"{self.name}, {_OTHER_RUNS[self.run]}" if self.run else self.name

    @property
    def all_runs(self) -> "list[Historical]":
        """The main run, and every other one that there may be."""
        return [self, *(replace(self, run=run) for run in _OTHER_RUNS)]

    def runs_in(self, folder: Path) -> "list[Historical]":
        """The main run, and every other one that the folder has files of."""
        main, *others = self.all_runs
        return [main, *(one for one in others if any(folder.glob(f"preds_*_{one.run}.jsonl")))]


def import_historical(
    folder: Path, about: Historical, *, report: Callable[[str], None] = log.info
) -> Submission:
    """Store the files of a folder, score them in this process, publish. Returns the submission.

    Of another run than the main one, only the files that are named after it. A second import of the
    same files changes nothing, or completes one that was interrupted. An entry of figures
    (``portal.entries.figures``) gets its files, and is scored from them. No worker takes part.
    Raises ``HistoricalError``, ``LanguageModelError`` or ``ReleaseError``.
    """
    if not may_score():
        raise HistoricalError(f"Nothing is scored here: {sandbox().reason}")
    with packed_files(folder, about.run) as upload:
        submission = _imported_before(about, upload) or _store(folder, about, upload, report)
    figures = submission.evaluations.filter(figures_only=True)
    if submission.state != SubmissionState.PRIVATE and not figures.exists():
        report(f"{about.title}: unchanged ({submission.get_state_display()})")
        return submission
    _score(submission, about.title, report)
    figures.delete()
    published = submission
    if submission.state == SubmissionState.PRIVATE:
        published = change_submission(submission, Action.PUBLISH_HISTORICAL, by=None)
    scored = published.evaluations.scored()[0]
    overall = mean_of(TASKS, scores_by_set(scored, exact=True)[_PUBLISHED_SET])
    suffix = f", {overall.percent:.2f} under {_PUBLISHED_SET}" if overall else ""
    report(f"{about.title}: published{suffix}")
    return published


# The files


@contextmanager
def packed_files(folder: Path, run: str) -> Iterator[BufferedRandom]:
    """The files of a folder as an archive; the same files give the same bytes. Files of a run
    other than the main one are renamed to their tasks."""
    if not folder.is_dir():
        raise HistoricalError(
            f"{folder} is not a folder. Give the one that contains preds_*.jsonl."
        )
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    if run:
        end = f"_{run}.jsonl"
        named = {
            f"{path.name.removesuffix(end)}.jsonl": path
            for path in files
            if path.parent == folder and path.name.endswith(end)
        }
    with temporary_import_file() as stream:
        pack(((name, _chunks(path)) for name, path in named.items()), stream)
        stream.seek(0)
        yield stream


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _imported_before(about: Historical, upload: BufferedRandom) -> Submission | None:
    """The entry of an earlier import of these files. Raises ``HistoricalError`` if the language
    model has an entry of other files or settings."""
    known = about.entry()
    if known is None or not known.files.exists():
        return None
    upload_hash = hashlib.file_digest(upload, "sha256").hexdigest()
    upload.seek(0)
    if known.files.get().original.hash != upload_hash or known.drop_first != about.drop_first:
        raise HistoricalError(
            f"There already is a historical entry of {about.name}, from other files or settings, "
            "and published scores are not changed. Give these files another --model."
        )
    return known


def _read_labels(
    upload: IO[bytes], name: str, report: Callable[[str], None]
) -> dict[str, TaskGold]:
    """The labels in the files, read in the sandbox like any text from outside."""
    with read_in_box(Boxes(sandbox().level), {name: upload}) as read:  # type: ignore[dict-item]
        if not read.ok:
            raise HistoricalError(f"{read.ending.message} {read.ending.fix}")
        predictions = read_canonical(read.outputs["predictions"])
    labelled, gold = embedded_gold(predictions)
    if not gold:
        raise HistoricalError(
            f"{name} has no labels (ground_truth or label), so there are no scores."
        )
    _check_ids(predictions, gold)
    for problem in labelled.problems:
        if problem.severity != "note":
            report(f"{problem.file or name}: {problem.message}")
    return gold


def _check_ids(predictions: Predictions, gold: Mapping[str, TaskGold]) -> None:
    """Rows are matched by id, or in a file without ids by their order, if every row has a label."""
    for task, data in gold.items():
        rows = predictions.tasks[task].rows
        without = sum(row.key is None for row in rows)
        if without and not without == len(rows) == len(data.examples):
            raise HistoricalError(
                f"{TASKS[task].title}: {without} of {len(rows)} rows have no id. Give every row an "
                "id, or leave all ids out and a label in every row."
            )


# The entry


def new_submission(about: Historical) -> Submission:
    """Unsaved, without its release; call it in a transaction. Raises ``LanguageModelError``."""
    return Submission(
        origin=Submission.Origin.HISTORICAL,
        language_model=get_or_create_site_model(
            about.name, slug=about.slug, organisation=about.organisation
        ),
        drop_first=about.drop_first,
        prompt_strategy=_OTHER_RUNS.get(about.run, about.strategy),
    )


def import_its_labels(
    about: Historical,
    model: LanguageModel,
    tasks: Sequence[TaskDraft],
    report: Callable[[str], None] = log.info,
) -> Release:
    """The release of the labels in the files of a run. Raises ``ReleaseError``."""
    suffix = _suffix(about)
    draft = Release(
        slug=f"historical-{model.slug[: 49 - len(suffix)]}{suffix}",
        title=f"Labels in the released files of {about.title}"[:120],
        accepts_submissions=False,
    )
    return import_tasks(draft, tasks, lambda line: report(f"{about.title}: {line}"))


def archive_name(folder: Path, about: Historical) -> str:
    """Of the files of a run."""
    return f"{slugify(folder.resolve().name) or 'files'}{_suffix(about)}.zip"


def _suffix(about: Historical) -> str:
    return about.run and f"-{about.run.replace('_', '-')}"


def _store(
    folder: Path, about: Historical, upload: IO[bytes], report: Callable[[str], None]
) -> Submission:
    """Language model, release and submission: all of them or none."""
    name = archive_name(folder, about)
    report(f"{about.title}: reading the labels in {folder}")
    gold = _read_labels(upload, name, lambda line: report(f"{about.title}: {line}"))
    tasks = label_drafts(gold.values(), folder)
    with stored_original(Upload(upload, name)) as original, transaction.atomic(durable=True):
        submission = about.entry() or new_submission(about)  # there is one of figures alone
        model = submission.language_model
        submission.release = import_its_labels(about, model, tasks, report)
        submission.save()
        add_files(submission, original)
    return submission


def _score(submission: Submission, name: str, report: Callable[[str], None]) -> None:
    """Score it here, or wait for the process that has claimed it. Raises ``HistoricalError``."""
    if submission.evaluations.scored().filter(figures_only=False).exists():
        return
    evaluation = submission.evaluations.open().first()
    evaluation = evaluation or Evaluation.objects.create(submission=submission, align="id")
    sizes = submission.release.data_sets.values_list("size", flat=True)
    report(f"{name}: scoring {len(sizes)} tasks, {sum(sizes):,} examples")
    deadline = time.monotonic() + settings.LEASE + _GRACE
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    if evaluation.state in _UNFINISHED:
        report(f"{name}: waiting for the process that scores it, or {settings.LEASE:.0f} s")
    while evaluation.state in _UNFINISHED and time.monotonic() < deadline:
        time.sleep(_POLL)
        sweep()
        score_evaluation(evaluation.pk)
        evaluation.refresh_from_db()
    if evaluation.state != EvaluationState.SCORED:
        ending = FAILURES.get(evaluation.failure)
        why = ending.message if ending else f"It is “{evaluation.state}”."
        raise HistoricalError(f"{name} was not scored. {why} Run this again.")
