"""The forms of disputes."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db import models

from portal.models import Example, Outcome
from portal.review.disputes.labels import help_of, read_label, written_label
from portal.review.forms import REASON_CAP, REASON_MIN
from scoring.catalog import Task

LABEL_CAP = 200_000  # characters: a label of Math.Calc has thousands of values


class Proposal(models.TextChoices):
    ANOTHER = "label", "Another answer is right"
    NONE = "leave-out", "The question cannot be answered: leave it out"


class _ReasonField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            min_length=REASON_MIN,
            max_length=REASON_CAP,
            widget=forms.Textarea(attrs={"rows": 4}),
            error_messages={
                "required": "Please give a reason.",
                "min_length": "Please say a little more: at least %(limit_value)d characters.",
            },
            **kwargs,
        )


class DisputeForm(forms.Form):
    proposal = forms.ChoiceField(
        label="Proposal",
        choices=Proposal,
        initial=Proposal.ANOTHER,
        widget=forms.RadioSelect,
    )
    label = forms.CharField(
        label="The right answer",
        strip=False,
        max_length=LABEL_CAP,
        widget=forms.Textarea,
    )
    reason = _ReasonField(
        label="Reason",
        help_text="What in the context shows it. Everybody can read this.",
    )

    def __init__(self, data: Mapping[str, Any] | None, *, task: Task, example: Example) -> None:
        super().__init__(
            data, initial={"label": written_label(task, example.label, example.options)}
        )
        self._task, self._example = task, example
        self.fields["label"].help_text = str(help_of(task, example.options))
        self.fields["label"].widget.attrs["rows"] = 3
        self.fields["label"].required = data is None or data.get("proposal") == Proposal.ANOTHER

    def clean(self) -> None:
        given = super().clean() or {}
        if given.get("proposal") != Proposal.ANOTHER:
            return
        try:
            self._label = read_label(self._task, given.get("label", ""), self._example.options)
        except forms.ValidationError as error:
            if "label" not in self.errors:
                self.add_error("label", error)
            return
        if self._label == self._example.label:
            message = "This is what the label is already."
            self.add_error("label", forms.ValidationError(message, "same_label"))

    @property
    def proposed_label(self) -> object:
        """None: to leave the question out."""
        return self._label if self.cleaned_data["proposal"] == Proposal.ANOTHER else None


class DecisionForm(forms.Form):
    outcome = forms.ChoiceField(
        label="Outcome",
        choices=[
            (Outcome.LABEL_WRONG, "Label wrong: the proposal is right"),
            (Outcome.AMBIGUOUS, "Question ambiguous: the proposal is fairer"),
            (
                Outcome.SCORER_WRONG,
                "Scorer wrong: the label is right, a metric misreads answers",
            ),
            (Outcome.ENTRY_WRONG, "Entry wrong: the label is right, an entry is not"),
            (Outcome.STANDS, "The label stands"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the outcomes."},
    )
    reason = _ReasonField(label="Reason", help_text="Readers of the example see this.")
