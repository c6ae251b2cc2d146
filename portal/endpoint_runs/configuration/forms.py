"""The form of a run's settings, and the initial values it gets from a file or an earlier run.

Settings are validated in one place for the form, for YAML and for the command:
``scoring.endpoint.settings``. The fields here only turn input into plain values.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms.boundfield import BoundField

from portal.endpoint_runs.configuration.base_forms import (
    SAMPLE_ENDPOINT,
    ConfigurationForm,
    ConfigurationForms,
    address_error,
    evidence_error,
    releases_to_ask,
    tasks_to_ask,
)
from portal.endpoint_runs.configuration.fields import (
    SeedField,
    TypedLine,
    TypedValue,
    about_concurrency,
)
from portal.endpoint_runs.configuration.same_questions import runs_to_repeat
from portal.endpoint_runs.configuration.wording import field_sentence, in_words
from portal.models import EndpointRun, LanguageModel, RunState, User
from portal.releases.titles import unique_titles
from portal.submissions.submit.model_choice import ModelChoice, model_choice
from portal.web.fields import LongText
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.endpoint.settings import (
    OUTPUT_TOKENS,
    RunSettings,
    SettingsError,
    check_money_cap,
    settings_document,
    settings_of,
)
from scoring.endpoint.settings_file import SettingsFile
from scoring.endpoint.templates import Strategy
from scoring.text.tokens import ENCODING

_MOST_RADIO_BUTTONS = 6  # more releases than that go into a select box
_HOUR = 3_600  # seconds
_PARTS = {"output_tokens": "answer", "templates": "template", "prices": "price", "caps": "cap"}


STRATEGY_TITLES = {
    Strategy.DIRECT: (
        "Direct",
        "The context, then the question. The whole answer is scored.",
    ),
    Strategy.STEPS: (
        "Step by step",
        (
            "The question asks for a few steps first and for a last line that begins with "
            "“Answer:”. What follows it is scored; without such a line the whole answer."
        ),
    ),
    Strategy.RECALL: (
        "Context recalling",
        "The same, but the model first copies what matters from the context.",
    ),
    Strategy.CLOSED_BOOK: (
        "Closed book",
        (
            "The question without its context: what the model knows or guesses. The difference to "
            "another run of the same model is what it gains from reading."
        ),
    ),
    Strategy.EVIDENCE_ONLY: (
        "Evidence only",
        (
            "Only the parts of the context that decide, where they are known; other questions are "
            "skipped. Not on releases with hidden labels."
        ),
    ),
}
_TRUNCATION_CHOICES = [
    ("middle", "Cut out the middle: both ends are kept, as in the paper"),
    ("skip", "Do not ask it: it counts as unanswered"),
]
SAMPLE = "sample"  # its size is in a field of its own
_SUBSET_CHOICES = [
    ("all", "All of them"),
    ("smoke", "A smoke test: the shortest question of each task"),
    (SAMPLE, "A sample"),
]
API_CHOICES = [
    ("chat", "Chat: /chat/completions"),
    ("completions", "Plain completions, for base models: /completions"),
]


class RunForm(ConfigurationForm):
    """The settings of a run, with its language model, release and key."""

    field_order = ("url", "model", "api")  # then the fields that are not settings

    url = TypedLine(
        label="Address",
        required=True,
        help_text="As for OpenAI's clients, with https and mostly with /v1 at its end.",
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://…/v1",
                                      "spellcheck": "false"}),
    )  # fmt: skip
    model = TypedLine(
        label="Model name at the endpoint",
        required=True,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Exactly as the endpoint knows it.",
    )
    api = forms.ChoiceField(
        label="Interface", choices=API_CHOICES, widget=forms.RadioSelect, initial="chat"
    )
    tasks = forms.MultipleChoiceField(
        label="Tasks",
        choices=[(task, TASKS[task].title) for task in BOARD_ORDER],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Those that the release does not have are left out.",
    )
    subset = forms.ChoiceField(
        label="Questions", choices=_SUBSET_CHOICES, widget=forms.RadioSelect, initial="all"
    )
    sample = TypedValue(
        label="Questions in the sample",
        help_text="Drawn so that they tell most about the mean of the tasks.",
    )

    strategy = forms.ChoiceField(
        label="Prompt strategy",
        choices=[(one.value, title) for one, (title, _help) in STRATEGY_TITLES.items()],
        widget=forms.RadioSelect,
    )
    window = TypedValue(
        label="Context window used",
        required=True,
        help_text="In tokens, prompt and answer together, such as 131072 or 128K (128,000).",
    )
    claimed_window = TypedValue(label="Context window claimed by its maker", help_text="In tokens.")
    truncation = forms.ChoiceField(
        label="A prompt that does not fit",
        choices=_TRUNCATION_CHOICES,
        widget=forms.RadioSelect,
    )
    reasoning_tokens = TypedValue(
        label="Reasoning budget",
        help_text="Tokens that the model may think besides its answer. 0: none.",
    )
    temperature = TypedValue(label="Temperature", help_text="Empty: not sent.")

    concurrency = TypedValue(
        label="Requests at once",
        required=True,
    )
    requests_per_minute = TypedValue(
        label="Requests a minute", help_text="Your rate limit. Empty: none."
    )
    price_input = TypedValue(label="Input")
    price_cached_input = TypedValue(label="Cached input", help_text="Empty: as other input.")
    price_output = TypedValue(label="Output")
    cap_requests = TypedValue(label="Requests")
    cap_tokens = TypedValue(label="Tokens", help_text="Input and output together.")
    cap_money = TypedValue(label="Money", help_text="In the currency of the prices.")
    cap_seconds = TypedValue(label="Hours", help_text="Of running: pauses do not count.")

    provider = TypedLine(
        label="Provider", max_length=200, help_text="Who runs the endpoint, if not you."
    )
    quantization = TypedLine(
        label="Quantisation", max_length=200, help_text="For example none, FP8, AWQ 4 bit."
    )

    seed = SeedField(label="Seed", help_text="Sent with each request. Empty: not sent.")
    tokenizer = forms.ChoiceField(
        label="Tokenizer",
        choices=[(ENCODING, ENCODING), ("o200k_base", "o200k_base")],
        help_text="Counts and cuts prompts. Your endpoint may count otherwise.",
    )
    output_field = forms.ChoiceField(
        label="Name of the output limit",
        choices=[(name, name) for name in ("max_tokens", "max_completion_tokens")],
    )
    stream = forms.BooleanField(
        label="Stream answers",
        required=False,
        help_text="Needed for the time to the first token.",
    )
    timeout = TypedValue(label="Seconds for an answer")
    attempts = TypedValue(label="Attempts", help_text="For one question, after failures.")
    limit = TypedValue(
        label="Stop after",
        help_text="So many questions, in their random order. Empty: after the last.",
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        user: User,
        run: EndpointRun | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, user=user, initial={**_DEFAULTS, **(initial or {})})
        self.run = run
        own: dict[str, Any] = self.fields
        own["concurrency"].help_text = about_concurrency()
        releases = list(own["release"].queryset)
        titles = unique_titles(releases)
        own["release"].label_from_instance = lambda one: titles.get(one.slug, one.title)
        if len(titles) <= _MOST_RADIO_BUTTONS:
            own["release"].widget = forms.RadioSelect(choices=own["release"].choices)
        if len(releases) == 1:
            self.initial.setdefault("release", releases[0].pk)
        for task in BOARD_ORDER:
            own[f"answer_{task}"] = TypedValue(label=TASKS[task].title)
            own[f"answer_{task}"].widget.attrs["placeholder"] = f"{OUTPUT_TOKENS[task]:,}"
            own[f"template_{task}"] = LongText(
                label=TASKS[task].title,
                required=False,
                strip=False,
                max_length=20_000,
                widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
            )

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        document = self._document()
        self._add_errors_of_fields(document)
        if not self.errors.keys() - _NOT_SETTINGS:
            try:
                self.run_settings = settings_of(document)
                check_money_cap(self.run_settings)
                self.check_same_questions()
            except SettingsError as error:
                self.add_error(*_placed(error))
        if "url" not in self.errors and (wrong := address_error(values["url"])):
            self.add_error("url", wrong)
        if wrong := evidence_error(values.get("release"), values.get("strategy")):
            self.add_error("strategy", wrong)
        return values

    def _document(self) -> dict[str, Any]:
        """The input under the names of the settings. A field left empty is omitted, so that it gets
        its default, unless None is a value of its own."""
        values = self.cleaned_data
        document = {
            name: values[name]
            for name in _PLAIN
            if name in values and (values[name] is not None or name in _MAY_BE_NONE)
        }
        if document.get("subset") == SAMPLE:
            document["subset"] = values.get("sample") or ""
        if "tasks" in values:
            release = values.get("release")
            chosen = values["tasks"]
            document["tasks"] = tasks_to_ask(release, chosen) if release else chosen
        for setting, prefix in _PARTS.items():
            parts = {
                name.removeprefix(f"{prefix}_"): value
                for name, value in values.items()
                if name.startswith(f"{prefix}_") and value not in (None, "")
            }
            document[setting] = parts
        hours = document["caps"].get("seconds")
        seconds = hours * _HOUR if isinstance(hours, int | float) else math.nan
        if isinstance(seconds, int) or math.isfinite(seconds):  # else ``settings_of`` refuses it
            document["caps"]["seconds"] = round(seconds)
        return document

    def _add_errors_of_fields(self, document: Mapping[str, Any]) -> None:
        """Validate each value alone, so that all errors are shown at once, each at its field."""
        for field, part in _alone(document):
            if field in self.errors:
                continue
            try:
                settings_of({**SAMPLE_ENDPOINT, **part})
            except SettingsError as error:
                if sentence := field_sentence(error, part):
                    self.add_error(field, forms.ValidationError(sentence, "setting"))


def _alone(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field with its value as a document of its own; a template comes with its strategy."""
    for name, value in document.items():
        if name not in _PARTS:
            is_sample = name == "subset" and value not in ("all", "smoke")
            yield ("sample" if is_sample else name), {name: value}
            continue
        for part, each in value.items():
            alone: dict[str, Any] = {name: {part: each}}
            if name == "templates":
                alone |= {"strategy": document.get("strategy", "direct"), "tasks": [part]}
            yield f"{_PARTS[name]}_{part}", alone


def _placed(error: SettingsError) -> tuple[str | None, forms.ValidationError]:
    """An error between several settings, with the field at which it can be fixed."""
    places = (("The window", "window"), ("The cap on money", "cap_money"))
    place = next((field for start, field in places if str(error).startswith(start)), None)
    return place, forms.ValidationError(in_words(error), "setting")


class RunForms(ConfigurationForms):
    """The forms of the page: the second is for a new language model."""

    form: RunForm

    def __init__(
        self,
        user: User,
        data: Mapping[str, Any] | None = None,
        *,
        run: EndpointRun | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(user, data, RunForm(data, user=user, run=run, initial=initial))

    def model_choice(self, search: str = "") -> ModelChoice:
        chosen = str(self.form["language_model"].value() or "")
        return model_choice(self.user, search=search, chosen=chosen)

    def wrong_fields(self) -> Iterator[tuple[BoundField, str]]:
        """Each with a name that is unique on the page, in the order of the page, which shows the
        second form inside the first."""
        for field in self.form:
            if field.errors:
                yield field, _name_of(field)
            if field.name == "language_model":
                yield from ((inner, str(inner.label)) for inner in self.model_form if inner.errors)

    @property
    def outputs(self) -> list[BoundField]:
        return [self.form[f"answer_{task}"] for task in BOARD_ORDER]

    @property
    def templates(self) -> list[BoundField]:
        return [self.form[f"template_{task}"] for task in BOARD_ORDER]

    @property
    def strategies(self) -> list[tuple[Any, Any]]:
        """Radio buttons, each with its explanation."""
        meanings = [meaning for _title, meaning in STRATEGY_TITLES.values()]
        return list(zip(self.form["strategy"], meanings, strict=True))

    @property
    def has_details(self) -> bool:
        """Whether a field that most people leave alone was changed or has an error."""
        names = [
            *_DETAILS,
            *(f"{part}_{task}" for part in ("answer", "template") for task in TASKS),
        ]
        for name in names:
            field = self.form[name]
            default = _DEFAULTS.get(name)
            typed = field.value()
            shown = field.field.prepare_value(default)
            is_same = (typed or "") == (shown or "") or typed == default
            if field.errors or not is_same:
                return True
        return False


def _name_of(field: BoundField) -> str:
    """Several groups of fields share the same labels, so their names say which group it is."""
    names = {
        "answer": "Output limit of %(task)s",
        "template": "Template of %(task)s",
        "price": "Price: %(name)s",
        "cap": "Cap: %(name)s",
    }
    part, label = field.name.partition("_")[0], str(field.label)
    return names[part] % {"task": label, "name": label} if part in names else label


def initial_from(settings: RunSettings) -> dict[str, Any]:
    """The values of the fields that show these settings."""
    document = settings_document(settings)
    values = {name: value for name, value in document.items() if name not in _PARTS}
    for setting, prefix in _PARTS.items():
        values |= {f"{prefix}_{part}": value for part, value in document[setting].items()}
    default = replace(settings, output_tokens={})
    for task, limit in settings.output_tokens.items():
        if limit == default.answer_limit(task):  # the default, which depends on the window
            values[f"answer_{task}"] = None
    if isinstance(settings.subset, int):
        values |= {"subset": SAMPLE, "sample": settings.subset}
    if seconds := document["caps"]["seconds"]:
        values["cap_seconds"] = round(seconds / _HOUR, 6)  # rounded by less than a second
    return values


def initial_from_file(file: SettingsFile, user: User) -> tuple[dict[str, Any], list[str]]:
    """The values of the fields that show a settings file, and a sentence on each that cannot be
    shown: the file may come from somebody else, or from another site."""
    page, unknown = file.page, []
    values = initial_from(file.settings) | {"method": page.method, "note": page.note}
    known: Mapping[str, tuple[QuerySet[Any], str, Any]] = {
        "release": (releases_to_ask(), "slug", _NO_RELEASE),
        "language_model": (LanguageModel.objects.offered_to(user), "slug", _NO_MODEL),
        "same_questions_as": (runs_to_repeat(user), "pk", _NO_RUN),
    }
    for name, (rows, column, sentence) in known.items():
        if not (text := getattr(page, name)):
            continue
        try:
            found = rows.filter(**{column: text}).first()
        except ValidationError:  # not a UUID
            found = None
        if found:
            values[name] = str(found.pk)
        else:
            unknown.append(sentence % {"name": text})
    return values, unknown


def initial_of_copy(run: EndpointRun) -> dict[str, Any]:
    """The values for another run like it. The copy of a sampled run asks the same questions, so
    that the two can be compared."""
    is_sample = run.state != RunState.DRAFT and isinstance(run.settings.get("subset"), int)
    return initial_of(run) | ({"same_questions_as": run.pk} if is_sample else {})


def initial_of(run: EndpointRun) -> dict[str, Any]:
    """The values that show an existing run, without its key."""
    return {
        **initial_from(settings_of(run.settings)),
        "language_model": str(run.language_model_id),
        "release": run.release_id,
        "method": run.method,
        "note": run.note,
        "same_questions_as": run.same_questions_as_id,
    }


_NO_RELEASE = "The file is for the release “%(name)s”, which cannot be asked here: choose one."
_NO_MODEL = "The file names the language model “%(name)s”, which is not known here: choose one."
_NO_RUN = "The questions of the run %(name)s cannot be asked again: it is none of yours."
_DEFAULTS: dict[str, Any] = {
    **initial_from(RunSettings("", "")),
    "price_input": None,
    "price_output": None,
}
# Without the seed of the order, which is drawn when a run starts.
_PLAIN = frozenset(one.name for one in fields(RunSettings)) - _PARTS.keys() - {"order"}
_NOT_SETTINGS = {
    "key", "forget_key", "language_model", "method", "note", "release", "same_questions_as"
}  # fmt: skip
_MAY_BE_NONE = frozenset({"claimed_window", "temperature", "seed", "requests_per_minute", "limit"})
_DETAILS = (
    "seed", "tokenizer", "output_field", "stream", "timeout", "attempts", "limit"
)  # fmt: skip
