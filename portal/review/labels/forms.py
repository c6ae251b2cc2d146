"""The forms of reports about labels."""

from django import forms

from portal.models import LabelVerdict
from portal.models.label_report import ANSWER_CAP, EXPLANATION_CAP, REASON_CAP
from portal.web.fields import LongText, PlainText

_MOST_WORDS = 60  # of a reason


class ReportForm(forms.Form):
    proposed_answer = LongText(
        label="The right answer",
        max_length=ANSWER_CAP,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    reason = LongText(
        label="Reason",
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=f"What in the context shows it, in at most {_MOST_WORDS} words.",
    )

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"]
        words = len(reason.split())
        if words > _MOST_WORDS:
            message = f"A reason has at most {_MOST_WORDS} words; this one has {words}."
            raise forms.ValidationError(message, "too_many_words")
        return reason


class DecisionForm(forms.Form):
    verdict = forms.ChoiceField(
        label="The label is",
        choices=LabelVerdict,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the three."},
    )
    explanation = PlainText(
        label="Why, in a sentence",
        max_length=EXPLANATION_CAP,
        help_text="Readers of the example see it.",
    )
