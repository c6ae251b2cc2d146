"""An email that has to be sent. The row is the job.

It holds neither address nor text: both are looked up when it is sent. Only email about an account
is stored as the request has written it, because it may go to an address without an account, and
contains a link that only the request can create. That link opens the account, so the text is kept
no longer than needed.

The number of attempts is its fencing token, as with an evaluation. ``due`` is when the next attempt
may start; until then, the current one has the row to itself.
"""

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

from portal.models.account import User
from portal.models.audit import AuditEntry


class NoticeKind(models.TextChoices):
    DECISION = "decision", "review decision"  # to the author
    REVIEW = "review", "waiting for review"  # to a reviewer
    ACCOUNT = "account", "about an account"  # requested on a page


class NoticeState(models.TextChoices):
    WAITING = "waiting", "queued"
    SENT = "sent", "sent"
    FAILED = "failed", "failed"
    DROPPED = "dropped", "no longer needed"  # its recipient or its subject is gone


class NoticeQuerySet(models.QuerySet["Notice"]):
    def waiting(self) -> Self:
        return self.filter(state=NoticeState.WAITING)

    def due(self) -> Self:
        """Those that may be attempted now, by the database's clock."""
        alive = models.Q(expires=None) | models.Q(expires__gt=Now())
        return self.waiting().filter(alive, due__lte=Now())

    def expired(self) -> Self:
        return self.waiting().filter(expires__lte=Now())

    def longest_wait(self) -> timedelta | None:
        """How long those that are due have waited for a worker, at most; None: there are none.

        A failing mail server does not count as waiting: each attempt makes the notice due later.
        """
        wait: timedelta | None = self.due().aggregate(wait=Now() - models.Min("due"))["wait"]
        return wait

    def not_started(self) -> Self:
        """Those that no worker has started on: until then they cover whatever else happens."""
        return self.waiting().filter(attempts=0)

    def about_reviews(self) -> Self:
        return self.filter(kind=NoticeKind.REVIEW)


class Notice(models.Model):
    recipient = models.ForeignKey(  # None: the address may have no account
        User, models.CASCADE, null=True, related_name="notices"
    )
    kind = models.CharField(max_length=10, choices=NoticeKind, editable=False)
    entry = models.ForeignKey(  # the event; for reviews, the first request
        AuditEntry, models.PROTECT, null=True, related_name="notices"
    )
    # Only for an email about an account; once it has ended, only the subject stays.
    address = models.EmailField(blank=True, editable=False)
    subject = models.CharField(max_length=300, blank=True, editable=False)
    body = models.TextField(blank=True, editable=False)
    expires = models.DateTimeField(null=True, editable=False)
    state = models.CharField(
        max_length=10, choices=NoticeState, default=NoticeState.WAITING, editable=False
    )
    created = models.DateTimeField(db_default=Now())
    due = models.DateTimeField(db_default=Now())
    attempts = models.PositiveSmallIntegerField(default=0)
    begun = models.DateTimeField(null=True, blank=True)  # the last attempt
    ended = models.DateTimeField(null=True, blank=True)
    failure = models.TextField(blank=True)  # of the last attempt; for the log and for admins

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
            models.CheckConstraint(
                name="only_a_notice_about_an_account_has_no_event",
                condition=models.Q(kind=NoticeKind.ACCOUNT, entry=None, expires__isnull=False)
                | ~models.Q(kind=NoticeKind.ACCOUNT)
                & models.Q(entry__isnull=False, recipient__isnull=False, body="", address=""),
            ),
            models.CheckConstraint(
                name="the_text_of_a_notice_is_gone_when_it_has_ended",
                condition=models.Q(state=NoticeState.WAITING) | models.Q(body="", address=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["due"],
                condition=models.Q(state=NoticeState.WAITING),
                name="notices_waiting",
            ),
            models.Index(
                fields=["ended"],
                condition=models.Q(state=NoticeState.FAILED),
                name="notices_failed",
            ),
        ]

    def __str__(self) -> str:
        return f"notice {self.pk}: {self.kind}"
