"""Doubts about the labels of examples, and what became of them."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.release import Example, Release, TaskDataSet


class Outcome(models.TextChoices):
    """How a dispute ends."""

    LABEL_WRONG = "label wrong", "label wrong"
    AMBIGUOUS = "ambiguous", "question ambiguous"
    SCORER_WRONG = "scorer wrong", "scorer wrong"
    ENTRY_WRONG = "entry wrong", "entry wrong"
    STANDS = "stands", "label stands"


# Outcomes whose proposals are part of the proposed data set.
ACCEPTED = (Outcome.LABEL_WRONG, Outcome.AMBIGUOUS)


class LabelDisputeQuerySet(models.QuerySet["LabelDispute"]):
    def open(self) -> Self:
        return self.filter(outcome="")

    def accepted(self) -> Self:
        """In the order of their decisions: the last one about a label counts. Without disputes
        after which the label was found to be right."""
        same = models.Q(example=models.OuterRef("example")) | _same_question("example__")
        later = LabelDispute.objects.filter(
            same, outcome=Outcome.STANDS, decided_at__gt=models.OuterRef("decided_at")
        )
        found = self.filter(~models.Exists(later), outcome__in=ACCEPTED)
        return found.order_by("decided_at", "pk")

    def about(self, example: Example) -> Self:
        """About the same question with the same label, in any data set."""
        return self.filter(example__in=Example.objects.same_as(example))

    def about_any_in(self, data_set: TaskDataSet) -> Self:
        same = models.Q(pk=models.OuterRef("example")) | _same_question("")
        examples = Example.objects.filter(same, data_set=data_set)
        return self.filter(models.Exists(examples))

    def flagged_in(self, data_set: TaskDataSet) -> list[int]:
        """The indices of the examples of a data set whose labels readers should not trust: those
        with open or accepted disputes."""
        doubts = [*self.open().about_any_in(data_set).select_related("example__data_set")]
        doubts += self.accepted().about_any_in(data_set).select_related("example__data_set")
        examples = Example.objects.same_as(*(one.example for one in doubts))
        found = examples.filter(data_set=data_set).order_by("index")
        return list(found.values_list("index", flat=True))


def _same_question(prefix: str) -> models.Q:
    """Whether an example is the same question as that of the outer query's dispute. ``prefix``
    leads to examples."""
    outer = models.OuterRef
    return models.Q(
        **{
            f"{prefix}question_number": outer("example__question_number"),
            f"{prefix}label": outer("example__label"),
            f"{prefix}data_set__task": outer("example__data_set__task"),
        }
    )


class LabelDispute(models.Model):
    """A dispute about one label: that of the example, and of the same question with the same label
    in other data sets of the task."""

    release = models.ForeignKey(  # on whose page it was filed
        Release, models.PROTECT, related_name="label_disputes"
    )
    example = models.ForeignKey(Example, models.PROTECT, related_name="label_disputes")
    # What the label should be, in the same form; None: the question should be left out.
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
