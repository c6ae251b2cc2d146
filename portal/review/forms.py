"""The form for the reason of a decision."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

REASON_MIN, REASON_CAP = 10, 2_000  # characters


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("The author sees this on the page and by email. At least ten characters."),
        error_messages={
            "required": _("Please give a reason. The author can see it."),
            "min_length": _("Please say a little more: at least %(limit_value)d characters."),
        },
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)  # review_fingerprint

    def __init__(self, *args: Any, needed: bool = True, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        if not needed:
            self.fields["reason"] = forms.CharField(
                label=_("Reason"),
                required=False,
                max_length=REASON_CAP,
                widget=forms.Textarea(attrs={"rows": 3}),
                help_text=_("Reviewers can see this."),
            )
