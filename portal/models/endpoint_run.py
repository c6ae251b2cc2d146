"""An endpoint run: the site asks a model at its author's endpoint, and keeps every answer.

The rows are the job. Several workers ask at once: each has a slice of the run's concurrency under a
lease, and takes the next questions of the run. The run's row bounds them all: it is locked for the
moment in which a request reserves what it may cost.
"""

import uuid
from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Greatest, Now
from django.utils.functional import cached_property

from portal.models.language_model import LanguageModel, with_method
from portal.models.release import Example, Release
from portal.models.submission import Submission

_LONGEST_WAIT = timedelta(minutes=15)  # of a connection test for a worker


class RunState(models.TextChoices):
    DRAFT = "draft", "not started"
    RUNNING = "running", "running"
    PAUSED = "paused", "paused"
    ENDED = "ended", "ended"  # for good: the key is deleted, and the answers are submitted


class RunEnding(models.TextChoices):
    FINISHED = "finished", "all questions asked"
    CAP = "cap", "a cap was reached"
    STOPPED = "stopped", "stopped"


class QuestionState(models.TextChoices):
    WAITING = "waiting", "waiting"
    TAKEN = "taken", "taken"  # by a slice, which is preparing its prompt or has sent it
    ENDED = "ended", "ended"


# A copy of ``Outcome.OUR_FAILURE`` of ``scoring.endpoint``, which only endpoint runs may import.
_OUR_FAILURE = "failed by us"
# Settings that do not affect an answer: which questions are asked when, where, and at what cost.
WITHOUT_EFFECT = (
    "attempts", "caps", "claimed_window", "concurrency", "limit", "order", "prices",
    "requests_per_minute", "stream", "subset", "timeout", "url",
)  # fmt: skip
# A digest of the settings that a submission's answers depend on; None: the answers were uploaded.
# The database computes it, so that boards read no templates; jsonb writes equal settings alike.
SETTINGS_DIGEST = models.Func(
    models.F("endpoint_run__settings"),
    template=f"md5((%(expressions)s - '{{{','.join(WITHOUT_EFFECT)}}}'::text[])::text)",
    output_field=models.TextField(null=True),
)


class EndpointRunQuerySet(models.QuerySet["EndpointRun"]):
    def owned_by(self, user: object) -> Self:
        return self.filter(owner=user)

    def started(self) -> Self:
        """Running, paused or ended: their questions are drawn."""
        return self.exclude(state=RunState.DRAFT)

    def running(self) -> Self:
        return self.filter(state=RunState.RUNNING)

    def open(self) -> Self:
        """Started and not ended."""
        return self.filter(state__in=(RunState.RUNNING, RunState.PAUSED))

    def under_test(self) -> Self:
        """Drafts whose connection is being tested, or soon will be. Older tests without a report
        were lost."""
        asked = self.filter(state=RunState.DRAFT, connection__isnull=True)
        is_begun = models.Q(connection_until__gt=Now())
        return asked.filter(
            is_begun | models.Q(connection_until=None, connection_at__gt=Now() - _LONGEST_WAIT)
        )

    def with_expired_key(self) -> Self:
        """Not running, with a key that was kept for as long as it may be."""
        idle = self.filter(state__in=(RunState.DRAFT, RunState.PAUSED), key_until__lt=Now())
        return idle.exclude(key="")

    def with_standing(self) -> Self:
        """With ``is_waiting``, in the same query."""
        waiting = EndpointRun.objects.waiting().filter(pk=models.OuterRef("pk"))
        return self.annotate(is_waiting=models.Exists(waiting))

    def waiting(self) -> Self:
        """Running without any worker. A run with one worker that could have two does not wait."""
        asked = RunSlice.objects.filter(run=models.OuterRef("pk"), lease_until__gt=Now())
        return self.running().filter(~models.Exists(asked), ending="")

    def longest_wait(self) -> timedelta | None:
        """Of running runs without any worker: since they were resumed, or their last worker was
        lost or gave back its slice."""
        since = Greatest("resumed", models.Max("slices__freed"), models.Max("slices__lease_until"))
        times = self.waiting().annotate(since=since)
        wait: timedelta | None = times.aggregate(wait=Now() - models.Min("since"))["wait"]
        return wait

    def longest_wait_for_test(self) -> timedelta | None:
        """Of connection tests that no worker has begun. Old ones do not count: their pages say that
        the test was not begun."""
        waiting = self.filter(state=RunState.DRAFT, connection__isnull=True, connection_until=None)
        recent = waiting.filter(connection_at__gt=Now() - 2 * _LONGEST_WAIT)
        first = models.Min("connection_at")
        wait: timedelta | None = recent.aggregate(wait=Now() - first)["wait"]
        return wait

    def to_hand_in(self) -> Self:
        """Ended, but the answers have not been submitted yet."""
        return self.filter(state=RunState.ENDED, handed_in=None)


class EndpointRun(models.Model):
    """``settings`` are those of ``scoring.endpoint.settings``, without the key.

    ``ending`` is set as soon as it is clear that the run ends. It has ended once every worker has
    given back its slice, with the answers that were in flight.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="endpoint_runs"
    )
    language_model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="endpoint_runs")
    release = models.ForeignKey(Release, models.PROTECT, related_name="endpoint_runs")
    method = models.CharField("method", max_length=80, blank=True)
    note = models.CharField("note", max_length=300, blank=True)
    settings = models.JSONField()
    # The changes of the concurrency since the start: [time, before, after]. None: there are none.
    concurrency_changes = models.JSONField(null=True, editable=False)
    # The run whose questions it asks, in the same order, to be compared with it. None: its own.
    same_questions_as = models.ForeignKey(
        "portal.EndpointRun",
        models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        editable=False,
    )
    key = models.TextField(blank=True, editable=False)  # encrypted; empty: none, or deleted
    # While the run is not running: when the sweeper will delete its key, or when it did. None: the
    # run is running or has ended, or had no key.
    key_until = models.DateTimeField(null=True, editable=False)

    state = models.CharField(max_length=8, choices=RunState, default=RunState.DRAFT, editable=False)
    ending = models.CharField(
        max_length=8, choices=RunEnding, blank=True, default="", editable=False
    )
    # Why it has paused or ended: a code, and a sentence that includes what the endpoint said.
    reason = models.CharField(max_length=40, blank=True, default="", editable=False)
    reason_details = models.TextField(blank=True, default="", editable=False)

    size = models.PositiveIntegerField(null=True, editable=False)  # all questions of its tasks

    # The report of the connection test, and the estimate of the run. None: there is none yet.
    connection = models.JSONField(null=True, editable=False)
    connection_at = models.DateTimeField(null=True, editable=False)  # of the request or report
    # When the report of a test that has begun is due. None: none has begun, or it was reported.
    connection_until = models.DateTimeField(null=True, editable=False)
    estimate = models.JSONField(null=True, editable=False)

    # Spent so far: requests, and tokens as the endpoint reports them.
    requests = models.PositiveBigIntegerField(default=0, editable=False)
    input_tokens = models.PositiveBigIntegerField(default=0, editable=False)  # cached ones too
    cached_tokens = models.PositiveBigIntegerField(default=0, editable=False)
    output_tokens = models.PositiveBigIntegerField(default=0, editable=False)
    # Reserved by requests in flight: tokens as we count them.
    reserved_requests = models.PositiveIntegerField(default=0, editable=False)
    reserved_input = models.PositiveBigIntegerField(default=0, editable=False)
    reserved_output = models.PositiveBigIntegerField(default=0, editable=False)
    # The largest ratio of reported to counted tokens; None: nothing was reported yet.
    ratio = models.FloatField(null=True, editable=False)
    answered = models.BooleanField(default=False, editable=False)  # at least one request

    created = models.DateTimeField(db_default=Now())
    started = models.DateTimeField(null=True, editable=False)
    resumed = models.DateTimeField(null=True, editable=False)  # or started: the latest of the two
    active_seconds = models.FloatField(default=0.0, editable=False)  # up to the last pause
    ended = models.DateTimeField(null=True, editable=False)
    # Made from the answers once the run has ended, if there are any; its owner may delete it.
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

    @cached_property
    def is_waiting(self) -> bool:
        """Whether it is running, but has no worker."""
        is_running = self.state == RunState.RUNNING
        return is_running and EndpointRun.objects.waiting().filter(pk=self.pk).exists()

    @property
    def standing(self) -> str:
        """The state, or “waiting”."""
        return "waiting" if self.is_waiting else self.state

    @property
    def is_key_deleted(self) -> bool:
        """Whether the sweeper has deleted it: the run goes on once a key is entered again."""
        return not self.key and self.key_until is not None


class RunSliceQuerySet(models.QuerySet["RunSlice"]):
    def claimable(self) -> Self:
        """Free slices of running runs that have questions to ask."""
        waiting = RunQuestion.objects.waiting().filter(run=models.OuterRef("run")).order_by()
        free = self.filter(lease_until=None, width__gt=0)
        return free.filter(models.Exists(waiting), run__state=RunState.RUNNING, run__ending="")

    def lost(self) -> Self:
        """Slices whose worker has not renewed its lease, by the database's clock."""
        return self.filter(lease_until__lt=Now())


class RunSlice(models.Model):
    """A part of a run's concurrency, which one worker has at a time. ``fence`` grows with each
    claim, so that whatever comes from a worker that has lost its lease is refused."""

    run = models.ForeignKey(EndpointRun, models.CASCADE, related_name="slices", db_index=False)
    number = models.PositiveSmallIntegerField()
    width = models.PositiveSmallIntegerField()  # requests at once; 0: the slice is not used
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)  # None: free
    claimed = models.DateTimeField(null=True)  # the last time
    freed = models.DateTimeField(null=True)  # the last time
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
        """In the order of asking."""
        return self.filter(state=QuestionState.WAITING).order_by("place")

    def taken(self) -> Self:
        return self.filter(state=QuestionState.TAKEN)

    def ended(self) -> Self:
        return self.filter(state=QuestionState.ENDED)

    def counted(self) -> Self:
        """Those that say something about the model: ended, and not failed through our fault."""
        return self.ended().exclude(outcome=_OUR_FAILURE)


class RunQuestion(models.Model):
    """A question of a run, with the answer once it has ended. From ``outcome`` on, names and values
    of columns are those of ``scoring.endpoint.run.records.Ended``."""

    run = models.ForeignKey(EndpointRun, models.CASCADE, related_name="questions", db_index=False)
    place = models.PositiveIntegerField()  # in the order of the run, from 0
    example = models.ForeignKey(Example, models.PROTECT, related_name="run_questions")
    task = models.CharField(max_length=40)
    state = models.CharField(
        max_length=8, choices=QuestionState, default=QuestionState.WAITING, editable=False
    )
    slice = models.PositiveSmallIntegerField(null=True)  # that has taken it; None: none has
    fence = models.PositiveIntegerField(null=True)  # of that slice when it took the question
    attempts = models.PositiveSmallIntegerField(default=0)  # requests sent
    # Tokens reserved by the request in flight; None: there is none.
    reserved_input = models.PositiveBigIntegerField(null=True)
    reserved_output = models.PositiveBigIntegerField(null=True)

    outcome = models.CharField(max_length=30, blank=True, default="")
    text = models.TextField(blank=True, default="")  # to be scored
    whole_text = models.TextField(blank=True, default="")  # if only its end is scored
    reasoning = models.TextField(blank=True, default="")
    finish = models.CharField(max_length=60, blank=True, default="")
    detail = models.TextField(blank=True, default="")  # why there is no answer
    counted = models.PositiveBigIntegerField(null=True)  # tokens of the prompt, as we count them
    estimated = models.BooleanField(default=False)
    input_tokens = models.PositiveBigIntegerField(default=0)  # of the last attempt
    cached_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    reported = models.BooleanField(default=False)  # whether the endpoint has reported the tokens
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
