"""What becomes of a submission: asked for, published, rejected, hidden, restored, withdrawn.

Each is one transaction with its audit entry and with the notices of it: its author is told of what
others decided, reviewers of what waits for them.
All raise ``StateError`` where it is not for this person, or the submission in another state by now
(``portal.states.TRANSITIONS``). Nobody decides about the very predictions that they have handed in
themselves, whoever's account they came from.

What puts an entry on the board takes ``seen``: what whoever decides has looked at
(``portal.review.fingerprint``); it is refused where that is another thing by now. None: nobody
looks, as where the site does it by itself.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from portal.errors import StateError
from portal.evaluations.ladder import tell_own
from portal.mail.outbox import tell_author, tell_reviewers
from portal.models import LanguageModel, Submission, SubmissionState, User
from portal.permissions import with_own_answers
from portal.review.fingerprint import seen_of
from portal.states import allowed_actions, change_submission

_DECISIONS = ("publish", "reject", "hide", "restore")  # about what others have handed in


def open_actions(submission: Submission, user: User) -> list[str]:
    """Those of ``portal.states.allowed_actions`` that nothing of their own stands against."""
    allowed = allowed_actions(submission, user)
    own = with_own_answers(user, [submission])
    return [action for action in allowed if not (own and action in _DECISIONS)]


def ask_for_publication(submission: Submission, *, by: User) -> Submission:
    return _change(submission, "ask for publication", by=by)


def publish_submission(
    submission: Submission, *, by: User, reason: str, seen: str | None = None
) -> Submission:
    """Put it on the board."""
    with transaction.atomic():
        _lock_language_model(submission)
        tell_own(submission)
        published = _decide(submission, "publish", by=by, reason=reason)
        _check_seen(published, seen)
    return published


def reject_submission(submission: Submission, *, by: User, reason: str) -> Submission:
    """Give it back to its author, who can ask again."""
    return _decide(submission, "reject", by=by, reason=reason)


def hide_entry(submission: Submission, *, by: User, reason: str) -> Submission:
    """Take what is published off the board, until it is restored."""
    return _decide(submission, "hide", by=by, reason=reason)


def restore_entry(
    submission: Submission, *, by: User, reason: str, seen: str | None = None
) -> Submission:
    """Put what was hidden on the board again."""
    with transaction.atomic():
        _lock_language_model(submission)
        restored = _decide(submission, "restore", by=by, reason=reason)
        _check_seen(restored, seen)
    return restored


def withdraw_submission(submission: Submission, *, by: User, reason: str = "") -> Submission:
    """Take it away for good; a tombstone stays where it was on the board."""
    return _change(submission, "withdraw", by=by, reason=reason)


def _decide(submission: Submission, action: str, *, by: User, reason: str) -> Submission:
    with transaction.atomic():
        decided = _change(submission, action, by=by, reason=reason)
        if with_own_answers(by, [decided]):
            raise StateError(
                _("You have handed in the very same predictions, so another reviewer decides.")
            )
    return decided


def _lock_language_model(submission: Submission) -> None:
    """Until the transaction ends, and before the submission, as whoever edits it does: so neither
    waits for the other for ever."""
    locked = LanguageModel.objects.select_for_update(no_key=True)
    locked.get(pk=submission.language_model_id)


def _check_seen(submission: Submission, seen: str | None) -> None:
    """With both rows locked."""
    if seen not in (None, seen_of(submission.pk)):
        raise StateError(
            _(
                "Scores, or what is told of the run or the language model, have changed since you "
                "opened the page: look at it again."
            )
        )


def _change(submission: Submission, action: str, *, by: User, reason: str = "") -> Submission:
    with transaction.atomic():
        changed = change_submission(submission, action, by=by, reason=reason)
        if changed.owner_id != by.pk:
            tell_author(changed)
        if changed.state == SubmissionState.IN_REVIEW:
            tell_reviewers(changed)
    return changed
