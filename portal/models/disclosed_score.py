"""What has been disclosed about a hidden release before publication, and to whom.

It stays when submissions are deleted, and its key is the hash of the labels, not the data set:
importing the same labels again must not start a new count.
"""

from django.conf import settings
from django.db import models

from portal.models.release import TASK_CHOICES, Release


class ReleaseAdmission(models.Model):
    """An account that may see scores on a hidden release before they are published. Admins admit
    the accounts of people they know: see ``portal.evaluations.ladder``."""

    release = models.ForeignKey(
        Release,
        models.CASCADE,
        related_name="admissions",
        limit_choices_to={"hidden": True},
        db_index=False,
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="release_admissions"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["release", "account"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "account"], name="one_admission_of_an_account"
            )
        ]

    def __str__(self) -> str:
        return f"{self.account}: {self.release}"


class BestDisclosedScore(models.Model):
    """The best score of a task that its owner has seen, and the scores of the examples behind
    it."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="best_disclosed_scores",
        db_index=False,
    )
    labels_hash = models.CharField(max_length=64)
    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    percent = models.FloatField(default=0)  # or the lower end of a band
    width = models.PositiveSmallIntegerField(default=0)  # of the band, in percentage points
    scores = models.JSONField(default=list)  # 0 to 1, of every example; empty: none disclosed yet

    class Meta:
        ordering = ["owner", "labels_hash", "task"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "labels_hash", "task"], name="one_best_for_an_owner_and_task"
            )
        ]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.task}: {self.percent:.0f}"


class ReleaseLadder(models.Model):
    """What has been disclosed about a task to any account: for each disclosure that differed from
    the earlier ones by more than chance, the scores (0 to 1) of all examples."""

    labels_hash = models.CharField(max_length=64)
    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    steps = models.JSONField(default=list)

    class Meta:
        ordering = ["labels_hash", "task"]
        constraints = [
            models.UniqueConstraint(fields=["labels_hash", "task"], name="one_ladder_for_a_task")
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.labels_hash[:8]}: {len(self.steps)}"
