"""Numbers copied from papers and model cards: not scored here, each with its source."""

from django.db import models

from portal.models.language_model import LanguageModel, with_method
from portal.models.release import TASK_CHOICES


class ReportedEntry(models.Model):
    """One row of a published table."""

    language_model = models.ForeignKey(
        LanguageModel, models.PROTECT, related_name="reported_entries"
    )
    method = models.CharField(  # as in a submission
        "method", max_length=80, blank=True
    )
    source = models.CharField("source", max_length=200)
    link = models.URLField("link", blank=True, help_text="Where the source can be read.")
    note = models.CharField("note", max_length=300, blank=True)
    average = models.FloatField("published average", null=True, blank=True)  # percent
    slug = models.CharField(  # its address, as of a submission
        max_length=60, unique=True, null=True, editable=False
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["language_model", "method", "source"]
        verbose_name_plural = "reported entries"
        constraints = [
            models.UniqueConstraint(
                fields=["language_model", "method", "source"],
                name="one_reported_entry_of_a_source",
            )
        ]

    def __str__(self) -> str:
        return f"{self.title}: {self.source}"

    @property
    def title(self) -> str:
        return with_method(self.language_model.name, self.method)

    @property
    def entry_id(self) -> str:
        """Its id in public addresses."""
        return self.slug or f"reported-{self.pk}"


class ReportedScore(models.Model):
    entry = models.ForeignKey(ReportedEntry, models.CASCADE, related_name="scores", db_index=False)
    task = models.CharField(max_length=40, choices=TASK_CHOICES)
    percent = models.FloatField()

    class Meta:
        ordering = ["entry", "task"]
        constraints = [
            models.UniqueConstraint(fields=["entry", "task"], name="one_reported_score_of_a_task")
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.percent}"
