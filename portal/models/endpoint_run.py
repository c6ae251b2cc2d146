"""An endpoint run: the site asks a model at its author's endpoint, and keeps every answer.

The rows are the job. Several workers ask at once: each has a slice of the run's concurrency under a
lease, and takes the next questions from the run. The run's row is the one bound for all of them: it
is locked for the moment in which a request reserves what it may cost.
"""

import uuid
from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Greatest, Now
from django.utils.translation import gettext_lazy as _

from portal.models.language_model import LanguageModel, with_method
from portal.models.release import Example, Release
from portal.models.submission import Submission
from portal.models.team import Team, shared_with

_LONGEST_WAIT = timedelta(minutes=15)  # of the test of a connection, for a worker


class RunState(models.TextChoices):
    DRAFT = "draft", _("not started")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    ENDED = "ended", _("ended")  # for good: the key is deleted, and what was answered is submitted


class RunEnding(models.TextChoices):
    FINISHED = "finished", _("all questions asked")
    CAP = "cap", _("a cap was reached")
    STOPPED = "stopped", _("stopped")


class QuestionState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    TAKEN = "taken", _("taken")  # by a slice, which makes its prompt or has sent it
    ENDED = "ended", _("ended")


# A copy of ``Outcome.OUR_FAILURE`` of ``scoring.endpoint``, which only endpoint runs may import.
_OUR_FAILURE = "failed by us"


# Settings that say nothing of how an answer came about: which questions are asked when, where, and
# at what cost.
WITHOUT_EFFECT = (
    "attempts", "caps", "claimed_window", "concurrency", "limit", "order", "prices",
    "requests_per_minute", "stream", "subset", "timeout", "url",
)  # fmt: skip
# Of a submission: a digest of the settings that its answers depend on; None: they came as files.
# By the database, so that a board reads no templates: jsonb writes equal settings alike.
SETTINGS_DIGEST = models.Func(
    models.F("endpoint_run__settings"),
    template=f"md5((%(expressions)s - '{{{','.join(WITHOUT_EFFECT)}}}'::text[])::text)",
    output_field=models.TextField(null=True),
)


class EndpointRunQuerySet(models.QuerySet["EndpointRun"]):
    def owned_by(self, user: object) -> Self:
        """Configured or resumed by this person, whose key it has: for themselves or for a team."""
        return self.filter(owner=user)

    def shared_with(self, user: object) -> Self:
        """Those that this person acts for. Drafts are nobody's business but their owner's."""
        others = models.Q(state=RunState.DRAFT) & ~models.Q(owner=user)
        return self.filter(shared_with(user)).exclude(others)

    def started(self) -> Self:
        """Running, paused or ended: their questions are drawn."""
        return self.exclude(state=RunState.DRAFT)

    def running(self) -> Self:
        return self.filter(state=RunState.RUNNING)

    def open(self) -> Self:
        """Started, and not ended."""
        return self.filter(state__in=(RunState.RUNNING, RunState.PAUSED))

    def under_test(self) -> Self:
        """Drafts whose connection is being tested, or soon will be. Other tests without a report
        were lost."""
        asked = self.filter(state=RunState.DRAFT, connection__isnull=True)
        is_begun = models.Q(connection_until__gt=Now())
        return asked.filter(
            is_begun | models.Q(connection_until=None, connection_at__gt=Now() - _LONGEST_WAIT)
        )

    def with_expired_key(self) -> Self:
        """That are not running, and have kept a key for as long as they may."""
        idle = self.filter(state__in=(RunState.DRAFT, RunState.PAUSED), key_until__lt=Now())
        return idle.exclude(key="")

    def longest_wait(self) -> timedelta | None:
        """Of running runs that no worker has a part of: since they were resumed, or the last worker
        was lost or gave its part back. A run with one worker that could have two does not wait."""
        asked = RunSlice.objects.filter(run=models.OuterRef("pk"), lease_until__gt=Now())
        idle = self.running().filter(~models.Exists(asked), ending="")
        since = Greatest("resumed", models.Max("slices__freed"), models.Max("slices__lease_until"))
        times = idle.annotate(since=since)
        wait: timedelta | None = times.aggregate(wait=Now() - models.Min("since"))["wait"]
        return wait

    def longest_wait_for_test(self) -> timedelta | None:
        """Of connections whose test no worker has begun. Those of long ago are forgotten: their
        pages say that there was none."""
        waiting = self.filter(state=RunState.DRAFT, connection__isnull=True, connection_until=None)
        recent = waiting.filter(connection_at__gt=Now() - 2 * _LONGEST_WAIT)
        first = models.Min("connection_at")
        wait: timedelta | None = recent.aggregate(wait=Now() - first)["wait"]
        return wait

    def to_hand_in(self) -> Self:
        """Ended, while what was answered is not submitted yet."""
        return self.filter(state=RunState.ENDED, handed_in=None)


class EndpointRun(models.Model):
    """``settings`` are those of ``scoring.endpoint.settings``, without the key.

    ``ending`` is set as soon as it is clear that the run ends; it has ended when every worker has
    given back its slice, with the answers to what was in flight.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="endpoint_runs"
    )
    team = models.ForeignKey(  # that it belongs to, with what comes of it; None: to its owner
        Team, models.PROTECT, related_name="endpoint_runs", null=True, blank=True, editable=False
    )
    language_model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="endpoint_runs")
    release = models.ForeignKey(Release, models.PROTECT, related_name="endpoint_runs")
    method = models.CharField(_("method"), max_length=80, blank=True)
    note = models.CharField(_("note"), max_length=300, blank=True)
    settings = models.JSONField()
    # Each change of the concurrency since the start: when, from how many, to how many. None: none.
    concurrency_changes = models.JSONField(null=True, editable=False)
    # Whose questions it asks, in the same order, so that the two can be compared. None: its own.
    same_questions_as = models.ForeignKey(
        "portal.EndpointRun",
        models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        editable=False,
    )
    key = models.TextField(blank=True, editable=False)  # encrypted; empty: none, or deleted
    # When the sweeper deletes the key of a run that is not running, and then when it did. None: the
    # run is running or has ended, or has no key.
    key_until = models.DateTimeField(null=True, editable=False)

    state = models.CharField(max_length=8, choices=RunState, default=RunState.DRAFT, editable=False)
    ending = models.CharField(
        max_length=8, choices=RunEnding, blank=True, default="", editable=False
    )
    # Why it has paused or ended: a code, and a sentence with what the endpoint said.
    reason = models.CharField(max_length=40, blank=True, default="", editable=False)
    reason_details = models.TextField(blank=True, default="", editable=False)

    size = models.PositiveIntegerField(null=True, editable=False)  # questions of all its tasks

    # What the endpoint did when it was tried, and what the run is expected to take. None: not yet.
    connection = models.JSONField(null=True, editable=False)
    connection_at = models.DateTimeField(null=True, editable=False)  # asked for, then reported
    # By when the worker reports that has begun the test. None: none has, or it has reported.
    connection_until = models.DateTimeField(null=True, editable=False)
    estimate = models.JSONField(null=True, editable=False)
    estimate_at = models.DateTimeField(null=True, editable=False)

    # Spent so far, in requests and tokens as the endpoint reports them …
    requests = models.PositiveBigIntegerField(default=0, editable=False)
    input_tokens = models.PositiveBigIntegerField(default=0, editable=False)  # cached ones too
    cached_tokens = models.PositiveBigIntegerField(default=0, editable=False)
    output_tokens = models.PositiveBigIntegerField(default=0, editable=False)
    # … and reserved by requests in flight, as we count.
    reserved_requests = models.PositiveIntegerField(default=0, editable=False)
    reserved_input = models.PositiveBigIntegerField(default=0, editable=False)
    reserved_output = models.PositiveBigIntegerField(default=0, editable=False)
    # The largest ratio of reported to counted tokens; None: nothing was reported yet.
    ratio = models.FloatField(null=True, editable=False)
    answered = models.BooleanField(default=False, editable=False)  # anything at all, by now

    created = models.DateTimeField(db_default=Now())
    started = models.DateTimeField(null=True, editable=False)
    resumed = models.DateTimeField(null=True, editable=False)  # or started: the newest
    active_seconds = models.FloatField(default=0.0, editable=False)  # up to the last pause
    ended = models.DateTimeField(null=True, editable=False)
    # Made of the answers when the run has ended, if there are any; its owner may delete it.
    submission = models.OneToOneField(
        Submission, models.SET_NULL, null=True, related_name="endpoint_run", editable=False
    )
    handed_in = models.DateTimeField(null=True, editable=False)  # with a submission or without

    objects = EndpointRunQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "pk"]
        constraints = [
            models.CheckConstraint(
                name="an_ended_run_has_no_key_and_an_ending",
                condition=~models.Q(state=RunState.ENDED)
                | (models.Q(key="", ended__isnull=False) & ~models.Q(ending="")),
            ),
            models.CheckConstraint(
                name="a_key_that_is_not_used_has_an_end",
                condition=models.Q(state__in=(RunState.RUNNING, RunState.ENDED))
                | models.Q(key="")
                | models.Q(key_until__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["resumed"],
                condition=models.Q(state=RunState.RUNNING),
                name="endpoint_runs_running",
            )
        ]

    def __str__(self) -> str:
        return f"run of {self.title} {self.created:%Y-%m-%d}"

    @property
    def title(self) -> str:
        return with_method(self.language_model.name, self.method)

    @property
    def is_key_deleted(self) -> bool:
        """By the sweeper: it goes on with another one."""
        return not self.key and self.key_until is not None


class RunSliceQuerySet(models.QuerySet["RunSlice"]):
    def claimable(self) -> Self:
        """Those that no worker has, of running runs with questions to ask."""
        waiting = RunQuestion.objects.waiting().filter(run=models.OuterRef("run")).order_by()
        free = self.filter(lease_until=None, width__gt=0)
        return free.filter(models.Exists(waiting), run__state=RunState.RUNNING, run__ending="")

    def lost(self) -> Self:
        """Those whose worker has not renewed its lease, by the database's clock."""
        return self.filter(lease_until__lt=Now())


class RunSlice(models.Model):
    """A part of a run's concurrency, which one worker has at a time. ``fence`` grows with each
    claim: what a worker brings that has lost its lease is refused."""

    run = models.ForeignKey(EndpointRun, models.CASCADE, related_name="slices", db_index=False)
    number = models.PositiveSmallIntegerField()
    width = models.PositiveSmallIntegerField()  # requests at once; 0: the run has no use for it
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)  # None: free
    claimed = models.DateTimeField(null=True)  # last
    freed = models.DateTimeField(null=True)  # last
    enqueued_at = models.DateTimeField(null=True)  # when a message was last sent

    objects = RunSliceQuerySet.as_manager()

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="one_slice_with_a_number")
        ]

    def __str__(self) -> str:
        return f"slice {self.number} of {self.run_id}"


class RunQuestionQuerySet(models.QuerySet["RunQuestion"]):
    def waiting(self) -> Self:
        """In the order in which they are asked."""
        return self.filter(state=QuestionState.WAITING).order_by("place")

    def taken(self) -> Self:
        return self.filter(state=QuestionState.TAKEN)

    def ended(self) -> Self:
        return self.filter(state=QuestionState.ENDED)

    def counted(self) -> Self:
        """Those that say something of the model: ended, and not failed by our fault."""
        return self.ended().exclude(outcome=_OUR_FAILURE)


class RunQuestion(models.Model):
    """A question of a run, with the answer once it has ended. Names and values of the second half
    are those of ``scoring.endpoint.run.records.Ended``."""

    run = models.ForeignKey(EndpointRun, models.CASCADE, related_name="questions", db_index=False)
    place = models.PositiveIntegerField()  # in the order of the run, from 0
    example = models.ForeignKey(Example, models.PROTECT, related_name="run_questions")
    task = models.CharField(max_length=40)
    state = models.CharField(
        max_length=8, choices=QuestionState, default=QuestionState.WAITING, editable=False
    )
    slice = models.PositiveSmallIntegerField(null=True)  # that has it; None: none
    fence = models.PositiveIntegerField(null=True)  # of that slice when it took the question
    attempts = models.PositiveSmallIntegerField(default=0)  # requests that were sent
    # Of the request in flight, in tokens; None: nothing is in flight.
    reserved_input = models.PositiveBigIntegerField(null=True)
    reserved_output = models.PositiveBigIntegerField(null=True)
    sent_at = models.DateTimeField(null=True)  # the last request

    outcome = models.CharField(max_length=30, blank=True, default="")
    text = models.TextField(blank=True, default="")  # to be scored
    whole_text = models.TextField(blank=True, default="")  # where only its end is scored
    reasoning = models.TextField(blank=True, default="")
    finish = models.CharField(max_length=60, blank=True, default="")
    detail = models.TextField(blank=True, default="")  # why there is no answer
    counted = models.PositiveBigIntegerField(null=True)  # tokens of the prompt, by us
    estimated = models.BooleanField(default=False)
    input_tokens = models.PositiveBigIntegerField(default=0)  # of the last attempt
    cached_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    reported = models.BooleanField(default=False)  # whether the endpoint has told the tokens
    seconds = models.FloatField(null=True)
    first_token = models.FloatField(null=True)  # seconds until it came
    sight = models.CharField(max_length=20, blank=True, default="")
    lost = models.JSONField(null=True)  # [start, end) in characters of the context
    ended_at = models.DateTimeField(null=True)

    objects = RunQuestionQuerySet.as_manager()

    class Meta:
        ordering = ["run", "place"]
        constraints = [
            models.UniqueConstraint(fields=["run", "place"], name="one_question_in_a_place"),
            models.UniqueConstraint(fields=["run", "example"], name="each_question_once_in_a_run"),
            models.CheckConstraint(
                name="an_ended_question_has_an_outcome",
                condition=~models.Q(state=QuestionState.ENDED)
                | (~models.Q(outcome="") & models.Q(ended_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(
                fields=["run", "place"],
                condition=models.Q(state=QuestionState.WAITING),
                name="run_questions_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"question {self.place} of {self.run_id}"


class RunFailure(models.Model):
    """An attempt that gave no answer."""

    run = models.ForeignKey(EndpointRun, models.CASCADE, related_name="failures")
    question = models.ForeignKey(RunQuestion, models.CASCADE, related_name="failures")
    attempt = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)  # scoring.endpoint.transport.failures.Kind
    detail = models.TextField(blank=True)  # what the endpoint said, without the key
    at = models.DateTimeField(db_default=Now())

    objects: ClassVar[models.Manager["RunFailure"]] = models.Manager()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} at attempt {self.attempt} of {self.question_id}"
