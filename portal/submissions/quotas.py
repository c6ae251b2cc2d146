"""How often users may upload, and what counts: one table, role → uploads in 24 hours.

Scoring may take minutes of processor time, so it is limited. A failure that is the site's fault
does not count. Nor does an upload with nothing to score, which ends in the quick first stage and
happens to people who are trying out the site; but only ten times a day, so that nobody can send
wrong files endlessly. The total is limited to five times the quota, whatever the results: a file
that crashes the scorer looks like a fault of the site, and costs three attempts. Trying again
counts as another upload.

Deleting a submission does not change what its upload counts.

An upload for a team counts for the person and for the team, which has the quota of an author. So
neither a person with many teams nor a team with many people can upload more often.

The bytes of all uploads together are limited by ``DAILY_BYTES``, whatever their results. Nor may
an author have more than ``MAX_QUEUED`` evaluations in the queue at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, Manager, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Now, NullIf

from portal.errors import QuotaError, StateError
from portal.evaluations.failures import FAILURES
from portal.models import CountedUpload, Evaluation, Role, Team, User
from portal.permissions.access import team_role

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
    of_team: bool = False

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
        if self.used_up and self.of_team:
            message = "The quota of the team is used up. It opens at %(when)s UTC."
            return QuotaError(self.opens, message)
        if self.used_up:
            return QuotaError(self.opens)
        if self.limit is not None and self.queued >= settings.MAX_QUEUED:
            return QuotaError(
                message=(
                    "The team already has %(count)s evaluations in the queue. You can submit for "
                    "it again as soon as one of them is being scored."
                )
                if self.of_team
                else (
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
                    "The team has uploaded %(used)s MB of at most %(most)s MB in 24 hours. An "
                    "upload of this size is possible again from %(when)s UTC."
                )
                if self.of_team
                else (
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
    limit, recent = QUOTAS[user.acting_role], _recent(user.counted_uploads)
    if limit is None:
        return Quota(None, recent.count())
    queued = Evaluation.objects.queued().filter(submission__owner=user).exclude(submission=but)
    return _quota(limit, recent, queued.count())


def quota_of_team(team: Team, *, but: UUID | None = None) -> Quota:
    """The quota that its members use together; see ``quota_of``."""
    queued = Evaluation.objects.queued().filter(submission__team=team).exclude(submission=but)
    recent = _recent(team.counted_uploads)
    return _quota(QUOTAS[Role.AUTHOR] or 0, recent, queued.count(), of_team=True)


def quotas_for(user: User, team: Team | None, *, but: UUID | None = None) -> list[Quota]:
    """All quotas that an upload by this user counts for: their own, and that of its team. A user
    without a limit uses none of a team's."""
    own = quota_of(user, but=but)
    return [own] if team is None or own.limit is None else [own, quota_of_team(team, but=but)]


def refusal_for(
    user: User, team: Team | None, size: int = 0, *, but: UUID | None = None
) -> QuotaError | None:
    """Why this user may not upload so many bytes at present, for this team or for themselves."""
    found = (quota.refusal(size) for quota in quotas_for(user, team, but=but))
    return next((refusal for refusal in found if refusal), None)


def _quota(
    limit: int, recent: "QuerySet[CountedUpload]", waiting: int, *, of_team: bool = False
) -> Quota:
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
    return Quota(limit, len(counted), len(uploads), opening, waiting, sizes, of_team)


def lock_quota(owner: User, team: Team | None = None) -> None:
    """Make other uploads of this owner and for this team wait until the transaction ends, so that
    of two concurrent ones the second counts the first. Nobody can leave the team meanwhile
    either."""
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if team:
        Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def check_member(user: User, team: Team | None) -> None:
    """Called under the lock of the quota. Raises ``StateError`` if the user is not in the team."""
    if team and not team_role(user, team.pk):
        raise StateError("You are not in this team.", "not_in_team")


def count_upload(
    owner: User,
    submission_id: UUID,
    *,
    team: Team | None = None,
    size: int = 0,
    failure: str = "",
) -> None:
    """Use one upload of the quota, in the transaction that stores the submission, under the lock.

    ``size``: bytes stored for it. ``failure``: of an evaluation that is tried again; if it was the
    site's fault, the upload counts only in the total. Raises ``QuotaError``.
    """
    if refusal := refusal_for(owner, team, size, but=submission_id):
        raise refusal
    CountedUpload.objects.create(
        owner=owner, team=team, submission=submission_id, size=size, failure=failure
    )


def keep_failures(submission_id: UUID) -> None:
    """Store how the evaluations failed, before they are deleted with their submission."""
    CountedUpload.objects.filter(submission=submission_id).update(failure=_FAILURE)


def _recent(uploads: "Manager[CountedUpload]") -> "QuerySet[CountedUpload]":
    """The newest first."""
    return uploads.filter(at__gt=Now() - WINDOW)


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
