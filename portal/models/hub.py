"""Fetching an author's prediction files from the Hub. The row is the job, and keeps the author's
token until it ends."""

import uuid
from datetime import timedelta
from typing import Self
from urllib.parse import quote

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.language_model import LanguageModel, with_method
from portal.models.release import TASK_CHOICES, Release
from portal.models.submission import Submission

PUBLIC_HUB = "https://huggingface.co"


class HubKind(models.TextChoices):
    """The kind of a repository, in the Hub's own values."""

    MODEL = "model", "model"
    DATASET = "dataset", "dataset"
    SPACE = "space", "Space"


class HubJobState(models.TextChoices):
    WAITING = "waiting", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


_LATELY = timedelta(days=7)
OPEN_JOBS = (HubJobState.WAITING, HubJobState.RUNNING)


class HubFetchQuerySet(models.QuerySet["HubFetch"]):
    def owned_by(self, user: object) -> Self:
        return self.filter(owner=user)

    def open(self) -> Self:
        return self.filter(state__in=OPEN_JOBS)

    def claimable(self) -> Self:
        """Those that are due, or whose worker was lost, by the database's clock."""
        is_due = models.Q(state=HubJobState.WAITING, due__lte=Now())
        return self.filter(is_due | models.Q(state=HubJobState.RUNNING, lease_until__lt=Now()))

    def without_submission(self) -> Self:
        """Those that have not become a submission, and may never."""
        return self.exclude(state=HubJobState.DONE)

    def held_by(self, job_id: uuid.UUID, fence: int) -> Self:
        """The job, if no other worker has claimed it since and it was not cancelled."""
        return self.filter(pk=job_id, fence=fence, state=HubJobState.RUNNING)

    def end(self, state: HubJobState, reason: str = "", details: str = "") -> int:
        """End the open ones, and delete their tokens; returns how many."""
        return self.open().update(
            state=state,
            key="",
            lease_until=None,
            reason=reason,
            reason_details=details,
            ended=Now(),
        )

    def longest_wait(self) -> timedelta | None:
        """Of those that are due and that no worker has begun."""
        waiting = self.claimable().filter(state=HubJobState.WAITING)
        wait: timedelta | None = waiting.aggregate(wait=Now() - models.Min("due"))["wait"]
        return wait

    def missing(self) -> Self:
        """Those that are being fetched, or have recently failed."""
        lately = models.Q(state=HubJobState.FAILED, ended__gt=Now() - _LATELY)
        found = self.filter(models.Q(state__in=OPEN_JOBS) | lately)
        return found.select_related("owner", "language_model", "release")


class HubFetch(models.Model):
    """Prediction files that become a submission with the same id. ``settings`` are those of
    ``portal.submissions.services.SubmissionSettings``."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="hub_fetches")
    repository = models.CharField(max_length=200)  # OWNER/NAME
    key = models.TextField(blank=True, editable=False)  # token, encrypted; empty: none, or deleted

    state = models.CharField(max_length=9, choices=HubJobState, default=HubJobState.WAITING)
    fence = models.PositiveSmallIntegerField(default=0)  # grows with each claim by a worker
    attempts = models.PositiveSmallIntegerField(default=0)  # claims that count
    due = models.DateTimeField(db_default=Now())  # when the next attempt may begin
    lease_until = models.DateTimeField(null=True)
    enqueued_at = models.DateTimeField(null=True)  # when a message was last sent
    # Why it has failed, or waits: a code of ``portal.hub.failures``, and details.
    reason = models.CharField(max_length=40, blank=True, default="")
    reason_details = models.TextField(blank=True, default="")

    created = models.DateTimeField(db_default=Now())
    ended = models.DateTimeField(null=True)

    language_model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="hub_fetches")
    release = models.ForeignKey(Release, models.CASCADE, related_name="hub_fetches")
    previous = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    settings = models.JSONField()
    # From an earlier version: primary keys of originals, with their tasks.
    kept = models.JSONField(default=list)
    task = models.CharField(max_length=40, blank=True, choices=TASK_CHOICES)  # of a single file

    kind = models.CharField(max_length=7, choices=HubKind)
    revision = models.CharField(max_length=200)  # as it was given
    path = models.CharField(max_length=1_000, blank=True)  # empty: the whole repository
    # What the Hub has answered; empty or None: it was not asked yet.
    commit = models.CharField(max_length=40, blank=True, default="")
    is_private = models.BooleanField(null=True)
    is_file = models.BooleanField(null=True)
    files = models.PositiveIntegerField(null=True)
    left_out = models.PositiveIntegerField(null=True)  # files in the folder without predictions
    size = models.PositiveBigIntegerField(null=True)  # bytes of all files
    received = models.PositiveBigIntegerField(default=0)  # bytes, by this attempt

    objects = HubFetchQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "pk"]
        constraints = [
            models.CheckConstraint(
                name="an_ended_fetch_has_no_token",
                condition=models.Q(state__in=OPEN_JOBS) | models.Q(key="", ended__isnull=False),
            ),
            models.CheckConstraint(
                name="a_fetch_that_is_done_has_a_commit",
                condition=~models.Q(state=HubJobState.DONE) | ~models.Q(commit=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["due"], condition=models.Q(state__in=OPEN_JOBS), name="hub_fetches_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.repository} at {self.revision}"

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_JOBS

    @property
    def title(self) -> str:
        return with_method(self.language_model.name, str(self.settings.get("method", "")))

    @property
    def url(self) -> str:
        """Of the files, at their commit once it is known."""
        view = "blob" if self.is_file else "tree"
        start = f"{repository_url(self.kind, self.repository)}/{view}/"
        at = quote(self.commit or self.revision, safe="")
        return f"{start}{at}/{quote(self.path)}".rstrip("/")

    @property
    def short_commit(self) -> str:
        return self.commit[:8]

    @property
    def percent(self) -> int:
        return min(100, 100 * self.received // self.size) if self.size else 0


def hub_site() -> str:
    return str(settings.HUB_ENDPOINT or PUBLIC_HUB)


def repository_url(kind: str, repository: str) -> str:
    folder = "" if kind == HubKind.MODEL else f"{kind}s/"
    return f"{hub_site()}/{folder}{repository}"
