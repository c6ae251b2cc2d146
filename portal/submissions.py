"""What authors do with their submissions: hand in, answer, score again, withdraw, delete."""

from dataclasses import asdict, dataclass
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from portal.models import (
    ATTEMPTS,
    Evaluation,
    EvaluationState,
    LanguageModel,
    Release,
    Submission,
    SubmissionState,
    User,
)
from portal.states import StateError, actors, change_evaluation_as, change_submission, note
from portal.storage import Measured
from portal.wake import wake
from scoring.alignment import Method

_NAME_CAP = 255


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How the predictions were made; the fields of a submission have the same names."""

    prompt_strategy: str = ""
    truncation: str = Submission.Truncation.UNKNOWN
    input_limit: int | None = None  # tokens
    output_limit: int | None = None  # tokens
    drop_first: bool = False
    link: str = ""
    task: str = ""  # of a single file whose name does not say it


def submit_predictions(
    *,
    owner: User,
    language_model: LanguageModel,
    release: Release,
    settings: RunSettings,
    upload: "File[Any]",
    upload_name: str,
) -> Submission:
    """Keep the original bytes, and queue them for scoring. Returns the submission.

    Once this returns, the submission is not lost any more, whether a broker or a worker runs or
    not. Raises ``OSError`` where the bytes cannot be stored (a full disk); then there is no trace
    of them; and ``StateError`` where the release takes no submissions. Not to be called within a
    transaction.
    """
    if not release.accepts_submissions:
        raise StateError(_("This release takes no submissions."))
    submission = Submission(
        owner=owner,
        language_model=language_model,
        release=release,
        upload_name=shown_name(upload_name),
        **asdict(settings),
    )
    measured = Measured(upload)
    storage = submission.upload.storage
    name = storage.save(f"uploads/{submission.pk}", measured)
    submission.upload.name = name
    submission.upload_size, submission.upload_hash = measured.measured, measured.sha256
    try:
        with transaction.atomic(durable=True):
            submission.save(force_insert=True)
            _queue(submission)
    except BaseException:
        storage.delete(name)
        raise
    return submission


def shown_name(name: str) -> str:
    """The last part of the name of a file, as it can be stored: it is shown, and tells the task."""
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = last.replace("\0", "�").encode(errors="replace").decode()
    return clean[-_NAME_CAP:] or "upload"


def _queue(submission: Submission) -> Evaluation:
    evaluation = Evaluation.objects.create(submission=submission)
    transaction.on_commit(lambda: wake(evaluation.pk))
    return evaluation


def answer_alignment(evaluation: Evaluation, *, by: User, align: Method) -> None:
    """The author says how rows and examples belong together; it is scored then.

    Raises ``StateError``.
    """
    with transaction.atomic():
        change_evaluation_as(evaluation, "answer", by=by, align=align, question=None, **_AFRESH)
        transaction.on_commit(lambda: wake(evaluation.pk))


def try_again(evaluation: Evaluation, *, by: User) -> None:
    """Score what has failed once more, as often as if it were new. Raises ``StateError``."""
    with transaction.atomic():
        change_evaluation_as(
            evaluation, "try again", by=by, failure="", finished=None, problems=[], **_AFRESH
        )
        transaction.on_commit(lambda: wake(evaluation.pk))


_AFRESH: dict[str, Any] = {"attempts_allowed": F("attempt") + ATTEMPTS, "woken": None}


def score_again(submission: Submission, *, by: User) -> Evaluation:
    """A new evaluation, with the answer given before. What is published stays until it is scored.

    Raises ``StateError`` where one is under way.
    """
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        if not actors(locked, by) & {"owner", "reviewer", "admin"}:
            raise StateError(_("You may not do this."))
        if locked.evaluations.open().exists():
            raise StateError(_("It is being scored already."))
        last = locked.evaluations.first()
        evaluation = _queue(locked)
        if last:
            Evaluation.objects.filter(pk=evaluation.pk).update(align=last.align)
        before = last.state if last else ""
        note(locked, "score again", before, EvaluationState.QUEUED, by=by)
    return evaluation


def ask_for_publication(submission: Submission, *, by: User) -> Submission:
    """Raises ``StateError``."""
    return change_submission(submission, "ask for publication", by=by)


def withdraw(submission: Submission, *, by: User, reason: str = "") -> Submission:
    """Take it off the board; a tombstone stays. Raises ``StateError``."""
    return change_submission(submission, "withdraw", by=by, reason=reason)


def delete_submission(submission: Submission, *, by: User) -> None:
    """Delete it with its file and results, while nobody but its owner has seen it.

    Raises ``StateError``.
    """
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        if "owner" not in actors(locked, by):
            raise StateError(_("You may not do this."))
        if locked.state != SubmissionState.PRIVATE or _was_reviewed(locked):
            raise StateError(_("It has been in review, so it can only be withdrawn."))
        name, storage = locked.upload.name, locked.upload.storage
        locked.delete()
        transaction.on_commit(lambda: storage.delete(name))


def _was_reviewed(submission: Submission) -> bool:
    return submission.audit_entries.filter(after=SubmissionState.IN_REVIEW).exists()
