"""What becomes of a submission: asked for, published, rejected, hidden, restored, withdrawn.

Each is one transaction with its audit entry and with the notices of it: its author is told of what
others decided, reviewers of what waits for them.
All raise ``StateError`` where it is not for this person, or the submission in another state by now
(``portal.states.TRANSITIONS``).
"""

from django.db import transaction
from django.utils.translation import gettext as _

from portal.hidden_scores import tell_own
from portal.models import Submission, SubmissionState, User
from portal.notices import tell_author, tell_reviewers
from portal.states import StateError, change_submission


def ask_for_publication(submission: Submission, *, by: User) -> Submission:
    return _change(submission, "ask for publication", by=by)


def publish_submission(
    submission: Submission, *, by: User, reason: str, seen: int | None = None
) -> Submission:
    """Put it on the board. ``seen``: the evaluation whose scores the reviewer looked at.

    Raises ``StateError`` also where there are newer scores than those.
    """
    with transaction.atomic():
        tell_own(submission)
        published = _change(submission, "publish", by=by, reason=reason)
        newest = published.evaluations.scored().values_list("pk", flat=True).first()
        if seen not in (None, newest):
            raise StateError(_("There are new scores since you opened the page: look at them."))
    return published


def reject_submission(submission: Submission, *, by: User, reason: str) -> Submission:
    """Give it back to its author, who can ask again."""
    return _change(submission, "reject", by=by, reason=reason)


def hide_entry(submission: Submission, *, by: User, reason: str) -> Submission:
    """Take what is published off the board for a while."""
    return _change(submission, "hide", by=by, reason=reason)


def restore_entry(submission: Submission, *, by: User, reason: str) -> Submission:
    """Put what was hidden on the board again."""
    return _change(submission, "restore", by=by, reason=reason)


def withdraw_submission(submission: Submission, *, by: User, reason: str = "") -> Submission:
    """Take it away for good; a tombstone stays where it was on the board."""
    return _change(submission, "withdraw", by=by, reason=reason)


def _change(submission: Submission, action: str, *, by: User, reason: str = "") -> Submission:
    with transaction.atomic():
        changed = change_submission(submission, action, by=by, reason=reason)
        if changed.owner_id != by.pk:
            tell_author(changed)
        if changed.state == SubmissionState.IN_REVIEW:
            tell_reviewers(changed)
    return changed
