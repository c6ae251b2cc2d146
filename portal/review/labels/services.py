"""Reporting labels, and deciding about the reports. Each is one transaction with its audit
entry."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Min
from django.db.models.functions import Now

from portal.audit.records import log_label_report
from portal.board_version import raise_board_version
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import (
    Example,
    LabelAction,
    LabelReport,
    LabelVerdict,
    Release,
    Submission,
    User,
)
from portal.permissions.access import sees_labels

# Limited because each stays in the audit log for good.
MOST_REPORTS, WINDOW = 60, timedelta(hours=1)


def report_label(
    release: Release, example: Example, *, proposed_answer: str, reason: str, by: User
) -> LabelReport:
    """Raises ``NotAllowedError`` if the label is hidden from this user, ``StateError`` while a
    report about it is open, and ``QuotaError``."""
    if not sees_labels(by, release):
        raise NotAllowedError
    with transaction.atomic():
        # Locked, so that of two concurrent requests the second sees the first.
        User.objects.select_for_update(no_key=True).get(pk=by.pk)
        recent = LabelReport.objects.filter(reported_by=by, reported_at__gt=Now() - WINDOW)
        if recent.count() >= MOST_REPORTS:
            first = recent.aggregate(at=Min("reported_at"))["at"]
            message = "You have reported %(count)s labels in an hour. Go on at %(when)s UTC."
            raise QuotaError(first + WINDOW, message, "too_many_reports", count=MOST_REPORTS)
        if LabelReport.objects.open().about(example).exists():
            raise StateError(
                "This label has been reported already; a reviewer decides.", "already_reported"
            )
        report = LabelReport.objects.create(
            release=release,
            example=example,
            proposed_answer=proposed_answer,
            reason=reason,
            reported_by=by,
        )
        log_label_report(report, LabelAction.REPORT, by=by)
        raise_board_version()  # the page of the example says that it is reported
    return report


def decide_label_report(
    report: LabelReport, verdict: LabelVerdict, *, explanation: str, by: User
) -> LabelReport:
    """Published scores stay. Raises ``StateError`` unless this is a reviewer who neither reported
    the label nor submitted answers to the question."""
    if not by.is_reviewer:
        raise NotAllowedError
    with transaction.atomic():
        locked = LabelReport.objects.select_for_update(no_key=True).get(pk=report.pk)
        if locked.verdict:
            raise StateError("It is decided already.", "wrong_state")
        if locked.reported_by_id == by.pk:
            raise StateError(
                "You reported this label, so another reviewer has to decide.", "own_report"
            )
        data_sets = Example.objects.same_as(locked.example).order_by().values("data_set")
        own = Submission.objects.owned_by(by).in_use()
        if own.filter(evaluations__task_scores__data_set__in=data_sets).exists():
            raise StateError(
                "You have submitted answers to this question, so another reviewer has to decide.",
                "interest",
            )
        locked.verdict, locked.explanation = verdict, explanation
        locked.decided_by, locked.decided_at = by, Now()
        locked.save(update_fields=["verdict", "explanation", "decided_by", "decided_at"])
        log_label_report(locked, LabelAction.DECIDE, by=by)
        raise_board_version()
    return locked
