"""Filing and deciding disputes. Each is one transaction with its audit entry, and raises
``StateError`` if the user may not do it, or if it is too late."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Min
from django.db.models.functions import Now

from portal.audit.records import log_dispute
from portal.board_version import raise_board_version
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.ledger.records import record_relabelling
from portal.models import (
    DisputeAction,
    Example,
    LabelDispute,
    Outcome,
    Release,
    Submission,
    User,
)
from portal.permissions.access import Reader, sees_labels

# Limited because each stays in the audit log for good.
MOST_DISPUTES, WINDOW = 60, timedelta(hours=1)


def file_dispute(
    release: Release, example: Example, *, proposed_label: object, reason: str, by: User
) -> LabelDispute:
    """Anybody who may see the label may file one. ``proposed_label``: in the form in which it would
    be stored; None: the question should be left out."""
    if not sees_labels(by, release):
        raise NotAllowedError
    if proposed_label == example.label:
        raise StateError("This is what the label is already.", "same_label")
    with transaction.atomic():
        _check_quota(by)
        same = LabelDispute.objects.open().about(example)
        if proposed_label in same.values_list("proposed_label", flat=True):
            raise StateError("The same proposal is filed already, and open.", "already_filed")
        dispute = LabelDispute.objects.create(
            release=release,
            example=example,
            proposed_label=proposed_label,
            reason=reason,
            filed_by=by,
        )
        log_dispute(dispute, DisputeAction.FILE, by=by, reason=reason)
        raise_board_version()  # readers see that the label is in doubt
    return dispute


def _check_quota(user: User) -> None:
    """Locks the user's row, so that of two concurrent requests the second sees the first."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    recent = LabelDispute.objects.filter(filed_by=user, filed_at__gt=Now() - WINDOW)
    if recent.count() >= MOST_DISPUTES:
        first = recent.aggregate(at=Min("filed_at"))["at"]
        message = "You have filed %(count)s disputes in an hour. Go on at %(when)s UTC."
        raise QuotaError(first + WINDOW, message, "too_many_disputes", count=MOST_DISPUTES)


def decide_dispute(
    dispute: LabelDispute, outcome: Outcome, *, reason: str, by: User
) -> LabelDispute:
    """Published scores do not change: an accepted correction becomes part of the proposed data
    set."""
    with transaction.atomic():
        locked = LabelDispute.objects.select_for_update(no_key=True).get(pk=dispute.pk)
        if refusal := why_not_decide(locked, by):
            raise refusal
        locked.outcome, locked.decision = outcome, reason
        locked.decided_by, locked.decided_at = by, Now()
        locked.save(update_fields=["outcome", "decision", "decided_by", "decided_at"])
        log_dispute(locked, DisputeAction.DECIDE, by=by, reason=reason)
        record_relabelling(locked, by=by)
        raise_board_version()
    return locked


def why_not_decide(dispute: LabelDispute, user: Reader) -> StateError | None:
    """Why this user may not decide; None if they may: a reviewer who neither filed the dispute nor
    has an entry whose score may depend on it."""
    if not (isinstance(user, User) and user.is_reviewer):
        return NotAllowedError()
    if not dispute.is_open:
        return StateError("It is decided already.", "wrong_state")
    if dispute.filed_by_id == user.pk:
        return StateError(
            "You filed this dispute, so another reviewer has to decide.", "own_dispute"
        )
    if _has_interest(dispute, user):
        return StateError(
            "You have submitted answers to this question, so another reviewer has to decide.",
            "interest",
        )
    return None


def _has_interest(dispute: LabelDispute, user: User) -> bool:
    own = Submission.objects.owned_by(user).in_use()
    data_sets = Example.objects.same_as(dispute.example).order_by().values("data_set")
    return own.filter(evaluations__task_scores__data_set__in=data_sets).exists()
