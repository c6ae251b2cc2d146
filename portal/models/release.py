"""Releases and their examples. A task data set never changes: other data is another set."""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from scoring.catalog import TASKS

KEY_CAP = 200  # characters
TASK_CHOICES = [(task.id, task.title) for task in TASKS.values()]


class TaskDataSet(models.Model):
    """The examples of one task, named by the hashes of what they are."""

    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    labels_hash = models.CharField(max_length=64)  # of keys and canonical labels
    questions_hash = models.CharField(max_length=64)  # of questions and contexts, if known
    size = models.PositiveIntegerField()  # examples
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "labels_hash", "questions_hash"], name="one_set_for_the_same_data"
            )
        ]

    def __str__(self) -> str:
        return f"{TASKS[self.task].title} {self.labels_hash[:8]}"


class Example(models.Model):
    data_set = models.ForeignKey(  # the unique constraints have its index
        TaskDataSet, models.PROTECT, related_name="examples", db_index=False
    )
    index = models.PositiveIntegerField()  # place in the data set, from 0
    key = models.CharField(max_length=KEY_CAP)  # the id in its file
    label = models.JSONField()
    options = models.JSONField(default=list)
    question = models.TextField(blank=True)  # without its context

    class Meta:
        ordering = ["data_set", "index"]
        constraints = [
            models.UniqueConstraint(fields=["data_set", "index"], name="one_example_in_a_place"),
            models.UniqueConstraint(fields=["data_set", "key"], name="one_example_with_a_key"),
        ]

    def __str__(self) -> str:
        return f"{self.data_set} {self.key}"


class ReleaseQuerySet(models.QuerySet["Release"]):
    def open_for_submissions(self) -> Self:
        """Those that an author may choose; historical files have data sets but no such release."""
        return self.filter(accepts_submissions=True)

    def with_boards(self) -> Self:
        """All but those of historical files, which are shown on the boards of the official data."""
        historical = models.Q(submissions__origin="historical")
        return self.exclude(historical)


class Release(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    description = models.CharField(  # in a sentence: whose labels, which ids, how long
        max_length=300, blank=True
    )
    hidden = models.BooleanField(
        default=False, help_text=_("Labels and verdicts are for reviewers only.")
    )
    accepts_submissions = models.BooleanField(default=True)
    official = models.BooleanField(
        default=False,
        help_text=_("The data of ∞Bench itself: its boards show historical and reported rows."),
    )
    data_sets = models.ManyToManyField(TaskDataSet, related_name="releases")
    created = models.DateTimeField(auto_now_add=True)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title
