"""One scoring of a submission, its lease, and its results."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Coalesce, Greatest, Now

from portal.logs.request_ids import MAX_LENGTH, current_request_id
from portal.models.audit import AuditEntry
from portal.models.release import TaskDataSet, is_partial
from portal.models.submission import Submission


class EvaluationState(models.TextChoices):
    QUEUED = "queued", "queued"
    RUNNING = "running", "scoring"
    NEEDS_ANSWER = "needs answer", "needs input"
    SCORED = "scored", "scored"
    FAILED = "failed", "failed"


class Stage(models.TextChoices):
    """What a worker does with an evaluation that is running, in this order."""

    READING = "reading", "reading and checking the files"
    SCORING = "scoring", "scoring every answer"
    STORING = "storing", "storing the scores"


OPEN_STATES = (EvaluationState.QUEUED, EvaluationState.RUNNING, EvaluationState.NEEDS_ANSWER)
SCORE_COLUMNS = {  # of an example's result, by metric set
    "official-2024-06": "official_2024_06",
    "official-2024-09": "official_2024_09",
    "strict": "strict",
}
ATTEMPTS = 3  # before an evaluation fails, or after a person has it tried again
SITE = 0  # instead of a person's primary key


class OwnerTurn(models.Model):
    """When a worker last claimed an evaluation of this owner: owners take turns. It is not a column
    of evaluations, because those can be deleted."""

    owner = models.BigIntegerField(primary_key=True)  # a person's primary key, or ``SITE``
    at = models.DateTimeField(db_default=Now())

    objects: ClassVar[models.Manager["OwnerTurn"]] = models.Manager()

    def __str__(self) -> str:
        return f"turn of {self.owner}"


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def queued(self) -> Self:
        return self.filter(state=EvaluationState.QUEUED)

    def open(self) -> Self:
        """Neither scored nor failed."""
        return self.filter(state__in=OPEN_STATES)

    def scored(self) -> Self:
        return self.filter(state=EvaluationState.SCORED)

    def current_of(self, submission: models.OuterRef) -> models.Subquery:
        """The primary key of a submission's newest scored evaluation, whose scores count."""
        newest = self.scored().filter(submission=submission).order_by("-created", "-pk")
        return models.Subquery(newest.values("pk")[:1])

    def newest_of_each(self) -> Self:
        """The newest of each submission."""
        return self.order_by("submission_id", "-created", "-pk").distinct("submission_id")

    def without_details(self) -> Self:
        """Without the columns that may be long."""
        return self.defer("problems", "failure_details", "question", "signature")

    def times_of(self, evaluation_id: int) -> tuple[datetime, datetime]:
        """The time by the database's clock, and since when the evaluation has been waiting or being
        scored: since it was created, last claimed by a worker, or last acted upon by a person."""
        acted = AuditEntry.objects.filter(submission=models.OuterRef("submission"))
        since = Greatest(
            "created", "started", models.Subquery(acted.order_by("-pk").values("at")[:1])
        )
        found = self.annotate(clock=Now(), since=since).values_list("clock", "since")
        clock, start = found.get(pk=evaluation_id)
        return clock, start

    def due(self) -> Self:
        """Queued, and not resting before another attempt, by the database's clock."""
        return self.queued().filter(due__lte=Now())

    def longest_wait(self) -> timedelta | None:
        """How long those that are due have waited for a worker, at most; None: there are none."""
        wait: timedelta | None = self.due().aggregate(wait=Now() - models.Min("due"))["wait"]
        return wait

    def claimable(self) -> Self:
        """Those that a worker may start on: due, or left behind by a lost worker."""
        return self.with_an_attempt_left().filter(
            models.Q(state=EvaluationState.QUEUED, due__lte=Now())
            | models.Q(state=EvaluationState.RUNNING, lease_until__lt=Now())
        )

    def in_turn(self) -> "models.QuerySet[Evaluation, tuple[int, int]]":
        """Primary key and owner of each. Those come first whose owner had their last turn longest
        ago, or never; then the oldest."""
        turns = OwnerTurn.objects.filter(owner=models.OuterRef("owner")).values("at")
        owned = self.annotate(
            owner=Coalesce("submission__owner_id", SITE), turn=models.Subquery(turns)
        )
        sorted_by_turn = owned.order_by(models.F("turn").asc(nulls_first=True), "due", "pk")
        return sorted_by_turn.values_list("pk", "owner")

    def with_expired_lease(self) -> Self:
        """Running, but the worker has not renewed its lease, by the database's clock."""
        return self.filter(state=EvaluationState.RUNNING, lease_until__lt=Now())

    def with_an_attempt_left(self) -> Self:
        return self.filter(attempt__lt=models.F("attempts_allowed"))

    def without_an_attempt_left(self) -> Self:
        return self.filter(attempt__gte=models.F("attempts_allowed"))

    def held_by(self, evaluation_id: int, attempt: int) -> Self:
        """The evaluation, if this attempt is still the current one."""
        return self.filter(pk=evaluation_id, attempt=attempt, state=EvaluationState.RUNNING)


class Evaluation(models.Model):
    """The row is the job. ``attempt`` is the fencing token: only results of the current attempt are
    stored.

    It never decreases, so that a worker that was suspended and resumes is always recognised. Trying
    again raises ``attempts_allowed`` instead.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="evaluations")
    state = models.CharField(
        max_length=12, choices=EvaluationState, default=EvaluationState.QUEUED, editable=False
    )
    attempt = models.PositiveSmallIntegerField(default=0)
    attempts_allowed = models.PositiveSmallIntegerField(default=ATTEMPTS)
    lease_until = models.DateTimeField(null=True, blank=True)
    stage = models.CharField(  # of the running attempt; the last one of an ended attempt
        max_length=10, choices=Stage, blank=True, default="", db_default="", editable=False
    )
    due = models.DateTimeField(db_default=Now())  # when it may be claimed: waiting since then
    enqueued_at = models.DateTimeField(null=True, blank=True)  # when a message was last sent
    # Of the request that asked for it; the message that wakes a worker may be for another one.
    request_id = models.CharField(
        max_length=MAX_LENGTH, blank=True, default=current_request_id, db_default="", editable=False
    )

    created = models.DateTimeField(db_default=Now())
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    align = models.CharField(  # the author's answer to the alignment question
        max_length=5, blank=True, choices=[("id", "by id"), ("order", "by row order")]
    )
    # The author's answer if nothing in the files tells which label version they are for: a slug.
    label_version = models.CharField(max_length=60, blank=True)
    # The author wants this release, although another one fits the files better.
    release_confirmed = models.BooleanField(default=False)
    question = models.JSONField(null=True, blank=True)  # see portal.submissions.pages.questions
    failure = models.CharField(max_length=40, blank=True)  # a public code
    failure_details = models.TextField(blank=True)  # for the log and for admins

    signature = models.JSONField(null=True, blank=True)
    problems = models.JSONField(default=list)
    predictions_hash = models.CharField(max_length=64, blank=True)  # of the canonical rows
    # A list for each file of the submission, in their order, of the tasks that were read from it.
    contents = models.JSONField(null=True, blank=True, editable=False)
    sandbox_level = models.CharField(max_length=10, blank=True)
    # Its scores were imported without the answers: portal.entries.figures.
    figures_only = models.BooleanField(default=False, db_default=False, editable=False)

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="scored_means_there_is_a_signature",
                condition=~models.Q(state=EvaluationState.SCORED)
                | models.Q(signature__isnull=False, finished__isnull=False),
            ),
            models.CheckConstraint(
                name="failed_means_there_is_a_reason",
                condition=~models.Q(state=EvaluationState.FAILED) | ~models.Q(failure=""),
            ),
            models.CheckConstraint(
                name="running_means_there_is_a_lease",
                condition=~models.Q(state=EvaluationState.RUNNING)
                | models.Q(lease_until__isnull=False),
            ),
            models.CheckConstraint(
                name="needs_answer_means_there_is_a_question",
                condition=~models.Q(state=EvaluationState.NEEDS_ANSWER)
                | models.Q(question__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["submission"],
                condition=models.Q(state__in=OPEN_STATES),
                name="one_open_evaluation_for_a_submission",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due"],
                condition=models.Q(state=EvaluationState.QUEUED),
                name="evaluations_waiting",
            ),
            models.Index(
                fields=["lease_until"],
                condition=models.Q(state=EvaluationState.RUNNING),
                name="evaluations_running",
            ),
            models.Index(fields=["predictions_hash"], name="evaluations_of_predictions"),
            models.Index(  # for metrics, which count them
                fields=["state", "finished", "failure"], name="evaluations_by_outcome"
            ),
            models.Index(
                fields=["submission", "-created", "-id"],
                condition=models.Q(state=EvaluationState.SCORED),
                name="evaluations_scored",  # the first of a submission counts
            ),
        ]

    def __str__(self) -> str:
        return f"evaluation {self.pk} of {self.submission_id}"

    @property
    def scorer(self) -> str:
        """The version of the scorer; empty if the evaluation is not scored."""
        return str((self.signature or {}).get("scorer", ""))

    def partial_tasks(self) -> list[str]:
        """The tasks with fewer answers than the release requires. A run by this site has none: what
        it has asked is a fair sample, however small, and its entry says how large it is."""
        least = self.submission.release.minimum_answered
        counts = self.task_scores.values_list("task", "answered", "size").order_by("task")
        found = [
            task
            for task, answered, size in counts.distinct()
            if is_partial(answered=answered, size=size, least=least)
        ]
        is_run = Submission.objects.filter(pk=self.submission_id, endpoint_run__isnull=False)
        return [] if found and is_run.exists() else found


class TaskScore(models.Model):
    """The score of one task under one metric set, in percent; the error in percentage points."""

    evaluation = models.ForeignKey(  # the unique constraint has its index
        Evaluation, models.CASCADE, related_name="task_scores", db_index=False
    )
    task = models.CharField(max_length=40)
    metric_set = models.CharField(max_length=40)
    data_set = models.ForeignKey(TaskDataSet, models.PROTECT, related_name="scores")
    mean = models.FloatField()
    stderr = models.FloatField(null=True)
    low = models.FloatField(null=True)  # of the 95 % interval; None: not known
    high = models.FloatField(null=True)
    interval_method = models.CharField(max_length=30, blank=True, default="")
    texts = models.PositiveIntegerField(null=True)  # that the examples are about; None: not known
    # By task of the evaluation, the covariance with that task's mean, in squared percentage points;
    # for itself, the variance. For intervals of means over any tasks.
    covariances = models.JSONField(default=dict)
    size = models.PositiveIntegerField()  # examples
    # How many examples the score is based on, if a run by this site has not asked all of them: then
    # it is an estimate (portal.scores.samples). None: all.
    asked = models.PositiveIntegerField(null=True)
    answered = models.PositiveIntegerField()
    unknown = models.PositiveIntegerField()  # rows for which the data set has no example

    # All that anybody but reviewers sees of a score on a hidden release: whole percent, or the
    # lower end of a band; None: nothing is disclosed. See portal.evaluations.ladder.
    public_percent = models.FloatField(null=True)
    public_width = models.PositiveSmallIntegerField(default=0)  # of the band, in percentage points
    is_previous_best = models.BooleanField(default=False)  # public_percent is an earlier score's

    class Meta:
        ordering = ["evaluation", "task", "metric_set"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "metric_set", "task"],
                name="one_score_for_a_task_and_set",
                # All columns that ranks need: a board reads a dozen of these rows for each entry.
                include=["data_set", "mean", "public_percent"],
            ),
            models.CheckConstraint(
                name="a_score_of_a_sample_lacks_questions",
                condition=models.Q(asked=None)
                | models.Q(asked__gte=models.F("answered"), asked__lt=models.F("size")),
            ),
        ]
        indexes = [
            models.Index(
                fields=["evaluation"],
                condition=models.Q(asked__isnull=False),
                name="task_scores_of_samples",  # few
            )
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.metric_set}: {self.mean:.2f}"


class ScoreVector(models.Model):
    """The scores of all examples of a task score, for comparisons, in far fewer bytes than their
    rows take. ``portal.scores.estimates`` writes it, ``portal.scores.vectors`` reads it."""

    task_score = models.OneToOneField(
        TaskScore, models.CASCADE, primary_key=True, related_name="vector"
    )
    # 0 to 1, in the order of the data set; a missing answer is 0, a question not asked is NaN.
    scores = models.BinaryField()

    def __str__(self) -> str:
        return f"scores of {self.task_score_id}"


BLANK = r"^\s*$"  # of an empty prediction
BLOCK_SIZE = 16  # results


class ResultBlock(models.Model):
    """The results of ``BLOCK_SIZE`` successive examples, fewer in the last block of a task, at the
    same position of every array. ``ExampleResult`` shows them one by one.

    A row for each example would have more overhead than most predictions have bytes, and PostgreSQL
    compresses several predictions better than one. Reading one answer of a thousand entries is
    still fast. The words of predictions are indexed by ``result_blocks_words``."""

    pk = models.CompositePrimaryKey("evaluation_id", "task", "block")
    evaluation = models.ForeignKey(  # the primary key has its index
        Evaluation, models.CASCADE, related_name="result_blocks", db_index=False
    )
    task = models.CharField(max_length=40)
    block = models.PositiveSmallIntegerField()  # from 0, in the order of the data set
    predictions = ArrayField(models.TextField(null=True))
    official_2024_06 = ArrayField(models.FloatField(null=True))
    official_2024_09 = ArrayField(models.FloatField(null=True))
    strict = ArrayField(models.FloatField(null=True))

    def __str__(self) -> str:
        return f"{self.task}, block {self.block}"


class ExampleResultQuerySet(models.QuerySet["ExampleResult"]):
    def blank(self) -> Self:
        """Missing and empty answers, of which there are few, without reading the others."""
        return self.filter(has_blank=True).filter(
            models.Q(prediction=None, strict=None) | models.Q(prediction__regex=BLANK)
        )


class ExampleResult(models.Model):
    """One prediction and its scores, 0 to 1; None if nothing was predicted. A score without a
    prediction is a figure: the text of the answer is not here. A database view of ``ResultBlock``,
    which is the table that is written."""

    pk = models.CompositePrimaryKey("evaluation_id", "task", "index")
    evaluation = models.ForeignKey(Evaluation, models.DO_NOTHING, related_name="example_results")
    task = models.CharField(max_length=40)
    index = models.PositiveIntegerField()  # of the example in its data set
    block = models.PositiveSmallIntegerField()  # that holds it: see ``at_places``
    has_blank = models.BooleanField()  # of the block, not necessarily of this result
    prediction = models.TextField(null=True)  # None: missing, unlike an empty answer
    official_2024_06 = models.FloatField(null=True)
    official_2024_09 = models.FloatField(null=True)
    strict = models.FloatField(null=True)

    objects = ExampleResultQuerySet.as_manager()

    class Meta:
        managed = False
        db_table = "portal_exampleresult"
        ordering = ["evaluation", "task", "index"]

    def __str__(self) -> str:
        return f"{self.task} {self.index}"


def at_places(indexes: Iterable[int]) -> models.Q:
    """Selects the results of these examples; their blocks are found by the primary key's index."""
    wanted = set(indexes)
    return models.Q(index__in=wanted, block__in={index // BLOCK_SIZE for index in wanted})
