"""Releases and their examples. A task data set never changes: other data are another data set."""

from typing import Self

from django.core.validators import MaxValueValidator
from django.db import models

from portal.models.context import Context, ReleaseFile
from scoring.catalog import TASKS
from scoring.metrics.rule import Question
from scoring.releases.facets import KIND_CAP

KEY_CAP = 200  # characters
TASK_CHOICES = [(task.id, task.title) for task in TASKS.values()]


class TaskDataSetQuerySet(models.QuerySet["TaskDataSet"]):
    def to_score(self, release: "Release") -> Self:
        """The data sets that predictions for the release may have been made for: those of all its
        label versions, if it has any."""
        of_release = models.Q(releases=release) | models.Q(releases__part_of=release)
        return self.filter(of_release).distinct()


class TaskDataSet(models.Model):
    """The examples of one task, identified by the hashes of their content."""

    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    labels_hash = models.CharField(max_length=64)  # of keys and canonical labels
    questions_hash = models.CharField(max_length=64)  # of questions and contexts, if known
    size = models.PositiveIntegerField()  # examples
    created = models.DateTimeField(auto_now_add=True)
    # Of all right answers together, each in its shortest form. None: not counted yet.
    answer_tokens = models.PositiveBigIntegerField(null=True, editable=False)
    answer_tokens_estimated = models.BooleanField(default=False, editable=False)
    # Labels are known by their hashes alone, and questions not at all: portal.entries.figures.
    figures_only = models.BooleanField(default=False, db_default=False, editable=False)

    # Downloadable files made from the data. None if only labels were imported, or if there must be
    # none: a hidden data set has no whole file.
    whole_file = models.ForeignKey(
        ReleaseFile, models.PROTECT, related_name="whole_of", null=True, editable=False
    )
    questions_file = models.ForeignKey(  # the same without answers
        ReleaseFile, models.PROTECT, related_name="questions_of", null=True, editable=False
    )
    facets_file = models.ForeignKey(
        ReleaseFile, models.PROTECT, related_name="facets_of", null=True, editable=False
    )

    objects = TaskDataSetQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "labels_hash", "questions_hash"], name="one_set_for_the_same_data"
            )
        ]

    def __str__(self) -> str:
        return f"{TASKS[self.task].title} {self.labels_hash[:8]}"


class ExampleQuerySet(models.QuerySet["Example"]):
    def same_as(self, *examples: "Example") -> Self:
        """These examples, and the same questions with equal labels in other data sets of their
        tasks."""
        same = models.Q(pk__in=[example.pk for example in examples])
        for example in examples:
            if example.question_number is not None:
                same |= models.Q(
                    question_number=example.question_number,
                    label=example.label,
                    data_set__task=example.data_set.task,
                )
        return self.filter(same)


class Example(models.Model):
    data_set = models.ForeignKey(  # the unique constraints have its index
        TaskDataSet, models.PROTECT, related_name="examples", db_index=False
    )
    index = models.PositiveIntegerField()  # position in the data set, from 0
    key = models.CharField(max_length=KEY_CAP)  # the id in its file
    label = models.JSONField()  # {"hash": …} if the data set is ``figures_only``
    options = models.JSONField(default=list)
    # As in the row of its file.
    answer_type = models.CharField(max_length=10, blank=True, default="", db_default="")
    question = models.TextField(blank=True)  # without its context
    # The same question has the same number in all data sets of its task, whatever its id there.
    # None: the question is in no other data set.
    question_number = models.PositiveIntegerField(null=True)

    # Facets: facts about the data that are not part of them. portal.scores.disclosure lists the
    # ones that reveal the answer.
    context = models.ForeignKey(  # None: only the question or the label is known
        Context, models.PROTECT, related_name="examples", null=True
    )
    # Whether a gold answer is in the context. None: not searched, or the task does not need it.
    answer_in_context = models.BooleanField(null=True, editable=False)
    tokens = models.PositiveIntegerField(null=True)  # of context and question together
    tokens_estimated = models.BooleanField(default=False)
    target_tokens = models.PositiveIntegerField(null=True)  # requested from the generator
    # Examples of one set with the same number ask the same question at several lengths.
    ladder = models.PositiveIntegerField(null=True)
    depth = models.FloatField(null=True)  # position of the evidence: 0 the start, 1 the end
    hops = models.PositiveIntegerField(null=True)
    kind = models.CharField(max_length=KIND_CAP, blank=True, default="")
    # [start, end) in characters of the context, in the order in which a reader needs them.
    evidence = models.JSONField(null=True)
    # For a generated novel to be summarised: the steps of its plot (scoring.plot_facts).
    facts = models.JSONField(null=True, editable=False)

    objects = ExampleQuerySet.as_manager()

    class Meta:
        ordering = ["data_set", "index"]
        constraints = [
            models.CheckConstraint(
                name="a_depth_is_from_0_to_1",
                condition=models.Q(depth__isnull=True) | models.Q(depth__range=(0, 1)),
            ),
            models.UniqueConstraint(fields=["data_set", "index"], name="one_example_in_a_place"),
            models.UniqueConstraint(fields=["data_set", "key"], name="one_example_with_a_key"),
        ]

    def __str__(self) -> str:
        return f"{self.data_set} {self.key}"

    def for_rules(self, *, drop_first: bool = False) -> Question:
        """What scoring rules read besides the prediction and the label."""
        return Question(tuple(self.options), drop_first, self.answer_type)


class ReleaseQuerySet(models.QuerySet["Release"]):
    def open_for_submissions(self) -> Self:
        """Releases that an author may choose: neither those of historical files nor label
        versions."""
        return self.filter(accepts_submissions=True, part_of=None)

    def public(self) -> Self:
        """Without those of historical files, which appear on the boards of official releases."""
        historical = models.Q(submissions__origin="historical")
        return self.exclude(historical)

    def with_boards(self) -> Self:
        """Without label versions, which share the board of the release that they are part of."""
        return self.public().filter(part_of=None)


class Release(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    # One sentence: whose labels, which ids, how long.
    description = models.CharField(max_length=300, blank=True)
    hidden = models.BooleanField(
        default=False, help_text="Only reviewers can see labels and verdicts."
    )
    accepts_submissions = models.BooleanField(default=True)
    official = models.BooleanField(
        default=False,
        help_text="Original ∞Bench data: its boards also show re-scored and reported entries.",
    )
    part_of = models.ForeignKey(  # if this is a version of it with other labels or ids
        "self", models.PROTECT, related_name="label_versions", null=True, editable=False
    )
    minimum_answered = models.PositiveSmallIntegerField(
        "answers needed for publication",
        default=90,
        validators=[MaxValueValidator(100)],
        help_text="In percent of the examples of each submitted task.",
    )
    # If there are label versions: those of the newest.
    data_sets = models.ManyToManyField(TaskDataSet, related_name="releases")
    # The version that ``python -m scoring generate`` recorded; None: not known to be generated.
    generator = models.PositiveSmallIntegerField(null=True, editable=False)
    # By task, what its questions score without reading: ``scoring.releases.floors``.
    floors = models.JSONField(null=True, editable=False)
    # Settings of the generator that differ from the usual: ``scoring.releases.manifest.Origin``.
    dials = models.JSONField(null=True, editable=False)
    # The release whose books its unanswerable questions are about; they are in no score of it.
    unanswerable_of = models.ForeignKey(
        "self", models.PROTECT, related_name="unanswerable", null=True, editable=False
    )
    # What the operator says about texts that they have supplied.
    text_licence = models.CharField(max_length=500, blank=True, db_default="", editable=False)
    created = models.DateTimeField(auto_now_add=True)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title


def is_partial(*, answered: int, size: int, least: int) -> bool:
    """Whether a task has fewer answers than publication needs; ``least`` in percent."""
    return answered * 100 < size * least
