"""The public ledger: attempts and decisions, chained, each a commitment until it is opened.

The database computes commitments and hashes, and lets nothing be changed (``0002_database.sql``).
Before an entry is opened, the public may read its number, day, kind, release, commitment and hash.
The key is random, so nobody can guess the content from the commitment; with key and content anybody
can check it (``scoring.ledger``).
"""

from typing import Self

from django.db import models
from django.db.models.functions import Coalesce, Now

from portal.models.submission import Submission


class LedgerEntryQuerySet(models.QuerySet["LedgerEntry"]):
    def with_opening(self) -> Self:
        """``is_open``: whether everybody may read the content. An attempt shared with an anonymous
        entry stays closed: the hash of its predictions would reveal whose that entry is."""
        opened = Decision.objects.opened()
        decided = models.Exists(opened.filter(entry=models.OuterRef("pk")))
        openings = Opening.objects.filter(attempt=models.OuterRef("pk"))
        published = models.Exists(openings.filter(decision__in=opened.values("pk")))
        of_nameless = Attempt.objects.nameless().filter(entry=models.OuterRef("pk"))
        return self.annotate(is_open=decided | (published & ~models.Exists(of_nameless)))


class LedgerEntry(models.Model):
    class Kind(models.TextChoices):
        ATTEMPT = "attempt", "scored"
        DECISION = "decision", "decision"

    kind = models.CharField(max_length=8, choices=Kind)
    release = models.CharField(max_length=80)  # its slug: the text outlives what it names
    key = models.CharField(max_length=64)
    content = models.TextField()  # canonical JSON
    at = models.DateTimeField(db_default=Now())  # only the day is public
    # Written from older records when the ledger began: its commitment was not public on that day.
    reconstructed = models.BooleanField(default=False)

    # Set by the database, whatever the INSERT says.
    number = models.BigIntegerField(db_default=0, unique=True, editable=False)
    commitment = models.CharField(max_length=64, db_default="", editable=False)
    hash = models.CharField(max_length=64, db_default="", editable=False)

    objects = LedgerEntryQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


class LedgerHead(models.Model):
    """A single row that names the newest entry. Its lock serialises writers."""

    entries = models.BigIntegerField()
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(name="one_ledger_head", condition=models.Q(pk=1))]

    def __str__(self) -> str:
        return f"{self.entries}:{self.hash}"


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def nameless(self) -> Self:
        """Attempts of anonymous entries: nothing may show by whom they are."""
        nameless = Submission.objects.nameless().values("pk")
        return self.filter(
            models.Q(submission__in=nameless) | models.Q(publications__submission__in=nameless)
        )


class Attempt(models.Model):
    """The content of a ledger entry of this kind, in columns. It stays when the submission is
    deleted: otherwise deleting would start a new count."""

    entry = models.OneToOneField(
        LedgerEntry, models.PROTECT, primary_key=True, related_name="attempt"
    )
    submission = models.ForeignKey(
        Submission, models.DO_NOTHING, db_constraint=False, related_name="attempts"
    )
    group = models.CharField(max_length=40)  # portal.ledger.attempts.group_of, at that time
    owner = models.BigIntegerField()  # primary key of the account
    language_model = models.CharField(max_length=80)  # its slug at that time
    release = models.CharField(max_length=80)
    predictions = models.CharField(max_length=80)  # portal.ledger.attempts.fingerprint_of
    in_part = models.BooleanField()  # a run by this site that has not asked everything

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering = ["entry"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "group", "language_model", "predictions"],
                name="one_attempt_of_predictions",
            ),
            models.UniqueConstraint(
                fields=["submission", "release"], name="one_attempt_of_a_submission"
            ),
        ]
        indexes = [models.Index(fields=["owner", "release"], name="attempts_of_owner")]

    def __str__(self) -> str:
        return f"attempt of {self.group} on {self.release}"


class DecisionQuerySet(models.QuerySet["Decision"]):
    def opened(self) -> Self:
        """Decisions that everybody may read. Left out are those about a submission whose
        publication was undone within minutes, which nobody was meant to see; about a sealed one
        before it opens; and about an anonymous entry, since their reasons may reveal whose it
        is."""
        of_submission = Decision.objects.filter(submission=models.OuterRef("submission"))
        newest = models.Subquery(of_submission.order_by("-entry").values("kind")[:1])
        decided = self.alias(newest=Coalesce(newest, models.Value("")))  # a label has none
        named = decided.exclude(submission__in=Submission.objects.nameless().values("pk"))
        return named.exclude(newest__in=(Decision.Kind.UNDONE, Decision.Kind.SEALED))

    def publications(self) -> Self:
        return self.opened().filter(kind=Decision.Kind.PUBLISHED)


class Decision(models.Model):
    """The content of a ledger entry of this kind, in columns."""

    class Kind(models.TextChoices):
        SEALED = "sealed", "sealed"  # approved, to be published on a day to come
        PUBLISHED = "published", "published"
        UNDONE = "undone", "publication undone"
        HIDDEN = "hidden", "hidden"
        RESTORED = "restored", "restored"
        WITHDRAWN = "withdrawn", "withdrawn"  # by its author
        REMOVED = "removed", "removed"  # by an admin
        SCORED_AGAIN = "scored again", "scored again"

    class Role(models.TextChoices):
        REVIEWER = "reviewer", "reviewer"
        ADMIN = "admin", "admin"
        AUTHOR = "author", "author"
        SITE = "site", "the site"

    entry = models.OneToOneField(
        LedgerEntry, models.PROTECT, primary_key=True, related_name="decision"
    )
    kind = models.CharField(max_length=12, choices=Kind)
    role = models.CharField(max_length=8, choices=Role)
    submission = models.ForeignKey(
        Submission, models.DO_NOTHING, null=True, db_constraint=False, related_name="decisions"
    )
    attempt = models.ForeignKey(  # that a publication publishes
        Attempt, models.PROTECT, null=True, related_name="publications"
    )

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ["entry"]

    def __str__(self) -> str:
        return f"{self.kind} by {self.role}"


class Opening(models.Model):
    """A publication opens the attempts from which its entry was chosen, so that everybody can count
    these, and nobody learns of any others."""

    decision = models.ForeignKey(Decision, models.PROTECT, related_name="openings")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="openings", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "decision"], name="one_opening_by_a_publication"
            )
        ]

    def __str__(self) -> str:
        return f"{self.attempt_id} by {self.decision_id}"
