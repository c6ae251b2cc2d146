"""Requesting, discussing, deciding about and ending the publication of a submission.

Each is one transaction with its audit entry and its notices: authors are told what others have
decided, reviewers what waits for them. All raise ``StateError`` if the user may not do it, or not
in the submission's current state (``portal.permissions.actions.ACTIONS``).

Services that put an entry on the board take ``seen``, the ``review_fingerprint`` of what the
reviewer was shown, and refuse if that has changed. None: nothing was shown, as in a command, so
nobody is asked about its flags either.
"""

from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from portal.board_version import raise_board_version
from portal.errors import StateError
from portal.evaluations.ladder import disclose_own_scores
from portal.mail.outbox import notify_author, notify_reviewers
from portal.models import Action, LanguageModel, Submission, User
from portal.permissions.access import owns
from portal.review.facts.summary import prefetch_for_review, review_summaries
from portal.review.facts.warnings import has_critical_flags
from portal.review.fingerprint import review_fingerprint
from portal.review.schedule import check_day
from portal.states import change_submission, lock_for, write_audit_entry
from portal.submissions.services import EditableSettings, edit_settings, fixed_settings


def request_publication(
    submission: Submission,
    *,
    by: User,
    settings: EditableSettings | None = None,
    unknown_confirmed: bool = False,
    by_maker: bool = False,
    publish_on: datetime | None = None,
    show_account: bool = True,
) -> Submission:
    """Have it reviewed, after correcting its ``settings``. It becomes public once it is approved,
    but not before ``publish_on``; ``show_account``: with the name of the account. ``by_maker``:
    whether its author is the maker of the language model.

    Reviewers need to know how the predictions were made, so this is refused while a setting is
    empty, unless the author states that it is not known (``unknown_confirmed``).
    """
    with transaction.atomic():
        if settings:
            edit_settings(submission, settings, by=by)
        requested = _change(submission, Action.REQUEST_PUBLICATION, by=by)
        is_known = unknown_confirmed or fixed_settings(requested)  # settings of a run by this site
        if requested.missing_settings() and not is_known:
            raise StateError(
                "State {settings}, or confirm that what is empty is not known.".format(
                    settings=", ".join(requested.missing_settings())
                ),
                "settings_missing",
            )
        check_day(requested, publish_on)
        requested.unknown_confirmed = unknown_confirmed
        requested.publish_on, requested.show_account = publish_on, show_account
        requested.by_maker, requested.maker_confirmed = by_maker, False
        requested.save(
            update_fields=[
                *("unknown_confirmed", "publish_on", "show_account"),
                *("by_maker", "maker_confirmed"),
            ]
        )
    return requested


def cancel_request(submission: Submission, *, by: User) -> Submission:
    """Take back the request for publication: the submission is private again."""
    return _change(submission, Action.CANCEL_REQUEST, by=by)


def claim_request(submission: Submission, *, by: User) -> None:
    """Show other reviewers that ``by`` is reviewing it. Replaces an earlier claim."""
    with transaction.atomic():
        locked = lock_for(Action.CLAIM, submission, by=by)
        if locked.claimed_by_id != by.pk:
            locked.claimed_by, locked.claimed_at = by, Now()
            locked.save(update_fields=["claimed_by", "claimed_at"])
            _log(locked, Action.CLAIM, by)


def ask_author(submission: Submission, *, by: User, reason: str) -> Submission:
    """Ask its author a question (``reason``) without deciding."""
    return _change(submission, Action.ASK_AUTHOR, by=by, reason=reason)


def reply_to_reviewer(submission: Submission, *, by: User, reason: str) -> Submission:
    """Answer the question (``reason`` is the reply): it waits for review again."""
    return _change(submission, Action.REPLY, by=by, reason=reason)


def publish_submission(
    submission: Submission,
    *,
    by: User,
    reason: str,
    seen: str | None = None,
    maker_confirmed: bool = False,
    flags_answer: str = "",
) -> Submission:
    """Publish it; if the day that its author has asked for is still to come, schedule it.
    ``maker_confirmed``: the claim of its author to be the maker of the language model, if there is
    one, is true. ``flags_answer``: why its critical flags, if there are any, are no reason against
    it. Refused until its answers have been compared with those of other entries."""
    with transaction.atomic():
        _lock_language_model(submission)
        later = Submission.objects.filter(pk=submission.pk, publish_on__gt=Now())
        action = Action.SCHEDULE if later.exists() else Action.PUBLISH
        locked = lock_for(action, submission, by=by, reason=reason)
        _check_fingerprint(locked, seen)
        if seen is not None:
            _check_flags(locked, by, flags_answer)
        if action is Action.PUBLISH:
            disclose_own_scores(submission)
        if flags_answer.strip():
            _log(locked, Action.ANSWER_FLAGS, by, flags_answer.strip())
        if locked.by_maker:
            Submission.objects.filter(pk=locked.pk).update(maker_confirmed=maker_confirmed)
            claim = "confirmed" if maker_confirmed else "not confirmed"
            _log(locked, Action.CONFIRM_MAKER, by, claim)
        return _change(submission, action, by=by, reason=reason)


def reject_submission(submission: Submission, *, by: User, reason: str) -> Submission:
    """Return it to its author, who can request publication again."""
    return _change(submission, Action.REJECT, by=by, reason=reason)


def undo_decision(submission: Submission, *, by: User) -> Submission:
    """Take back one's own decision of the last minutes (``UNDO_WITHIN``): it is in review again."""
    return _change(submission, Action.UNDO_DECISION, by=by)


def show_account(submission: Submission, *, shown: bool, by: User) -> None:
    """Show the name of its account on the entry, or hide it."""
    with transaction.atomic():
        locked = lock_for(Action.SHOW_ACCOUNT, submission, by=by)
        if locked.show_account == shown:
            return
        locked.show_account = shown
        locked.save(update_fields=["show_account"])
        change = f"show account: {not shown} → {shown}"
        _log(locked, Action.SHOW_ACCOUNT, by, change)
        raise_board_version()


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
    """So that it is not edited after the reviewer has seen it. To be called before the submission
    is locked, which is also the order when a model is edited: otherwise the two could deadlock."""
    LanguageModel.objects.select_for_update(no_key=True).get(pk=submission.language_model_id)


def _check_fingerprint(submission: Submission, seen: str | None) -> None:
    """Called with the submission and its language model locked."""
    if seen not in (None, review_fingerprint(submission.pk)):
        raise StateError(
            (
                "The scores, flags, run settings or model details have changed since you opened "
                "this page. Please check them again."
            ),
            "changed",
        )


def _check_flags(submission: Submission, reviewer: User, answer: str) -> None:
    rows = prefetch_for_review(Submission.objects.filter(pk=submission.pk))
    [summary] = review_summaries(list(rows), reviewer)
    if not summary.checked:
        raise StateError(
            (
                "Its answers have not been compared with those of other entries yet. That takes a "
                "minute or two; please try again then."
            ),
            "not_checked",
        )
    if has_critical_flags(summary) and not answer.strip():
        raise StateError(
            "It has critical flags. Please say why it can be published nevertheless.",
            "flags_unanswered",
        )


def _log(submission: Submission, action: Action, by: User, reason: str = "") -> None:
    """An action that does not change the state."""
    state = submission.state
    write_audit_entry(submission, action, state, state, by=by, reason=reason)


def _change(submission: Submission, action: Action, *, by: User, reason: str = "") -> Submission:
    with transaction.atomic():
        changed = change_submission(submission, action, by=by, reason=reason)
        if not owns(by, changed):
            notify_author(changed)
        if action in (Action.REQUEST_PUBLICATION, Action.REPLY):
            notify_reviewers(changed)
    return changed
