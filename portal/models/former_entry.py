"""Addresses that entries had before their model was renamed."""

from django.db import models

from portal.models.reported import ReportedEntry
from portal.models.submission import Submission


class FormerEntry(models.Model):
    """It redirects to the entry, and is given to no other. Nothing public leads the other way: the
    former name may be a working name from a double-blind review."""

    slug = models.CharField(max_length=60, unique=True)
    submission = models.ForeignKey(
        Submission, models.CASCADE, related_name="former_entries", null=True
    )
    reported = models.ForeignKey(
        ReportedEntry, models.CASCADE, related_name="former_entries", null=True
    )

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(
                name="a_former_address_is_of_one_entry",
                condition=models.Q(submission=None, reported__isnull=False)
                | models.Q(submission__isnull=False, reported=None),
            )
        ]

    def __str__(self) -> str:
        return self.slug
