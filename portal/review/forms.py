"""The forms for requests, questions and decisions."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.models.submission import NOT_STATED, REVIEWED_SETTINGS
from portal.submissions.forms import SettingsForm

REASON_MIN, REASON_CAP = 10, 2_000  # characters


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "The author sees this on the page and by email. If you publish the submission, it is "
            "shown on the public entry. At least ten characters."
        ),
        error_messages={
            "required": _("Please give a reason. The author can see it."),
            "min_length": _("Please say a little more: at least %(limit_value)d characters."),
        },
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)  # review_fingerprint

    def __init__(self, *args: Any, needed: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not needed:
            self.fields["reason"] = forms.CharField(
                label=_("Reason"),
                required=False,
                max_length=REASON_CAP,
                widget=forms.Textarea(attrs={"rows": 3}),
                help_text=_("Reviewers can see this."),
            )


class RequestForm(SettingsForm):
    """How the predictions were made, as complete as the author can state it."""

    unknown_confirmed = forms.BooleanField(
        label=_("What I left empty is not known."),
        required=False,
        help_text=_("Reviewers and readers will see these settings as unknown."),
    )

    def clean(self) -> None:
        super().clean()
        given = self.cleaned_data
        if given["unknown_confirmed"]:
            return
        if any(name in given and given[name] in NOT_STATED for name in REVIEWED_SETTINGS):
            message = _("Fill in every setting above, or tick this.")
            self.add_error("unknown_confirmed", forms.ValidationError(message, "settings_missing"))


class ReplyForm(forms.Form):
    reply = forms.CharField(
        label=_("Your reply"),
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 5}),
        error_messages={"required": _("Write a reply. Reviewers can see it.")},
    )
