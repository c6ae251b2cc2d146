"""How often somebody may hand in, and what counts: one table, role → uploads in 24 hours.

A scoring costs minutes of processor time at the worst, so it cannot be had without end. What
failed through a fault of ours does not count. Nor does what held nothing to score: it ends in the
first stage, which is quick, and is what happens to people who try the site; but only ten times a
day, or else anybody could send the wrong files for ever. Beside that, nobody uploads more often
than five times their quota, whatever becomes of it: a file on which the scorer dies each time
looks like a fault of ours, and costs three attempts. Who has it tried again sends it again.

Deleting a submission changes nothing: what counted goes on to count, what did not does not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Now, NullIf

from portal.errors import QuotaError
from portal.evaluations.failures import FAILURES
from portal.models import CountedUpload, Evaluation, Role, User

WINDOW = timedelta(hours=24)
QUOTAS: Mapping[str, int | None] = {Role.AUTHOR: 30, Role.REVIEWER: 100, Role.ADMIN: None}
ALL_TOGETHER = 5  # times the quota: all uploads, whatever became of them
UNSCORABLE = "nothing_to_score"
FREE_UNSCORABLE = 10  # in 24 hours
# What may end otherwise when it is tried again was not the fault of the files.
_OURS = frozenset(code for code, failure in FAILURES.items() if failure.again)


@dataclass(frozen=True, slots=True)
class Quota:
    limit: int | None  # None: there is none
    used: int
    sent: int = 0  # with all that does not count
    opens: datetime | None = None  # when the next upload is possible, where none is now

    @property
    def left(self) -> int | None:
        if self.limit is None:
            return None
        return max(0, min(self.limit - self.used, ALL_TOGETHER * self.limit - self.sent))

    @property
    def used_up(self) -> bool:
        return self.left == 0


def quota_of(user: User) -> Quota:
    """What this person has left now, by the database's clock."""
    limit = QUOTAS[user.role]
    if limit is None:
        return Quota(None, _recent(user).count())
    sent = list(_recent(user).annotate(ended=_FAILURE))
    used = _counted((one.at, one.ended) for one in sent)
    everything = [one.at for one in sent]
    opens = [*_opens(used, limit), *_opens(everything, ALL_TOGETHER * limit)]
    return Quota(limit, len(used), len(sent), max(opens, default=None))


def lock_quota(owner: User) -> None:
    """Until the end of the transaction, nobody else hands in for this person.

    So of two at once the second sees what the first has taken.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def count_upload(owner: User, submission_id: UUID, *, failure: str = "") -> None:
    """Take one from the quota; in the transaction that stores the submission, under the lock.

    ``failure``: of what is tried again. After a fault of ours that is free, but not for ever.
    Raises ``QuotaError`` where nothing is left.
    """
    quota = quota_of(owner)
    if quota.used_up:
        raise QuotaError(quota.opens)
    CountedUpload.objects.create(owner=owner, submission=submission_id, failure=failure)


def keep_failures(submission_id: UUID) -> None:
    """Before a submission is deleted: afterwards nobody knows any more how it had ended."""
    CountedUpload.objects.filter(submission=submission_id).update(failure=_FAILURE)


def _recent(user: User) -> "QuerySet[CountedUpload]":
    """The newest first."""
    return user.counted_uploads.filter(at__gt=Now() - WINDOW)


# Of an upload: the code with which the evaluation has failed that it brought about.
_FAILURE = Coalesce(
    NullIf(F("failure"), Value("")),
    Subquery(
        Evaluation.objects.filter(submission=OuterRef("submission"), created__gte=OuterRef("at"))
        .order_by("created", "pk")
        .values("failure")[:1]
    ),
    Value(""),
)


def _counted(uploads: Iterable[tuple[datetime, str]]) -> list[datetime]:
    """When those were that count. Of the unscorable ones the newest are free: so none of them
    begins to count when another is a day old."""
    free = iter(range(FREE_UNSCORABLE))
    return [
        at
        for at, ended in uploads
        if ended not in _OURS and not (ended == UNSCORABLE and next(free, None) is not None)
    ]


def _opens(times: Sequence[datetime], most: int) -> list[datetime]:
    """When there will be one less than the most, where there are as many; the newest are first."""
    return [times[most - 1] + WINDOW] if 0 < most <= len(times) else []
