"""What authors do with their submissions: hand in, answer, score again, delete."""

from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID, uuid4

from django.core.files.base import File
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from portal.language_models import create_language_model
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
from portal.quotas import count_upload, keep_failures, lock_quota
from portal.states import (
    Actors,
    StateError,
    actors,
    change_evaluation_as,
    note,
)
from portal.storage import Measured
from portal.wake import wake
from scoring.alignment import Method

UPLOADS = "uploads"  # the folder of the original files
_NAME_CAP = 255


@dataclass(frozen=True, slots=True)
class RunDescription:
    """What is told of how the predictions were made; no score depends on it.

    The fields of a submission have the same names.
    """

    note: str = ""
    prompt_strategy: str = ""
    input_limit: int | None = None  # tokens
    output_limit: int | None = None  # tokens
    truncation: str = Submission.Truncation.UNKNOWN
    link: str = ""


@dataclass(frozen=True, slots=True)
class RunSettings(RunDescription):
    """With what scores do depend on: once handed in, that stays."""

    drop_first: bool = False
    task: str = ""  # of a single file whose name does not say it


def submit_predictions(
    *,
    owner: User,
    language_model: LanguageModel,
    release: Release,
    settings: RunSettings,
    upload: "File[Any]",
    upload_name: str,
    submission_id: UUID | None = None,
    previous: Submission | None = None,
) -> Submission:
    """Keep the original bytes, and queue them for scoring. Returns the submission.

    Once this returns, the submission is not lost any more, whether a broker or a worker runs or
    not. A language model that is new is stored with it. Handed in again under an id that the owner
    has used, it changes nothing and returns what is there: so a form can be sent twice.
    ``previous``: a submission of the same owner, of which this is a new version.

    Raises ``OSError`` where the bytes cannot be stored (a full disk), ``QuotaError``, and
    ``StateError`` where the release takes no submissions; then there is no trace of any of it.
    Where the database goes away, nobody knows; then it can be handed in again under its id. Not to
    be called within a transaction.
    """
    if not release.accepts_submissions:
        raise StateError(_("This release takes no submissions."))
    if previous and previous.owner_id != owner.pk:
        raise StateError(_("A new version can only be one of your own submissions."))
    submission = Submission(
        id=submission_id or uuid4(),
        owner=owner,
        language_model=language_model,
        release=release,
        previous=previous,
        upload_name=shown_name(upload_name),
        **asdict(settings),
    )
    _keep_bytes(submission, upload)
    return _store_or_clear(submission, owner)


def _keep_bytes(submission: Submission, upload: "File[Any]") -> None:
    """Store them under a name of their own: the submission's id may come twice at once."""
    measured = Measured(upload)
    submission.upload.name = submission.upload.storage.save(f"{UPLOADS}/{uuid4()}", measured)
    submission.upload_size, submission.upload_hash = measured.measured, measured.sha256


def _store_or_clear(submission: Submission, owner: User) -> Submission:
    """Write the rows, or leave no file behind. Returns what is stored under this id now."""
    name, storage = str(submission.upload.name), submission.upload.storage
    try:
        stored = _store(submission, owner)
    except (OperationalError, InterfaceError):
        raise  # perhaps it is written: if not, ``portal.strays`` finds the file that nobody names
    except Exception:
        storage.delete(name)
        raise
    if stored is not submission:
        storage.delete(name)
    return stored


def _store(submission: Submission, owner: User) -> Submission:
    """Write the rows of a submission whose file is there; or find it, written before."""
    with transaction.atomic(durable=True):
        lock_quota(owner)
        if twice := Submission.objects.filter(pk=submission.pk).first():
            if twice.owner_id != owner.pk:
                raise StateError(_("This form is out of date. Please load the page again."))
            return twice
        count_upload(owner, submission.pk)
        if submission.language_model.pk is None:
            create_language_model(submission.language_model, owner=owner)
        if submission.previous_id and not _is_there(submission.previous_id):
            submission.previous = None  # deleted while the files travelled
        submission.save(force_insert=True)
        _queue(submission)
    return submission


def _is_there(submission_id: UUID) -> bool:
    """Whether there is such a submission, which then stays until the transaction ends."""
    locked = Submission.objects.select_for_update(no_key=True).filter(pk=submission_id)
    return locked.first() is not None


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
    """Score what has failed once more, as often as if it were new.

    What the failure was decides what it costs. Raises ``StateError`` and ``QuotaError``.
    """
    with transaction.atomic():
        lock_quota(by)
        failure = Evaluation.objects.values_list("failure", flat=True).get(pk=evaluation.pk)
        change_evaluation_as(
            evaluation, "try again", by=by, failure="", finished=None, problems=[], **_AFRESH
        )
        count_upload(by, evaluation.submission_id, failure=failure)
        transaction.on_commit(lambda: wake(evaluation.pk))


_AFRESH: dict[str, Any] = {"attempts_allowed": F("attempt") + ATTEMPTS, "woken": None}


_SCORING_AGAIN: Actors = frozenset({"owner", "reviewer", "admin"})


def may_score_again(submission: Submission, by: User) -> bool:
    """Whether ``score_again`` would do it now."""
    return bool(actors(submission, by) & _SCORING_AGAIN) and not _is_open(submission)


def score_again(submission: Submission, *, by: User) -> Evaluation:
    """A new evaluation, with the answer given before. What is published stays until it is scored.

    It costs as much as a new upload, and counts like one. Raises ``StateError`` where one is under
    way, and ``QuotaError``.
    """
    with transaction.atomic():
        lock_quota(by)
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        if not actors(locked, by) & _SCORING_AGAIN:
            raise StateError(_("You may not do this."))
        if _is_open(locked):
            raise StateError(_("It is being scored already."))
        count_upload(by, locked.pk)
        last = locked.evaluations.first()
        evaluation = _queue(locked)
        if last:
            Evaluation.objects.filter(pk=evaluation.pk).update(align=last.align)
        before = last.state if last else ""
        note(locked, "score again", before, EvaluationState.QUEUED, by=by)
    return evaluation


def _is_open(submission: Submission) -> bool:
    return submission.evaluations.open().exists()


_EDITABLE = frozenset({SubmissionState.PRIVATE, SubmissionState.REJECTED})


def may_edit(submission: Submission, by: User) -> bool:
    """Whether ``edit_settings`` would do it now."""
    return "owner" in actors(submission, by) and submission.state in _EDITABLE


def edit_settings(submission: Submission, told: RunDescription, *, by: User) -> None:
    """Say otherwise how the predictions were made, while nobody decides about it or reads it.

    Every change is written down with what stood there before. Raises ``StateError``.
    """
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        if "owner" not in actors(locked, by):
            raise StateError(_("You may not do this."))
        if locked.state not in _EDITABLE:
            raise StateError(_("This can only be changed while it is private or rejected."))
        changed = _changes(locked, told)
        if not changed:
            return
        for name in changed:
            setattr(locked, name, getattr(told, name))
        locked.save(update_fields=list(changed))
        reason = "\n".join(changed.values())
        note(locked, "edit settings", locked.state, locked.state, by=by, reason=reason)


def _changes(submission: Submission, told: RunDescription) -> dict[str, str]:
    """By the names of the fields that differ: a line that says from what to what."""
    names = [field.name for field in fields(RunDescription)]
    pairs = {name: (getattr(submission, name), getattr(told, name)) for name in names}
    return {
        name: f"{name.replace('_', ' ')}: {_shown(before)} → {_shown(after)}"
        for name, (before, after) in pairs.items()
        if before != after
    }


def _shown(value: object) -> str:
    return "–" if value in (None, "") else str(value)


def may_delete(submission: Submission, by: User) -> bool:
    """Whether ``delete_submission`` would do it now."""
    return "owner" in actors(submission, by) and _is_unseen(submission)


def delete_submission(submission: Submission, *, by: User) -> None:
    """Delete it with its file and results, while nobody but its owner has seen it.

    Raises ``StateError``.
    """
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        if "owner" not in actors(locked, by):
            raise StateError(_("You may not do this."))
        if not _is_unseen(locked):
            raise StateError(_("It has been in review, so it can only be withdrawn."))
        name, storage = locked.upload.name, locked.upload.storage
        # Scores that are being stored are there before they are deleted, or are not stored at all.
        list(locked.evaluations.select_for_update())
        keep_failures(locked.pk)
        locked.versions.update(previous=locked.previous_id)  # the chain of versions closes
        note(locked, "delete", locked.state, "deleted", by=by)
        locked.delete()
        transaction.on_commit(lambda: storage.delete(name))


def _is_unseen(submission: Submission) -> bool:
    reviewed = submission.audit_entries.filter(after=SubmissionState.IN_REVIEW)
    return submission.state == SubmissionState.PRIVATE and not reviewed.exists()
