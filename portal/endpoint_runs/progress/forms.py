"""The forms of a run that has started: what may change in a pause, and an admin's reason."""

from typing import Any

from django import forms

from portal.endpoint_runs.configuration.base_forms import LONGEST_KEY, SAMPLE_ENDPOINT, clean_key
from portal.endpoint_runs.configuration.fields import TypedValue, about_concurrency
from portal.endpoint_runs.configuration.wording import field_sentence
from portal.models import EndpointRun
from scoring.endpoint.settings import SettingsError, settings_of

REASON_MIN, REASON_CAP = 10, 500  # characters


def why_key_is_needed(run: EndpointRun) -> str | None:
    """Why a paused run needs another key to go on; None: it needs none."""
    if run.is_key_deleted or run.reason == "no_key":
        return "The stored one was deleted."
    if run.reason == "key":
        if run.key:
            return "The endpoint has refused the stored one."
        return "The endpoint wants a key, and none was given."
    return None


class ResumeForm(forms.Form):
    """What may change while a run is paused."""

    key = forms.CharField(
        label="New API key",
        required=False,
        max_length=LONGEST_KEY,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    concurrency = TypedValue(label="Requests at once")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["concurrency"].help_text = about_concurrency()

    def clean_key(self) -> str:
        return clean_key(self.cleaned_data["key"])

    def describe_key(self, run: EndpointRun, *, same: bool) -> None:
        """Say whether a key is needed, and why. ``same``: the stored one is to be tried again,
        although the endpoint has refused it."""
        field = self.fields["key"]
        why = why_key_is_needed(run) if not (same and run.key) else None
        field.required = why is not None
        if why:
            field.help_text = str(why)
        elif run.key:
            field.help_text = "Empty: the stored one goes on to be used."
        else:
            field.help_text = "Empty: it goes on without a key."

    def clean_concurrency(self) -> int | None:
        value = self.cleaned_data["concurrency"]
        if value is None:
            return None
        try:
            return settings_of({**SAMPLE_ENDPOINT, "concurrency": value}).concurrency
        except SettingsError as error:
            sentence = field_sentence(error, {"concurrency": value})
            raise forms.ValidationError(sentence or str(error), "setting") from error


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=(
            "The author sees this on the page of the run, and it is in the audit log for good. At "
            "least ten characters."
        ),
    )
