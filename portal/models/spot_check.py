"""A spot check of an uploaded entry: the site asks some of its questions at the author's endpoint,
and compares the answers."""

import uuid
from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.release import Example
from portal.models.submission import Submission


class CheckState(models.TextChoices):
    WAITING = "waiting", "waiting"
    RUNNING = "running", "running"
    ENDED = "ended", "ended"  # the key is deleted


class CheckVerdict(models.TextChoices):
    """Values are those of ``scoring.endpoint.spot_check.Verdict``."""

    AGREES = "agrees", "agrees"
    DISAGREES = "disagrees", "disagrees"
    CANNOT_TELL = "cannot tell", "cannot tell"


class SpotCheckQuerySet(models.QuerySet["SpotCheck"]):
    def open(self) -> Self:
        return self.exclude(state=CheckState.ENDED)

    def counted(self) -> Self:
        """Open ones, and those that have a verdict or have asked a question: an entry may have one
        of them a week, and all of them are shown."""
        return self.exclude(state=CheckState.ENDED, asked=0, verdict="")

    def newest_verdict(self, submission: models.OuterRef) -> models.Subquery:
        """That of the submission's newest check that could tell."""
        decided = self.filter(
            submission=submission, verdict__in=(CheckVerdict.AGREES, CheckVerdict.DISAGREES)
        )
        return models.Subquery(decided.order_by("-created", "-pk").values("verdict")[:1])

    def longest_wait(self) -> timedelta | None:
        """Of those that no worker has begun, or whose worker was lost."""
        lost = models.When(state=CheckState.RUNNING, then="lease_until")
        waiting = self.claimable().exclude(state=CheckState.WAITING, p0__isnull=False)
        times = waiting.annotate(since=models.Case(lost, default="created"))
        wait: timedelta | None = times.aggregate(wait=Now() - models.Min("since"))["wait"]
        return wait

    def claimable(self) -> Self:
        """Those that no worker has, or whose worker was lost, by the database's clock."""
        return self.filter(
            models.Q(state=CheckState.WAITING)
            | models.Q(state=CheckState.RUNNING, lease_until__lt=Now())
        )


class SpotCheck(models.Model):
    """The row is the job. ``settings`` are those of ``scoring.endpoint.settings``."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="spot_checks")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="spot_checks"
    )
    settings = models.JSONField()
    key = models.TextField(blank=True, editable=False)  # encrypted; empty: none, or deleted
    seed = models.CharField(max_length=100)  # the head of the audit log when it was requested

    state = models.CharField(max_length=8, choices=CheckState, default=CheckState.WAITING)
    fence = models.PositiveSmallIntegerField(default=0)  # grows with each claim by a worker
    lease_until = models.DateTimeField(null=True)  # while it waits: when the next message is due
    # How often the endpoint agrees with itself. None: not measured yet.
    p0 = models.FloatField(null=True)

    verdict = models.CharField(max_length=12, choices=CheckVerdict, blank=True, default="")
    # Why it has ended without a verdict, or cannot tell: a code, and a sentence that includes what
    # the endpoint said.
    reason = models.CharField(max_length=40, blank=True, default="")
    reason_details = models.TextField(blank=True, default="")
    asked = models.PositiveSmallIntegerField(default=0)  # questions that are compared
    agreed = models.PositiveSmallIntegerField(default=0)
    # The published entry of another model that agrees with the file on the most of these questions.
    nearest = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    nearest_agreed = models.PositiveSmallIntegerField(null=True)

    created = models.DateTimeField(db_default=Now())
    ended = models.DateTimeField(null=True)

    objects = SpotCheckQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "pk"]
        constraints = [
            models.CheckConstraint(
                name="an_ended_check_has_no_key_and_says_why",
                condition=~models.Q(state=CheckState.ENDED)
                | (
                    models.Q(key="", ended__isnull=False)
                    & (~models.Q(verdict="") | ~models.Q(reason=""))
                ),
            ),
            models.UniqueConstraint(
                fields=["submission"],
                condition=~models.Q(state=CheckState.ENDED),
                name="one_open_check_for_a_submission",
            ),
        ]

    def __str__(self) -> str:
        return f"spot check of {self.submission_id} {self.created:%Y-%m-%d}"


class SpotCheckQuestion(models.Model):
    """A drawn question, in the order of asking. ``agrees`` None: it was not asked."""

    spot_check = models.ForeignKey(
        SpotCheck, models.CASCADE, related_name="questions", db_index=False
    )
    place = models.PositiveSmallIntegerField()  # from 0
    example = models.ForeignKey(Example, models.PROTECT, related_name="spot_checks")
    prediction = models.TextField()  # in the file
    answer = models.TextField()  # read from the prediction, in its normal form
    outcome = models.CharField(max_length=30, blank=True, default="")  # at the endpoint
    text = models.TextField(blank=True, default="")  # the endpoint's answer
    agrees = models.BooleanField(null=True)

    class Meta:
        ordering = ["spot_check", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["spot_check", "place"], name="one_checked_question_in_a_place"
            )
        ]

    def __str__(self) -> str:
        return f"question {self.place} of {self.spot_check_id}"
