"""How often users may upload, and what counts: one table, role → uploads in 24 hours.

Scoring may cost minutes of processor time, so it is limited. A failure that is the site's fault
does not count. Neither does an upload with nothing to score: it ends in the quick first stage, and
happens to people who try the site; but only ten times a day, so that wrong files cannot be sent
without end. The total is limited to five times the quota, whatever the results: a file that crashes
the scorer looks like a fault of the site, and costs three attempts. Trying again counts as an
upload of its own.

Deleting a submission changes nothing about what its upload counts.

The bytes of all uploads together are limited by ``DAILY_BYTES``, whatever their results. Nor may
an author have more than ``MAX_QUEUED`` evaluations in the queue at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Now, NullIf
from django.utils.translation import gettext as _

from portal.errors import QuotaError
from portal.evaluations.failures import FAILURES
from portal.models import CountedUpload, Evaluation, Role, User

WINDOW = timedelta(hours=24)
QUOTAS: Mapping[str, int | None] = {Role.AUTHOR: 30, Role.REVIEWER: 100, Role.ADMIN: None}
TOTAL_FACTOR = 5  # times the quota: all uploads, whatever their results
UNSCORABLE = "nothing_to_score"
FREE_UNSCORABLE = 10  # in 24 hours
_MB = 1_000_000
# A failure that another attempt may avoid was not the fault of the files.
_SITE_FAILURES = frozenset(code for code, failure in FAILURES.items() if failure.again)


@dataclass(frozen=True, slots=True)
class Quota:
    limit: int | None  # None: there is none
    used: int
    total: int = 0  # with those that do not count
    opens: datetime | None = None  # when the next upload is possible, if none is now
    queued: int = 0  # evaluations that no worker has started on
    sizes: tuple[tuple[datetime, int], ...] = ()  # bytes uploaded, and when; the oldest first

    @property
    def left(self) -> int | None:
        if self.limit is None:
            return None
        return max(0, min(self.limit - self.used, TOTAL_FACTOR * self.limit - self.total))

    @property
    def used_up(self) -> bool:
        return self.left == 0

    def refusal(self, size: int = 0) -> QuotaError | None:
        """Why nothing of this size, in bytes, may be uploaded now."""
        if self.used_up:
            return QuotaError(self.opens)
        if self.limit is not None and self.queued >= settings.MAX_QUEUED:
            return QuotaError(
                message=_(
                    "You already have %(count)s evaluations in the queue. You can submit again as "
                    "soon as one of them is being scored."
                ),
                code="queue_full",
                count=self.queued,
            )
        uploaded = sum(sent for _, sent in self.sizes)
        if self.limit is not None and size and uploaded + size > settings.DAILY_BYTES:
            return QuotaError(
                self._has_room_from(size, uploaded),
                _(
                    "You have uploaded %(used)s MB of at most %(most)s MB in 24 hours. An upload "
                    "of this size is possible again from %(when)s UTC."
                ),
                "bytes_quota",
                used=uploaded // _MB,
                most=settings.DAILY_BYTES // _MB,
            )
        return None

    def _has_room_from(self, size: int, uploaded: int) -> datetime | None:
        for at, sent in self.sizes:
            uploaded -= sent
            if uploaded + size <= settings.DAILY_BYTES:
                return at + WINDOW
        return None


def quota_of(user: User, *, but: UUID | None = None) -> Quota:
    """By the database's clock; ``but`` is a submission whose place in the queue does not count."""
    limit = QUOTAS[user.role]
    if limit is None:
        return Quota(None, _recent(user).count())
    uploads = list(_recent(user).annotate(failed_with=_FAILURE))
    # The newest unscorable ones are free, so that none begins to count when an older one expires.
    free = iter(range(FREE_UNSCORABLE))
    counted = [
        upload.at
        for upload in uploads
        if upload.failed_with not in _SITE_FAILURES
        and not (upload.failed_with == UNSCORABLE and next(free, None) is not None)
    ]
    opens = [
        times[most - 1] + WINDOW  # when there will be one less than the most
        for times, most in (
            (counted, limit),
            ([upload.at for upload in uploads], TOTAL_FACTOR * limit),
        )
        if 0 < most <= len(times)
    ]
    queued = Evaluation.objects.queued().filter(submission__owner=user)
    waiting = queued.exclude(submission=but).count()
    sizes = tuple((upload.at, upload.size) for upload in reversed(uploads))
    return Quota(limit, len(counted), len(uploads), max(opens, default=None), waiting, sizes)


def lock_quota(owner: User) -> None:
    """Hold other uploads of this owner until the transaction ends, so that of two at once the
    second sees the count of the first."""
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def count_upload(owner: User, submission_id: UUID, *, size: int = 0, failure: str = "") -> None:
    """Use one upload of the quota, in the transaction that stores the submission, under the lock.

    ``size``: bytes that are stored for it. ``failure``: of the evaluation that is tried again;
    after a failure of the site it does not count, except in the total. Raises ``QuotaError``.
    """
    if refusal := quota_of(owner, but=submission_id).refusal(size):
        raise refusal
    CountedUpload.objects.create(owner=owner, submission=submission_id, size=size, failure=failure)


def keep_failures(submission_id: UUID) -> None:
    """Store how the evaluations failed, before the submission is deleted with them."""
    CountedUpload.objects.filter(submission=submission_id).update(failure=_FAILURE)


def _recent(user: User) -> "QuerySet[CountedUpload]":
    """The newest first."""
    return user.counted_uploads.filter(at__gt=Now() - WINDOW)


# The failure code of the evaluation that an upload started.
_FAILURE = Coalesce(
    NullIf(F("failure"), Value("")),
    Subquery(
        Evaluation.objects.filter(submission=OuterRef("submission"), created__gte=OuterRef("at"))
        .order_by("created", "pk")
        .values("failure")[:1]
    ),
    Value(""),
)
