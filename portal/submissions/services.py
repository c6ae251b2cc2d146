"""What authors do with their submissions: submit, answer, score again, edit, delete."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Min
from django.db.models.functions import Now

from portal.errors import QuotaError, StateError
from portal.language_models.services import create_language_model
from portal.models import (
    ATTEMPTS,
    Action,
    EndpointRun,
    Evaluation,
    EvaluationState,
    HubFetch,
    HubJobState,
    LanguageModel,
    Original,
    Release,
    ScoredAttempt,
    Submission,
    User,
)
from portal.permissions.access import owns
from portal.queue import enqueue_evaluation_on_commit
from portal.states import change_evaluation_as, lock_for, write_audit_entry
from portal.submissions.files.originals import (
    KeptFile,
    Upload,
    add_files,
    delete_file,
    released_originals,
    stored_original,
)
from portal.submissions.quotas import count_upload, keep_failures, lock_quota
from scoring.alignment import Method
from scoring.limits import LIMITS, MIB

_ANSWERS = ("align", "label_version", "release_confirmed")
_ANSWERS_OF_RUNS = {"align": "id", "release_confirmed": True}
_NOT_OF_RUNS = ("note", "link")  # their authors may change these; the rest is how we have asked
# Corrections of settings are limited because each stays in the audit log for good.
MOST_EDITS, EDIT_WINDOW = 60, timedelta(hours=1)
_RESET_ATTEMPTS: dict[str, Any] = {
    "attempts_allowed": F("attempt") + ATTEMPTS,
    "due": Now(),
    "enqueued_at": None,
}


@dataclass(frozen=True, slots=True)
class EditableSettings:
    """Settings on which no score depends, so that they may be corrected later.

    The fields are those of ``Submission``.
    """

    note: str = ""
    prompt_strategy: str = ""
    input_limit: int | None = None  # tokens
    output_limit: int | None = None  # tokens
    truncation: str = Submission.Truncation.UNKNOWN
    link: str = ""
    method: str = ""  # around the language model; empty: the model alone


@dataclass(frozen=True, slots=True)
class SubmissionSettings(EditableSettings):
    """All settings, with the one that scores depend on, which is final."""

    drop_first: bool = False


def submit_predictions(
    *,
    owner: User,
    language_model: LanguageModel,
    release: Release,
    settings: SubmissionSettings,
    upload: Upload | None,
    kept: Sequence[KeptFile] = (),
    submission_id: UUID | None = None,
    previous: Submission | None = None,
    run: EndpointRun | None = None,
    fetch: HubFetch | None = None,
) -> Submission:
    """Store the upload and queue the submission for scoring; from then on it cannot be lost.

    ``submission_id``: if the owner has used it already, the first submission is returned, since a
    form may be sent twice. An unsaved language model is created. ``kept``: files of the owner's
    submissions; the upload replaces their tasks. ``run``: the site itself has asked for these
    answers; a run has one submission, which uses no quota. ``fetch``: the upload comes from the
    Hub, by a job that must still have its claim; this ends the job. Raises ``OSError`` (a full
    disk), ``QuotaError`` and ``StateError``; nothing is stored then.
    """
    check_submittable(owner, previous, release=None if run else release)
    submission = Submission(
        id=submission_id or uuid4(),
        owner=owner,
        language_model=language_model,
        release=release,
        previous=previous,
        **asdict(settings),
    )
    stored = stored_original(upload) if upload else nullcontext()
    with stored as original, transaction.atomic():
        lock_quota(owner)
        _lock_job(run, fetch)
        if first := _submitted_before(submission.pk, owner, by_form=fetch is None):
            if original:
                delete_file(original)
            return first
        size = _checked_size(original, kept)
        if not run:
            count_upload(owner, submission.pk, size=size)
        _create_or_lock(language_model, owner)
        if submission.previous and not _lock_if_exists(submission.previous):
            submission.previous = None  # deleted during the upload
        submission.save(force_insert=True)
        add_files(submission, original, kept)
        _queue_evaluation(submission, answers=_ANSWERS_OF_RUNS if run else {})
        _end_job(submission, run, fetch)
    return submission


def check_submittable(owner: User, previous: Submission | None, *, release: Release | None) -> None:
    """``release`` None: it may be closed. Raises ``StateError``."""
    if release and not release.accepts_submissions:
        raise StateError("This release is closed for submissions.", "release_closed")
    if previous and not owns(owner, previous):
        raise StateError("You can only submit new versions of your own submissions.", "not_own")


def _submitted_before(submission_id: UUID, owner: User, *, by_form: bool) -> Submission | None:
    """The submission with this id. Raises ``StateError`` if the id was used for something else."""
    if first := Submission.objects.filter(pk=submission_id).first():
        if not by_form or first.owner_id != owner.pk:
            raise StateError("This form has expired. Please reload the page.", "out_of_date")
        return first
    check_not_deleted(submission_id)
    return None


def check_not_deleted(submission_id: UUID) -> None:
    """One attempt is counted for each id, so another one would not be. Raises ``StateError``."""
    if ScoredAttempt.objects.filter(submission=submission_id).exists():
        message = (
            "This was submitted, scored and deleted before. Open a new form, or send it with a "
            "new key."
        )
        raise StateError(message, "deleted")


def _lock_job(run: EndpointRun | None, fetch: HubFetch | None) -> None:
    """Lock the job, and check that it is still open. The submission's id does not show that:
    whoever knew it could have submitted other files with it. Raises ``StateError``."""
    if run:
        to_hand_in = EndpointRun.objects.to_hand_in().select_for_update(no_key=True)
        if not to_hand_in.filter(pk=run.pk).exists():
            raise StateError("The answers of this run are submitted already.", "handed_in")
    if fetch:
        held = HubFetch.objects.held_by(fetch.pk, fetch.fence).select_for_update(no_key=True)
        if not held.exists():
            raise StateError("It was cancelled, or another worker does it.", "fetch_lost")


def _end_job(submission: Submission, run: EndpointRun | None, fetch: HubFetch | None) -> None:
    if run:
        EndpointRun.objects.filter(pk=run.pk).update(submission=submission, handed_in=Now())
    if fetch:
        submission.uploads.update(fetch=fetch)
        HubFetch.objects.filter(pk=fetch.pk).update(
            state=HubJobState.DONE, key="", lease_until=None, reason="", ended=Now()
        )


def _checked_size(original: Original | None, kept: Sequence[KeptFile]) -> int:
    """The size of the new file. Raises ``StateError`` if it and the kept ones are too large."""
    size = original.size if original else 0
    if size + sum(one.original.size for one in kept) > LIMITS.bytes_in:
        raise StateError(
            f"The kept and the new files have more than {LIMITS.bytes_in // MIB} MB in total.",
            "too_large_with_kept",
        )
    return size


def _create_or_lock(language_model: LanguageModel, owner: User) -> None:
    if language_model.pk is None:
        create_language_model(language_model, owner=owner)
    elif not _lock_if_exists(language_model):
        raise StateError("The language model has been deleted in the meantime.", "model_deleted")


def _lock_if_exists(row: LanguageModel | Submission) -> bool:
    """Whether the row exists; if so, it cannot be deleted before the transaction ends."""
    locked = row._meta.base_manager.select_for_update(no_key=True).filter(pk=row.pk)
    return locked.first() is not None


def _queue_evaluation(submission: Submission, *, answers: Mapping[str, Any]) -> Evaluation:
    """``answers``: to questions about the files, so that they are not asked."""
    evaluation = Evaluation.objects.create(submission=submission, **answers)
    enqueue_evaluation_on_commit(evaluation.pk)
    return evaluation


def answer_question(
    evaluation: Evaluation,
    *,
    by: User,
    align: Method | None = None,
    version: str = "",
    release: Release | None = None,
) -> None:
    """Record what the author has chosen, and score with it; earlier answers stay.

    ``align``: how to match rows with examples; this also confirms the chosen release. ``version``:
    the slug of the label version that the files were made for. ``release``: where to score them,
    the chosen release or another one that fits better. Raises ``StateError``.
    """
    answers: dict[str, Any] = {}
    if align or release:
        answers["release_confirmed"] = True
    if align:
        answers["align"] = align
    if version:
        answers["label_version"] = version
    reason = ""
    with transaction.atomic():
        submission = Submission.objects.select_for_update().get(pk=evaluation.submission_id)
        if release and release != submission.release:
            if not release.accepts_submissions:
                raise StateError("This release is closed for submissions.", "release_closed")
            reason = f"release: {submission.release.slug} → {release.slug}"
            submission.release = release
            submission.save(update_fields=["release"])
        change_evaluation_as(
            evaluation,
            Action.ANSWER,
            by=by,
            reason=reason,
            question=None,
            **answers,
            **_RESET_ATTEMPTS,
        )
        enqueue_evaluation_on_commit(evaluation.pk)


def try_again(evaluation: Evaluation, *, by: User) -> None:
    """Score a failed evaluation once more, with as many attempts as a new one.

    The kind of failure decides whether it uses quota. Raises ``StateError`` and ``QuotaError``.
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
        enqueue_evaluation_on_commit(evaluation.pk)


def score_again(submission: Submission, *, by: User) -> Evaluation:
    """Queue a new evaluation with the answers given for the last one. Published scores stay until
    it is scored.

    It takes as long as a new upload, and counts like one. Raises ``StateError`` if an evaluation is
    open, and ``QuotaError``.
    """
    with transaction.atomic():
        lock_quota(by)
        locked = lock_for(Action.SCORE_AGAIN, submission, by=by)
        count_upload(by, locked.pk)
        last = locked.evaluations.first()
        known = {name: getattr(last, name) for name in _ANSWERS} if last else {}
        evaluation = _queue_evaluation(locked, answers=known)
        before = last.state if last else ""
        write_audit_entry(locked, Action.SCORE_AGAIN, before, EvaluationState.QUEUED, by=by)
    return evaluation


def edit_settings(submission: Submission, settings: EditableSettings, *, by: User) -> None:
    """Correct its settings while it is neither in review nor published. For a run by this site, the
    author may only change what the site does not know.

    The audit entry has the values before and after. Raises ``StateError`` and ``QuotaError``.
    """
    with transaction.atomic():
        locked = lock_for(Action.EDIT_SETTINGS, submission, by=by)
        fixed = fixed_settings(locked)
        changes = {}
        for name in (field.name for field in fields(EditableSettings)):
            values = getattr(locked, name), getattr(settings, name)
            if values[0] != values[1]:
                if name in fixed:
                    raise StateError("The site has asked with this setting.", "fixed_by_run")
                before, after = ("–" if value in (None, "") else value for value in values)
                changes[name] = f"{name.replace('_', ' ')}: {before} → {after}"
                setattr(locked, name, values[1])
        if not changes:
            return
        _check_edits(locked)
        locked.save(update_fields=list(changes))
        reason = "\n".join(changes.values())
        write_audit_entry(
            locked, Action.EDIT_SETTINGS, locked.state, locked.state, by=by, reason=reason
        )


def _check_edits(submission: Submission) -> None:
    """Called with the row locked, so that of two concurrent edits the second counts the first."""
    edits = submission.audit_entries.filter(action=Action.EDIT_SETTINGS)
    recent = edits.filter(at__gt=Now() - EDIT_WINDOW)
    if recent.count() >= MOST_EDITS:
        first = recent.aggregate(at=Min("at"))["at"]
        message = "The settings were corrected %(count)s times in an hour. Go on at %(when)s UTC."
        raise QuotaError(first + EDIT_WINDOW, message, "too_many_edits", count=MOST_EDITS)


def fixed_settings(submission: Submission) -> frozenset[str]:
    """The names of settings that cannot be changed: those of a run by this site are facts."""
    if not EndpointRun.objects.filter(submission=submission).exists():
        return frozenset()
    return frozenset(field.name for field in fields(EditableSettings)) - frozenset(_NOT_OF_RUNS)


def delete_submission(submission: Submission, *, by: User) -> None:
    """Delete it with its results, and with the files that no other version uses. Only possible
    while nobody but its owner has ever seen it.

    Raises ``StateError``.
    """
    with transaction.atomic():
        locked = lock_for(Action.DELETE, submission, by=by)
        # Waits for scores that are being stored, so that they are deleted too.
        list(locked.evaluations.select_for_update())
        keep_failures(locked.pk)
        locked.versions.update(previous=locked.previous_id)  # closes the gap in the chain
        with released_originals(locked):
            write_audit_entry(locked, Action.DELETE, locked.state, "deleted", by=by)
            locked.delete()
        HubFetch.objects.filter(pk=submission.pk, original=None).delete()
