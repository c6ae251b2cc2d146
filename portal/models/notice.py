"""Mail that the site owes somebody, about something that was done. The row is the job.

It holds nobody's address and no text: both are looked up when it is sent. How often it has been
tried fences, as with an evaluation; ``due`` is both the pause until the next attempt and the time
for which an attempt has it to itself.
"""

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from portal.models.account import User
from portal.models.audit import AuditEntry

# After each attempt, until it is seen as failed and the next one may begin. The last is of the
# last attempt, after which there is none. A worker gives up well within the first.
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 1))


class NoticeKind(models.TextChoices):
    DECISION = "decision", _("what was decided")  # to the author
    REVIEW = "review", _("what waits for review")  # to a reviewer


class NoticeState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")
    DROPPED = "dropped", _("not needed any more")  # nobody to be told, or nothing to tell


class NoticeQuerySet(models.QuerySet["Notice"]):
    def waiting(self) -> Self:
        return self.filter(state=NoticeState.WAITING)

    def due(self) -> Self:
        """Those that may be tried now: by the database's clock."""
        return self.waiting().filter(due__lte=Now())

    def with_an_attempt_left(self) -> Self:
        return self.filter(attempts__lt=len(PAUSES))

    def without_an_attempt_left(self) -> Self:
        return self.filter(attempts__gte=len(PAUSES))

    def unbegun(self) -> Self:
        """Those that no worker has begun with: what they tell of can still become more."""
        return self.waiting().filter(attempts=0)

    def about_reviews(self) -> Self:
        return self.filter(kind=NoticeKind.REVIEW)


class Notice(models.Model):
    recipient = models.ForeignKey(User, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=10, choices=NoticeKind, editable=False)
    entry = models.ForeignKey(  # what was done; of reviews, the first that was asked for
        AuditEntry, models.PROTECT, related_name="notices"
    )
    state = models.CharField(
        max_length=10, choices=NoticeState, default=NoticeState.WAITING, editable=False
    )
    created = models.DateTimeField(db_default=Now())
    due = models.DateTimeField(db_default=Now())
    attempts = models.PositiveSmallIntegerField(default=0)
    begun = models.DateTimeField(null=True, blank=True)  # the last attempt
    ended = models.DateTimeField(null=True, blank=True)
    failure = models.TextField(blank=True)  # of the last attempt; for the log and for staff

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="a_notice_that_failed_says_why",
                condition=~models.Q(state=NoticeState.FAILED) | ~models.Q(failure=""),
            ),
            models.CheckConstraint(
                name="a_notice_waits_until_it_has_ended",
                condition=models.Q(state=NoticeState.WAITING, ended=None)
                | ~models.Q(state=NoticeState.WAITING) & models.Q(ended__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["due"],
                condition=models.Q(state=NoticeState.WAITING),
                name="notices_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"notice {self.pk}: {self.kind}"
