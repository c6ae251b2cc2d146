"""How often users may upload, and what counts: one table, role → uploads in 24 hours.

Scoring may take minutes of processor time, so it is limited. A failure that is the site's fault
does not count. Nor does an upload with nothing to score, which ends in the quick first stage and
happens to people who are trying out the site; but only ten times a day, so that nobody can send
wrong files endlessly. The total is limited to five times the quota, whatever the results: a file
that crashes the scorer looks like a fault of the site, and costs three attempts. Trying again
counts as another upload.

Deleting a submission does not change what its upload counts.

The bytes of all uploads together are limited by ``DAILY_BYTES``, whatever their results. Nor may
an author have more than ``MAX_QUEUED`` evaluations in the queue at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, Now, NullIf

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
    total: int = 0  # including those that do not count
    opens: datetime | None = None  # when the next upload is possible, if none is at present
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
        """Why no upload of this size, in bytes, is possible at present; None if it is."""
        if self.used_up:
            return QuotaError(self.opens)
        if self.limit is not None and self.queued >= settings.MAX_QUEUED:
            return QuotaError(
                message=(
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
                (
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
    """By the database's clock. ``but``: a submission whose queued evaluation does not count."""
    limit = QUOTAS[user.acting_role]
    recent = user.counted_uploads.filter(at__gt=Now() - WINDOW)  # the newest first
    if limit is None:
        return Quota(None, recent.count())
    queued = Evaluation.objects.queued().filter(submission__owner=user).exclude(submission=but)
    uploads = list(recent.annotate(failed_with=_FAILURE))
    # The newest unscorable ones are free, so that none starts to count when an older one expires.
    free = iter(range(FREE_UNSCORABLE))
    counted = [
        upload.at
        for upload in uploads
        if upload.failed_with not in _SITE_FAILURES
        and not (upload.failed_with == UNSCORABLE and next(free, None) is not None)
    ]
    opens = [
        times[most - 1] + WINDOW  # when one more becomes possible
        for times, most in (
            (counted, limit),
            ([upload.at for upload in uploads], TOTAL_FACTOR * limit),
        )
        if 0 < most <= len(times)
    ]
    sizes = tuple((upload.at, upload.size) for upload in reversed(uploads))
    opening = max(opens, default=None)
    return Quota(limit, len(counted), len(uploads), opening, queued.count(), sizes)


def lock_quota(owner: User) -> None:
    """Make other uploads of this owner wait until the transaction ends, so that of two concurrent
    ones the second counts the first."""
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def count_upload(owner: User, submission_id: UUID, *, size: int = 0, failure: str = "") -> None:
    """Use one upload of the quota, in the transaction that stores the submission, under the lock.

    ``size``: bytes stored for it. ``failure``: of an evaluation that is tried again; if it was the
    site's fault, the upload counts only in the total. Raises ``QuotaError``.
    """
    if refusal := quota_of(owner, but=submission_id).refusal(size):
        raise refusal
    CountedUpload.objects.create(owner=owner, submission=submission_id, size=size, failure=failure)


def keep_failures(submission_id: UUID) -> None:
    """Store how the evaluations failed, before they are deleted with their submission."""
    CountedUpload.objects.filter(submission=submission_id).update(failure=_FAILURE)


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
