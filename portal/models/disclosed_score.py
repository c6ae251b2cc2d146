"""What authors were told of their scores on hidden releases: it stays when submissions go."""

from django.conf import settings
from django.db import models

from portal.models.release import TASK_CHOICES


class ToldScore(models.Model):
    """The best that somebody was told of a task under a metric set, and what it was told of.

    Labels are the same however often a data set is imported; so it is their hash that counts.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="told_scores", db_index=False
    )
    labels_hash = models.CharField(max_length=64)
    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    metric_set = models.CharField(max_length=40)
    percent = models.FloatField(default=0)
    scores = models.JSONField(default=list)  # 0 to 1, of every example; empty: nothing told yet

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
