"""The forms of submissions: a new one, and corrections to the settings of an old one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any
from uuid import uuid4

from django import forms
from django.forms.boundfield import BoundField

from portal.language_models.forms import LanguageModelForm
from portal.models import (
    LanguageModel,
    Release,
    Submission,
    User,
    validate_file_tasks,
)
from portal.releases.titles import not_among, unique_titles
from portal.submissions.files.held_tasks import HeldTask, held_tasks, kept_files
from portal.submissions.files.originals import KeptFile
from portal.submissions.files.uploads import safe_path
from portal.submissions.services import EditableSettings, SubmissionSettings
from portal.submissions.submit.model_choice import NEW, NO_SUCH_MODEL, ModelChoice, model_choice
from portal.web.fields import PlainText, TokenCount, WebLink
from scoring.catalog import BOARD_ORDER, TASKS

_EDITABLE = tuple(field.name for field in fields(EditableSettings))  # in the order of the page
_SETTINGS = tuple(field.name for field in fields(SubmissionSettings))
FILE_TASK = "task-for:"  # prefix of a field's name, before the file's name
_MOST_RADIO_BUTTONS = 6  # more releases than that go into a select box


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # only the stubs know its parameter
    """The settings that no score depends on."""

    method = PlainText(
        label="Method",
        required=False,
        max_length=80,
        help_text=(
            "What you built around the model, if anything: InfLLM, MInference, RAG. The "
            "leaderboard lists it after the name of the model."
        ),
    )
    prompt_strategy = PlainText(
        label="Prompt strategy",
        required=False,
        max_length=200,
        help_text="In a few words, for example: official templates, zero-shot.",
    )
    input_limit = TokenCount(label="Input limit")
    output_limit = TokenCount(label="Output limit")
    link = WebLink(
        label="Link", required=False, max_length=200, help_text="Paper, code or model card."
    )
    note = PlainText(
        label="Note",
        required=False,
        max_length=300,
        help_text="What is special about this run. Helps you tell your versions apart.",
    )

    class Meta:
        model = Submission
        fields = _EDITABLE
        help_texts = {
            "truncation": "How texts longer than the input limit were handled.",
        }

    def fix(self, names: Collection[str]) -> None:
        """Disable these fields: what is sent for them is ignored."""
        for name in names:
            self.fields[name].disabled = True

    @property
    def editable_settings(self) -> EditableSettings:
        return EditableSettings(**{name: self.cleaned_data[name] for name in _EDITABLE})


class _ManyFiles(forms.FileInput):
    allow_multiple_selected = True


class _Files(forms.Field):
    """Never validated: ``files.uploads`` has already received the files."""

    def validate(self, value: object) -> None: ...


class _KeptTasks(forms.MultipleChoiceField):
    """Unknown values are ignored: the earlier version may have been read, or deleted, since."""

    def valid_value(self, value: object) -> bool:
        return True


class _ReleaseField(forms.ModelChoiceField):  # type: ignore[type-arg]  # as above
    """A label version, which old forms and scripts may send, stands for the release it is part
    of."""

    def to_python(self, value: object) -> Release | None:
        if isinstance(value, str) and value.isdecimal() and len(value) < 19:
            version = Release.objects.filter(pk=int(value)).exclude(part_of=None).first()
            value = version.part_of if version else value
        chosen: Release | None = super().to_python(value)
        return chosen


class SubmissionForm(SettingsForm):
    # The id of the future submission, so that a form sent twice makes one submission.
    submission = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)
    previous = forms.UUIDField(widget=forms.HiddenInput, required=False)
    keep = _KeptTasks(required=False)
    predictions = _Files(
        label="Files or a folder", required=False, widget=_ManyFiles(attrs={"multiple": True})
    )
    folder = _Files(
        required=False, widget=_ManyFiles(attrs={"multiple": True, "webkitdirectory": True})
    )
    release = _ReleaseField(
        label="Release",
        queryset=Release.objects.open_for_submissions().order_by("-created", "slug"),
        empty_label=None,
        help_text="The set of examples that your model answered.",
    )
    language_model = forms.ChoiceField(
        label="Language model",
        error_messages={
            "required": "Choose the model that gave these answers, or add a new one.",
            "invalid_choice": NO_SUCH_MODEL,
        },
    )

    task = forms.ChoiceField(
        label="Task",
        required=False,
        choices=[
            ("", "Detect from file name"),
            *((task, TASKS[task].title) for task in BOARD_ORDER),
        ],
        help_text="Only for a single file without a task in its name, also in an archive.",
    )

    field_order = (  # of the page; errors are listed in the same order
        "submission", "previous", "keep", "predictions", "folder", "task", "release",
        "language_model", *_EDITABLE, "drop_first",
    )  # fmt: skip

    class Meta(SettingsForm.Meta):
        fields = ("release", *_SETTINGS)
        help_texts = {
            **SettingsForm.Meta.help_texts,
            "drop_first": (
                "Tick this if every Math.Calc answer starts with the first number of the "
                "expression. That number is dropped before answers are compared."
            ),
        }

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        user: User,
        sent: int = 0,
        initial: Mapping[str, Any] | None = None,
        held: Sequence[HeldTask] = (),
    ) -> None:
        super().__init__(data, initial={"release": _only_release(), **(initial or {})})
        self._sent = sent  # number of files
        self._held = held  # what the earlier version has
        self._models = {str(one.pk): one for one in LanguageModel.objects.offered_to(user)}
        own: dict[str, Any] = self.fields
        titles = unique_titles(own["release"].queryset)
        own["release"].error_messages["invalid_choice"] = not_among(titles)
        own["release"].label_from_instance = lambda one: titles.get(one.slug, one.title)
        own["language_model"].choices = [(value, value) for value in (NEW, *self._models)]
        if len(titles) <= _MOST_RADIO_BUTTONS:
            own["release"].widget = forms.RadioSelect(choices=own["release"].choices)

    def clean_language_model(self) -> LanguageModel | None:
        """None: a new model."""
        return self._models.get(self.cleaned_data["language_model"])

    def clean_predictions(self) -> None:
        if not self._sent and not self.kept:
            raise forms.ValidationError(
                "Choose the prediction files, or the folder that contains them."
            )

    @property
    def kept(self) -> list[KeptFile]:
        return kept_files(self._held, self.cleaned_data["keep"])

    @property
    def keepable(self) -> list[tuple[HeldTask, bool]]:
        """What the earlier version has, each with whether it is to be kept."""
        chosen = self["keep"].value() if self.is_bound else [one.value for one in self._held]
        return [(one, one.value in (chosen or ())) for one in self._held]

    def clean(self) -> dict[str, Any]:
        validate_file_tasks(self.file_tasks)
        return super().clean() or {}

    @property
    def file_tasks(self) -> dict[str, str]:
        """The tasks chosen for files whose names do not tell them, in fields such as
        task-for:a.jsonl, which the page's script adds."""
        chosen = {
            safe_path(name.removeprefix(FILE_TASK)): str(task)
            for name, task in self.data.items()
            if name.startswith(FILE_TASK)
        }
        return {file: task for file, task in chosen.items() if task}

    @property
    def settings(self) -> SubmissionSettings:
        return SubmissionSettings(**{name: self.cleaned_data[name] for name in _SETTINGS})


class SubmitForms:
    """The forms of the page: the second is for a new language model."""

    form_class: type[SubmissionForm] = SubmissionForm
    template = "submit/submit.html"

    def __init__(
        self,
        user: User,
        data: Mapping[str, Any] | None = None,
        *,
        sent: int = 0,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        self._user = user
        self.earlier = _earlier_of(user, (initial if data is None else data) or {})
        held = held_tasks(self.earlier) if self.earlier else ()
        self.form = self.form_class(data, user=user, sent=sent, initial=initial, held=held)
        is_new = data is not None and data.get("language_model") == NEW
        self.model_form = LanguageModelForm(data if is_new else None, user=user)

    def is_valid(self) -> bool:
        """Validates both forms, so that all errors are shown at once."""
        bound = [form for form in (self.form, self.model_form) if form.is_bound]
        invalid = [form for form in bound if not form.is_valid()]
        return not invalid

    def model_choice(self, search: str = "") -> ModelChoice:
        """The language models that the page shows."""
        chosen = str(self.form["language_model"].value() or "")
        return model_choice(self._user, search=search, chosen=chosen)

    @property
    def language_model(self) -> LanguageModel:
        """The chosen one, or the new one, which is not stored yet."""
        chosen: LanguageModel | None = self.form.cleaned_data["language_model"]
        return chosen or self.model_form.instance

    @property
    def previous(self) -> Submission | None:
        """The earlier submission, if it is of the same language model; otherwise the new one is not
        a version of it."""
        earlier = self.earlier
        return earlier if earlier and earlier.language_model == self.language_model else None

    def wrong_fields(self) -> Iterator[BoundField]:
        """In the order of the page, which shows the second form inside the first."""
        for field in self.form:
            if field.errors:
                yield field
            if field.name == "language_model":
                yield from (inner for inner in self.model_form if inner.errors)


class AnswerForm(forms.Form):
    """The author's answer to a question about the files: exactly one of these fields."""

    align = forms.ChoiceField(choices=[("id", ""), ("order", "")], required=False)
    version = forms.ModelChoiceField(
        queryset=Release.objects.exclude(part_of=None), to_field_name="slug", required=False
    )
    release = forms.ModelChoiceField(
        queryset=Release.objects.open_for_submissions(), to_field_name="slug", required=False
    )

    def clean(self) -> dict[str, Any]:
        if not self.errors and sum(map(bool, self.cleaned_data.values())) != 1:
            raise forms.ValidationError("Choose one of the options.", "no_answer")
        return self.cleaned_data

    @property
    def answer(self) -> dict[str, Any]:
        version = self.cleaned_data["version"]
        return {**self.cleaned_data, "version": version.slug if version else ""}


def initial_from(submission: Submission) -> dict[str, Any]:
    """Initial values for a new version: all but the note, which describes the old version."""
    return {
        **{name: getattr(submission, name) for name in _SETTINGS if name != "note"},
        "previous": submission.pk,
        "language_model": str(submission.language_model_id),
        "release": submission.release_id,
    }


def _earlier_of(user: User, values: Mapping[str, Any]) -> Submission | None:
    """The submission of the user that this is a new version of."""
    try:
        named = forms.UUIDField(required=False).clean(values.get("previous"))
    except forms.ValidationError:
        return None
    return Submission.objects.owned_by(user).filter(pk=named).first()


def _only_release() -> int | None:
    """The open release, if there is only one; otherwise the author has to choose."""
    open_releases = list(Release.objects.open_for_submissions().values_list("pk", flat=True)[:2])
    return open_releases[0] if len(open_releases) == 1 else None
