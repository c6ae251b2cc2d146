"""How often somebody may hand in, and what counts: one table, role → uploads in 24 hours.

A scoring costs minutes of processor time at the worst, so it cannot be had without end. What
failed through a fault of ours does not count; what was deleted does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from portal.failures import FAILURES
from portal.models import CountedUpload, Evaluation, EvaluationState, Role, User

WINDOW = timedelta(hours=24)
QUOTAS: Mapping[str, int | None] = {Role.AUTHOR: 30, Role.REVIEWER: 100, Role.ADMIN: None}
# What may end otherwise when it is tried again was not the fault of the files.
_OURS = [code for code, failure in FAILURES.items() if failure.again]


@dataclass(frozen=True, slots=True)
class Quota:
    limit: int | None  # None: there is none
    used: int
    opens: datetime | None = None  # when the next upload is possible, where none is now

    @property
    def left(self) -> int | None:
        return None if self.limit is None else max(0, self.limit - self.used)

    @property
    def used_up(self) -> bool:
        return self.left == 0


class QuotaError(Exception):
    """There is nothing left of the quota."""

    def __init__(self, quota: Quota) -> None:
        super().__init__("the quota is used up")
        self.quota = quota


def quota_of(user: User) -> Quota:
    """What this person has left now, by the database's clock."""
    limit = QUOTAS[user.role]
    used = _counted(user).count()
    if limit is None or used < limit:
        return Quota(limit, used)
    return Quota(limit, used, opens=_counted(user)[limit - 1].at + WINDOW)


def lock_quota(owner: User) -> None:
    """Until the end of the transaction, nobody else hands in for this person.

    So of two at once the second sees what the first has taken.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def count_upload(owner: User, submission_id: UUID) -> None:
    """Take one from the quota; in the transaction that stores the submission, under the lock.

    Raises ``QuotaError`` where nothing is left.
    """
    quota = quota_of(owner)
    if quota.used_up:
        raise QuotaError(quota)
    CountedUpload.objects.create(owner=owner, submission=submission_id)


def give_back_if_ours(submission_id: UUID) -> None:
    """Before a submission is deleted: afterwards nobody knows any more that the fault was ours."""
    if _failed_by_us().filter(submission=submission_id).exists():
        CountedUpload.objects.filter(submission=submission_id).delete()


def _counted(user: User) -> "QuerySet[CountedUpload]":
    """The uploads of this person that count now, the newest first."""
    ours = _failed_by_us().filter(submission__owner=user).values("submission")
    return user.counted_uploads.filter(at__gt=Now() - WINDOW).exclude(submission__in=ours)


def _failed_by_us() -> "QuerySet[Evaluation]":
    return Evaluation.objects.filter(state=EvaluationState.FAILED, failure__in=_OURS)
