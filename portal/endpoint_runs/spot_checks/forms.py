"""The form with which an author requests a spot check of an entry."""

from django import forms
from django.core.exceptions import ValidationError

from portal.endpoint_runs.configuration.forms import API_CHOICES, RunForm
from portal.endpoint_runs.outbound import outbound_policy
from portal.web.fields import TokenCount
from scoring.endpoint.settings import RunSettings, SettingsError, settings_of
from scoring.endpoint.spot_check import COMPARED
from scoring.endpoint.templates import Strategy
from scoring.endpoint.transport.addresses import check_address
from scoring.endpoint.transport.failures import EndpointError
from scoring.endpoint.transport.hosts import check_key_is_safe

SMALLEST_WINDOW = 4_096
CHECKED_STRATEGIES = {
    Strategy.DIRECT: "direct",
    Strategy.STEPS: "step by step",
    Strategy.RECALL: "context recalling",
}


class SpotCheckForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=2_000,
        help_text="As for OpenAI's clients: https://example.org/v1",
    )
    model = forms.CharField(label="Model name at the endpoint", max_length=200)
    key = forms.CharField(
        label="API key",
        required=False,
        max_length=2_000,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Kept encrypted, and deleted when the check ends.",
    )
    api = forms.ChoiceField(
        label="Interface",
        choices=API_CHOICES,
    )
    strategy = forms.ChoiceField(label="Prompt strategy", choices=list(CHECKED_STRATEGIES.items()))
    window = TokenCount(
        required=True,
        label="Context window used",
        min_value=SMALLEST_WINDOW,
        initial=128_000,
        help_text="In tokens. Longer texts are cut in the middle.",
    )

    clean_key = RunForm.clean_key

    def clean(self) -> None:
        given = super().clean() or {}
        if self.errors:
            return
        key = given.pop("key")
        given["tasks"] = list(COMPARED)
        try:
            settings = settings_of(given)
            check_key_is_safe(settings.url, key)
            check_address(settings.url, outbound_policy())
        except (SettingsError, EndpointError) as error:
            raise ValidationError(str(error), "settings") from error
        self.run_settings: RunSettings = settings
        self.plain_key: str = key
