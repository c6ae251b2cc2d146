"""What was done to a submission or an evaluation, by whom and why: written once, never changed."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.submission import Submission


class AuditEntry(models.Model):
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="audit_entries")
    actor = models.ForeignKey(  # None: the site itself
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="audit_entries"
    )
    action = models.CharField(max_length=40)
    before = models.CharField(max_length=12)
    after = models.CharField(max_length=12)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action}: {self.before} → {self.after}"
