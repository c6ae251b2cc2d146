"""What was done, to what, by whom and why: written once, never changed.

The database ensures this (``0002_database.sql``): each inserted entry gets the next number, and a
hash of its content and of the entry before it. A change by someone with the rights to make one
breaks the chain, and ``portal.audit.chain`` finds that.
"""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.submission import Submission


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def history(self) -> Self:
        """The oldest first, with their actors."""
        return self.select_related("actor").order_by("number")


class AuditEntry(models.Model):
    submission = models.ForeignKey(  # the id stays when a private submission is deleted
        Submission,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="audit_entries",
    )
    # What an entry without a submission is about: “user:alice” (``portal.audit.records``). Text,
    # because it has to outlive what it names.
    subject = models.CharField(max_length=300, blank=True, default="", db_default="")
    actor = models.ForeignKey(  # None: the site itself
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="audit_entries"
    )
    action = models.CharField(max_length=40)
    before = models.CharField(max_length=12)
    after = models.CharField(max_length=12)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    # Both are set by the database, whatever the INSERT says.
    number = models.BigIntegerField(db_default=0, unique=True, editable=False)
    hash = models.CharField(max_length=64, db_default="", editable=False)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "audit entries"
        constraints = [
            models.CheckConstraint(
                name="an_audit_entry_is_about_one_thing",
                condition=models.Q(subject="") | models.Q(submission=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.action}: {self.before} → {self.after}"

    @property
    def about(self) -> str:
        return self.subject or f"submission {self.submission_id}"


class AuditHead(models.Model):
    """A single row that names the newest entry, so that entries missing at the end are noticed.

    Its lock serialises writers.
    """

    entries = models.BigIntegerField()
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(name="one_audit_head", condition=models.Q(pk=1))]

    def __str__(self) -> str:
        return f"{self.entries}:{self.hash}"
