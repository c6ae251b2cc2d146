"""A reviewer's doubt about the label of an example, and what became of it."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from portal.models.release import Example, Release, TaskDataSet


class Outcome(models.TextChoices):
    """How a dispute ends."""

    LABEL_WRONG = "label wrong", _("label wrong")
    AMBIGUOUS = "ambiguous", _("question ambiguous")
    SCORER_WRONG = "scorer wrong", _("scorer wrong")
    ENTRY_WRONG = "entry wrong", _("entry wrong")
    STANDS = "stands", _("label stands")


# The proposals of these are part of the proposed data set.
ACCEPTED = (Outcome.LABEL_WRONG, Outcome.AMBIGUOUS)


class LabelDisputeQuerySet(models.QuerySet["LabelDispute"]):
    def open(self) -> Self:
        return self.filter(outcome="")

    def accepted(self) -> Self:
        """In the order in which they were decided: of two about one example the last one holds."""
        return self.filter(outcome__in=ACCEPTED).order_by("decided_at", "pk")

    def flagging(self) -> Self:
        """Those for which readers should not trust a label: open and accepted ones."""
        return self.filter(outcome__in=("", *ACCEPTED))

    def about(self, example: Example) -> Self:
        """Of the same question with the same label, in whatever data set."""
        return self.filter(example__in=Example.objects.same_as(example))

    def flagged_in(self, data_set: TaskDataSet) -> list[int]:
        """The indices of the examples of a data set whose label is in doubt."""
        same = models.Q(
            example__question_number=models.OuterRef("question_number"),
            example__label=models.OuterRef("label"),
            example__data_set__task=data_set.task,
        )
        doubts = self.flagging().filter(models.Q(example=models.OuterRef("pk")) | same)
        examples = Example.objects.filter(models.Exists(doubts), data_set=data_set)
        return list(examples.order_by("index").values_list("index", flat=True))


class LabelDispute(models.Model):
    """It is about one label: that of the example, and of the same question with the same label in
    other data sets of the task."""

    release = models.ForeignKey(  # on whose page it was filed
        Release, models.PROTECT, related_name="label_disputes"
    )
    example = models.ForeignKey(Example, models.PROTECT, related_name="label_disputes")
    # What the label should be, in the same form; None: the question is better left out.
    proposed_label = models.JSONField(null=True)
    reason = models.TextField()
    filed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="filed_disputes"
    )
    filed_at = models.DateTimeField(db_default=Now())

    outcome = models.CharField(  # empty: not decided yet
        max_length=12, choices=Outcome, blank=True, default="", editable=False
    )
    decision = models.TextField(blank=True)  # why
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="decided_disputes", null=True
    )
    decided_at = models.DateTimeField(null=True)

    objects = LabelDisputeQuerySet.as_manager()

    class Meta:
        ordering = ["-filed_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="a_decided_dispute_says_by_whom_and_when",
                condition=models.Q(outcome="", decided_by=None, decided_at=None)
                | (
                    ~models.Q(outcome="")
                    & models.Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
            )
        ]

    def __str__(self) -> str:
        return f"dispute {self.pk} about {self.example}"

    @property
    def is_open(self) -> bool:
        return not self.outcome

    @property
    def is_accepted(self) -> bool:
        return self.outcome in ACCEPTED

    @property
    def state(self) -> str:
        """As the audit log names it."""
        return self.outcome or "open"
