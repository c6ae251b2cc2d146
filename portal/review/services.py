"""Requesting, deciding about and ending the publication of a submission.

Each is one transaction with its audit entry and its notices: authors are notified of what others
decided, reviewers of what waits for them. All raise ``StateError`` where the user may not do it, or
not in the state that the submission is in by now (``portal.permissions.ACTIONS``).

What puts an entry on the board takes ``seen``, the ``review_fingerprint`` of what the reviewer was
shown, and is refused where that has changed. None: there was nothing to look at, as in a command.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from portal.errors import StateError
from portal.evaluations.ladder import disclose_own_scores
from portal.mail.outbox import notify_author, notify_reviewers
from portal.models import Action, LanguageModel, Submission, SubmissionState, User
from portal.review.fingerprint import review_fingerprint
from portal.states import change_submission


def request_publication(submission: Submission, *, by: User) -> Submission:
    return _change(submission, Action.REQUEST_PUBLICATION, by=by)


def publish_submission(
    submission: Submission, *, by: User, reason: str, seen: str | None = None
) -> Submission:
    with transaction.atomic():
        _lock_language_model(submission)
        disclose_own_scores(submission)
        published = _change(submission, Action.PUBLISH, by=by, reason=reason)
        _check_fingerprint(published, seen)
    return published


def reject_submission(submission: Submission, *, by: User, reason: str) -> Submission:
    """Return it to its author, who can request publication again."""
    return _change(submission, Action.REJECT, by=by, reason=reason)


def hide_entry(submission: Submission, *, by: User, reason: str) -> Submission:
    """Take a published entry off the board, until it is restored."""
    return _change(submission, Action.HIDE, by=by, reason=reason)


def restore_entry(
    submission: Submission, *, by: User, reason: str, seen: str | None = None
) -> Submission:
    """Put a hidden entry on the board again."""
    with transaction.atomic():
        _lock_language_model(submission)
        restored = _change(submission, Action.RESTORE, by=by, reason=reason)
        _check_fingerprint(restored, seen)
    return restored


def withdraw_submission(submission: Submission, *, by: User, reason: str = "") -> Submission:
    """Withdraw it for good; a tombstone stays where it was on the board."""
    return _change(submission, Action.WITHDRAW, by=by, reason=reason)


def _lock_language_model(submission: Submission) -> None:
    """Until the transaction ends, and before the submission, as when the model is edited: otherwise
    the two could deadlock."""
    locked = LanguageModel.objects.select_for_update(no_key=True)
    locked.get(pk=submission.language_model_id)


def _check_fingerprint(submission: Submission, seen: str | None) -> None:
    """To be called with both rows locked."""
    if seen not in (None, review_fingerprint(submission.pk)):
        raise StateError(
            _(
                "The scores, run settings or model details have changed since you opened this "
                "page. Please check them again."
            ),
            "changed",
        )


def _change(submission: Submission, action: Action, *, by: User, reason: str = "") -> Submission:
    with transaction.atomic():
        changed = change_submission(submission, action, by=by, reason=reason)
        if changed.owner_id != by.pk:
            notify_author(changed)
        if changed.state == SubmissionState.IN_REVIEW:
            notify_reviewers(changed)
    return changed
