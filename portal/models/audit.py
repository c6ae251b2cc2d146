"""What was done to a submission or an evaluation, by whom and why: written once, never changed.

The database itself sees to that (migration ``audit``): each entry that comes in gets the next
number, and the hash of what it says and of the entry before. Whoever changes one with the rights
to do so breaks the chain, which ``portal.audit.chain`` finds.
"""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.submission import Submission


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def history(self) -> Self:
        """With who did it, the oldest first."""
        return self.select_related("actor").order_by("number")


class AuditEntry(models.Model):
    submission = models.ForeignKey(  # the id stays where a private submission was deleted
        Submission,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="audit_entries",
    )
    actor = models.ForeignKey(  # None: the site itself
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="audit_entries"
    )
    action = models.CharField(max_length=40)
    before = models.CharField(max_length=12)
    after = models.CharField(max_length=12)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    # The database writes both, whatever is given.
    number = models.BigIntegerField(db_default=0, unique=True, editable=False)
    hash = models.CharField(max_length=64, db_default="", editable=False)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action}: {self.before} → {self.after}"


class AuditHead(models.Model):
    """The one row that knows the newest entry: so those at the end are missed too.

    Its lock is what lets entries be written one after another.
    """

    entries = models.BigIntegerField()
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(name="one_audit_head", condition=models.Q(pk=1))]

    def __str__(self) -> str:
        return f"{self.entries}:{self.hash}"
