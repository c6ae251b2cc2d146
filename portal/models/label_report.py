"""Reports that the label of an example is wrong, and what reviewers decided about them."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.release import Example, Release

ANSWER_CAP, REASON_CAP, EXPLANATION_CAP = 1_000, 600, 300  # characters


class LabelVerdict(models.TextChoices):
    """What reviewers say of the label."""

    RIGHT = "right", "right"
    WRONG = "wrong", "wrong"
    UNCLEAR = "unclear", "unclear"


class LabelReportQuerySet(models.QuerySet["LabelReport"]):
    def open(self) -> Self:
        return self.filter(verdict="")

    def about(self, example: Example) -> Self:
        """About the same question with the same label, in any data set."""
        return self.filter(example__in=Example.objects.same_as(example))


class LabelReport(models.Model):
    """About the label of an example, and of the same question with the same label in other data
    sets of the task."""

    release = models.ForeignKey(  # on whose page it was reported
        Release, models.PROTECT, related_name="label_reports"
    )
    example = models.ForeignKey(Example, models.PROTECT, related_name="label_reports")
    proposed_answer = models.TextField(max_length=ANSWER_CAP)
    reason = models.TextField(max_length=REASON_CAP)
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="label_reports"
    )
    reported_at = models.DateTimeField(db_default=Now())

    verdict = models.CharField(  # empty: not decided yet
        max_length=7, choices=LabelVerdict, blank=True, default="", editable=False
    )
    explanation = models.CharField(max_length=EXPLANATION_CAP, blank=True)  # shown on the example
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="decided_label_reports", null=True
    )
    decided_at = models.DateTimeField(null=True)

    objects = LabelReportQuerySet.as_manager()

    class Meta:
        ordering = ["-reported_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="a_decided_label_report_says_why_by_whom_and_when",
                condition=models.Q(verdict="", explanation="", decided_by=None, decided_at=None)
                | (
                    ~models.Q(verdict="")
                    & ~models.Q(explanation="")
                    & models.Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
            )
        ]

    def __str__(self) -> str:
        return f"report {self.pk} about {self.example}"
