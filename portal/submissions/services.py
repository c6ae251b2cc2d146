"""What authors do with their submissions: hand in, answer, score again, delete."""

from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID, uuid4

from django.core.files.base import File
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from portal.errors import StateError
from portal.language_models.services import create_language_model
from portal.models import (
    ATTEMPTS,
    Action,
    Evaluation,
    EvaluationState,
    LanguageModel,
    Release,
    Submission,
    User,
)
from portal.queue import wake_after_commit
from portal.states import change_evaluation_as, lock_for, write_audit_entry
from portal.submissions.originals import original_kept, remove_original
from portal.submissions.quotas import count_upload, keep_failures, lock_quota
from scoring.alignment import Method

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

    Once this returns, nothing loses it any more, whether a broker or a worker runs or not. A new
    language model is stored with it. Handed in again under an id that the owner has used, it
    changes nothing and returns what is there: so a form can be sent twice.
    ``previous``: a submission of the same owner, of which this is a new version.

    Raises ``OSError`` where the bytes cannot be stored (a full disk), ``QuotaError``, and
    ``StateError`` where the release takes no submissions or the language model is gone; then there
    is no trace of any of it. Where the database goes away, nobody knows; then it can be handed in
    again under its id. Not to be called within a transaction.
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
    with original_kept(submission, upload):
        stored = _store(submission, owner)
    if stored is not submission:
        remove_original(submission)
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
        elif not _is_there(submission.language_model):
            raise StateError(_("The language model was deleted meanwhile."))
        if submission.previous and not _is_there(submission.previous):
            submission.previous = None  # deleted while the files travelled
        submission.save(force_insert=True)
        _queue(submission)
    return submission


def _is_there(row: LanguageModel | Submission) -> bool:
    """Whether it is in the database still, and then stays until the transaction ends."""
    locked = row._meta.base_manager.select_for_update(no_key=True).filter(pk=row.pk)
    return locked.first() is not None


def shown_name(name: str) -> str:
    """The last part of the name of a file, as it can be stored: it is shown, and tells the task."""
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = last.replace("\0", "�").encode(errors="replace").decode()
    return clean[-_NAME_CAP:] or "upload"


def _queue(submission: Submission) -> Evaluation:
    evaluation = Evaluation.objects.create(submission=submission)
    wake_after_commit(evaluation.pk)
    return evaluation


# As often as if the evaluation were new.
_RESET_ATTEMPTS: dict[str, Any] = {"attempts_allowed": F("attempt") + ATTEMPTS, "woken": None}


def answer_alignment(evaluation: Evaluation, *, by: User, align: Method) -> None:
    """The author says how rows and examples belong together; it is scored then.

    Raises ``StateError``.
    """
    with transaction.atomic():
        change_evaluation_as(
            evaluation, Action.ANSWER, by=by, align=align, question=None, **_RESET_ATTEMPTS
        )
        wake_after_commit(evaluation.pk)


def try_again(evaluation: Evaluation, *, by: User) -> None:
    """Score what has failed once more, as often as if it were new.

    What the failure was decides what it costs. Raises ``StateError`` and ``QuotaError``.
    """
    with transaction.atomic():
        lock_quota(by)
        failure = Evaluation.objects.values_list("failure", flat=True).get(pk=evaluation.pk)
        change_evaluation_as(
            evaluation,
            Action.TRY_AGAIN,
            by=by,
            failure="",
            finished=None,
            problems=[],
            **_RESET_ATTEMPTS,
        )
        count_upload(by, evaluation.submission_id, failure=failure)
        wake_after_commit(evaluation.pk)


def score_again(submission: Submission, *, by: User) -> Evaluation:
    """A new evaluation, with the answer given before. What is published stays until it is scored.

    It costs as much as a new upload, and counts like one. Raises ``StateError`` where one is under
    way, and ``QuotaError``.
    """
    with transaction.atomic():
        lock_quota(by)
        locked = lock_for(Action.SCORE_AGAIN, submission, by=by)
        count_upload(by, locked.pk)
        last = locked.evaluations.first()
        evaluation = _queue(locked)
        if last:
            Evaluation.objects.filter(pk=evaluation.pk).update(align=last.align)
        before = last.state if last else ""
        write_audit_entry(locked, Action.SCORE_AGAIN, before, EvaluationState.QUEUED, by=by)
    return evaluation


def edit_settings(submission: Submission, told: RunDescription, *, by: User) -> None:
    """Say otherwise how the predictions were made, while nobody decides about it or reads it.

    Every change is written down with what stood there before. Raises ``StateError``.
    """
    with transaction.atomic():
        locked = lock_for(Action.EDIT_SETTINGS, submission, by=by)
        changed = _changes(locked, told)
        if not changed:
            return
        for name in changed:
            setattr(locked, name, getattr(told, name))
        locked.save(update_fields=list(changed))
        reason = "\n".join(changed.values())
        write_audit_entry(
            locked, Action.EDIT_SETTINGS, locked.state, locked.state, by=by, reason=reason
        )


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


def delete_submission(submission: Submission, *, by: User) -> None:
    """Delete it with its file and results, while nobody but its owner has seen it.

    Raises ``StateError``.
    """
    with transaction.atomic():
        locked = lock_for(Action.DELETE, submission, by=by)
        # Scores that are being stored are there before they are deleted, or are not stored at all.
        list(locked.evaluations.select_for_update())
        keep_failures(locked.pk)
        locked.versions.update(previous=locked.previous_id)  # the chain of versions closes
        write_audit_entry(locked, Action.DELETE, locked.state, "deleted", by=by)
        locked.delete()
        transaction.on_commit(lambda: remove_original(locked), robust=True)
