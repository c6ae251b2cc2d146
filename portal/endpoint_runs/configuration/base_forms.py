"""The configuration of a run: everything of its form but the settings, and the form that reads a
settings file.

Settings are validated in one place: ``scoring.endpoint.settings``.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import lazy

from portal.endpoint_runs.configuration.drafts import Configuration
from portal.endpoint_runs.configuration.same_questions import SameQuestions, has_questions_for
from portal.endpoint_runs.configuration.wording import ADDRESS_SENTENCES, in_words
from portal.endpoint_runs.outbound import outbound_policy
from portal.language_models.forms import LanguageModelForm
from portal.models import EndpointRun, Example, LanguageModel, Release, User
from portal.releases.titles import not_among
from portal.submissions.submit.model_choice import NEW, NO_SUCH_MODEL
from portal.web.fields import PlainText
from scoring.endpoint.settings import RunSettings, SettingsError
from scoring.endpoint.settings_file import SettingsFile, read_settings_file
from scoring.endpoint.templates import Strategy
from scoring.endpoint.transport.addresses import check_address
from scoring.endpoint.transport.failures import EndpointError

LONGEST_KEY = 2_000  # characters
LARGEST_UPLOAD = 1 << 16  # bytes
# Completes a single setting that is validated alone.
SAMPLE_ENDPOINT = {"url": "https://example.org/v1", "model": "model"}


class ConfigurationForm(forms.Form):
    """Everything but the settings."""

    key = forms.CharField(
        label="API key",
        required=False,
        max_length=LONGEST_KEY,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    forget_key = forms.BooleanField(label="Delete the stored key", required=False)

    language_model = forms.ChoiceField(
        label="Language model",
        error_messages={
            "required": "Choose the model that will answer, or add a new one.",
            "invalid_choice": NO_SUCH_MODEL,
        },
    )
    method = PlainText(
        label="Method",
        required=False,
        max_length=80,
        help_text=(
            "What you built around the model, if anything: InfLLM, MInference, RAG. The "
            "leaderboard lists it after the name of the model."
        ),
    )
    note = PlainText(
        label="Note",
        required=False,
        max_length=300,
        help_text="What is special about this run. Helps you tell your versions apart.",
    )

    release = forms.ModelChoiceField(
        label="Release",
        queryset=Release.objects.none(),
        empty_label=None,
        help_text="The set of examples that your model is asked.",
    )

    same_questions_as = SameQuestions()

    run_settings: RunSettings  # of a valid form

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        user: User,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=dict(initial or {}))
        own: dict[str, Any] = self.fields
        own["release"].queryset = releases_to_ask()
        known = own["release"].queryset.values_list("slug", flat=True)
        own["release"].error_messages["invalid_choice"] = lazy(not_among, str)(known)
        own["same_questions_as"].offer(user)
        offered = LanguageModel.objects.offered_to(user)
        self._models = {str(one.pk): one for one in offered}
        own["language_model"].choices = [(value, value) for value in (NEW, *self._models)]

    def clean_language_model(self) -> LanguageModel | None:
        """None: a new model."""
        return self._models.get(self.cleaned_data["language_model"])

    def check_same_questions(self) -> None:
        """Called once ``run_settings`` is set."""
        earlier: EndpointRun | None = self.cleaned_data.get("same_questions_as")
        release: Release | None = self.cleaned_data.get("release")
        if earlier and release and not has_questions_for(earlier, release, self.run_settings):
            message = "That run was asked other questions: its release, tasks or sample differ."
            error = forms.ValidationError(message, "other_questions")
            self.add_error("same_questions_as", error)

    def clean_key(self) -> str:
        return clean_key(self.cleaned_data["key"])


def clean_key(sent: str) -> str:
    """Raises ``ValidationError``, whose text has no part of the key."""
    key = sent.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise forms.ValidationError(
            "A key has only letters, digits and signs, without spaces.", "key_unreadable"
        )
    return key


def address_error(url: str) -> forms.ValidationError | None:
    """Why the site cannot use this address, as far as that shows without a DNS lookup."""
    try:
        check_address(url, outbound_policy())
    except EndpointError as error:
        sentence = ADDRESS_SENTENCES.get(error.kind, error.rule.sentence)
        return forms.ValidationError(str(sentence), error.kind.value)
    return None


def evidence_error(release: Release | None, strategy: object) -> forms.ValidationError | None:
    if release and release.hidden and strategy == Strategy.EVIDENCE_ONLY:
        return forms.ValidationError(
            "The evidence of a release with hidden labels is not given away.", "hidden"
        )
    return None


def tasks_to_ask(release: Release, chosen: list[str]) -> list[str]:
    """The chosen tasks that the release has."""
    known = set(release.data_sets.values_list("task", flat=True))
    return [task for task in chosen if task in known]


def releases_to_ask() -> "QuerySet[Release]":
    """Open releases whose contexts are stored."""
    readable = Example.objects.filter(
        data_set__releases=OuterRef("pk"), context__isnull=False
    ).order_by()
    found = Release.objects.open_for_submissions().filter(Exists(readable))
    return found.order_by("-created", "slug")


class ConfigurationForms:
    """The configuration's form, and the form of a new language model if one is added."""

    model_form: LanguageModelForm

    def __init__(self, user: User, data: Mapping[str, Any] | None, form: ConfigurationForm) -> None:
        self.user = user
        self.form = form
        is_new = data is not None and data.get("language_model") == NEW
        self.model_form = LanguageModelForm(data if is_new else None, user=user)

    @property
    def bound(self) -> list[forms.BaseForm]:
        return [form for form in (self.form, self.model_form) if form.is_bound]

    def is_valid(self) -> bool:
        """Validates both forms, so that all errors are shown at once."""
        return not [form for form in self.bound if not form.is_valid()]

    @property
    def configuration(self) -> Configuration:
        """Of valid forms. A new language model is not stored yet."""
        chosen: LanguageModel | None = self.form.cleaned_data["language_model"]
        names = ("release", "method", "note", "key", "forget_key", "same_questions_as")
        return Configuration(
            language_model=chosen or self.model_form.instance,
            settings=self.form.run_settings,
            **{name: self.form.cleaned_data[name] for name in names},
        )


class SettingsFileForm(forms.Form):
    file = forms.FileField(
        label="Settings as YAML",
        error_messages={"required": "Choose a file with settings."},
        widget=forms.ClearableFileInput(attrs={"accept": ".yaml,.yml,text/yaml"}),
    )

    def clean_file(self) -> SettingsFile:
        sent = self.cleaned_data["file"]
        if sent.size > LARGEST_UPLOAD:
            raise forms.ValidationError("The file is too long to hold settings.", "too_long")
        try:
            text = sent.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError("This is not a text file.", "not_text") from error
        try:
            return read_settings_file(text)
        except SettingsError as error:
            raise forms.ValidationError(in_words(error), "setting") from error
