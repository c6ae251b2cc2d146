"""Scores on hidden releases that authors have seen: they stay when submissions are deleted."""

from django.conf import settings
from django.db import models

from portal.models.release import TASK_CHOICES


class BestDisclosedScore(models.Model):
    """The best score of a task that its owner has seen, and the scores of the examples behind it.

    It is keyed by the hash of the labels, not by the data set: importing the same labels again
    must not start a new count.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="best_disclosed_scores",
        db_index=False,
    )
    labels_hash = models.CharField(max_length=64)
    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    metric_set = models.CharField(max_length=40)
    percent = models.FloatField(default=0)
    scores = models.JSONField(default=list)  # 0 to 1, of every example; empty: none disclosed yet

    class Meta:
        ordering = ["owner", "labels_hash", "task", "metric_set"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "labels_hash", "task", "metric_set"],
                name="one_best_for_an_owner_task_and_set",
            )
        ]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.task} {self.metric_set}: {self.percent:.0f}"
