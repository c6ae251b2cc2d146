"""What is asked of somebody who hands in predictions."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any
from uuid import uuid4

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from portal.forms.fields import PlainText, WebLink
from portal.models import TASK_CHOICES, LanguageModel, Release, Submission, User
from portal.submissions import RunSettings

_SETTINGS = tuple(setting.name for setting in fields(RunSettings))


NEW = "new"  # the choice of a language model that is described beside it


class _ManyFiles(forms.FileInput):
    allow_multiple_selected = True


class _Files(forms.Field):
    """Only shown: files are received before a form is looked at (``portal.uploads``)."""

    def validate(self, value: object) -> None: ...


class SubmissionForm(forms.ModelForm):  # type: ignore[type-arg]  # only the stubs know its parameter
    """The files, what they answer, and how they were made."""

    # The id that the submission is going to have: so a form sent twice makes one submission.
    submission = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)
    predictions = _Files(
        label=_("Files"),
        help_text=_("Files with predictions, or one .zip or .tar.gz archive of them."),
        widget=_ManyFiles(attrs={"multiple": True}),
    )
    folder = _Files(
        label=_("Or a folder"),
        required=False,
        help_text=_("With everything in it."),
        widget=_ManyFiles(attrs={"multiple": True, "webkitdirectory": True}),
    )
    release = forms.ModelChoiceField(
        label=_("Release"),
        queryset=Release.objects.open_for_submissions().order_by("-created", "slug"),
        empty_label=None,
        help_text=_("The set of examples that was answered."),
    )
    language_model = forms.ChoiceField(label=_("Language model"))
    prompt_strategy = PlainText(
        label=_("Prompt strategy"),
        required=False,
        max_length=200,
        help_text=_("In a few words, for example: official templates, zero-shot."),
    )
    input_limit = forms.IntegerField(
        label=_("Input limit"), required=False, min_value=1, help_text=_("In tokens.")
    )
    output_limit = forms.IntegerField(
        label=_("Output limit"), required=False, min_value=1, help_text=_("In tokens.")
    )
    link = WebLink(
        label=_("Link"), required=False, max_length=200, help_text=_("Paper, code or model card.")
    )

    class Meta:
        model = Submission
        fields = ("release", *_SETTINGS)
        help_texts = {  # noqa: RUF012 - as in Django
            "truncation": _("What was done with texts longer than the input limit."),
            "drop_first": _(
                "Tick this if each answer of Math.Calc begins with the first number of the "
                "expression: it is left out before answers are compared."
            ),
            "task": _("Only for a single file whose name does not say its task."),
        }

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        user: User,
        sent: int = 0,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial={**_usual(user), **(initial or {})})
        self._sent = sent  # files
        self._models = {str(one.pk): one for one in LanguageModel.objects.offered_to(user)}
        own: dict[str, Any] = self.fields
        own["language_model"].choices = _model_choices(self._models.values(), user)
        own["task"].choices = [("", _("The names of the files say it")), *TASK_CHOICES]

    def clean_language_model(self) -> LanguageModel | None:
        """None is a new one."""
        return self._models.get(self.cleaned_data["language_model"])

    def clean_predictions(self) -> None:
        if not self._sent:
            raise forms.ValidationError(_("Choose the files with the predictions."))

    @property
    def run_settings(self) -> RunSettings:
        return RunSettings(**{name: self.cleaned_data[name] for name in _SETTINGS})


class LanguageModelForm(forms.ModelForm):  # type: ignore[type-arg]  # likewise
    """A language model that nobody has described yet."""

    name = PlainText(label=_("Name"), max_length=120)
    organisation = PlainText(label=_("Organisation"), required=False, max_length=120)
    parameters = PlainText(
        label=_("Parameters"),
        required=False,
        max_length=40,
        help_text=_("For example 8B, 47B (13B active)."),
    )
    licence = PlainText(label=_("Licence"), required=False, max_length=80)
    context_window = forms.IntegerField(
        label=_("Claimed context window"), required=False, min_value=1, help_text=_("In tokens.")
    )
    link = WebLink(label=_("Page of the model"), required=False, max_length=200)

    class Meta:
        model = LanguageModel
        fields = (
            "name", "organisation", "parameters", "context_window", "weights", "licence", "link"
        )  # fmt: skip
        widgets = {"weights": forms.RadioSelect}  # noqa: RUF012 - as in Django

    def __init__(self, data: Mapping[str, Any] | None = None, *, user: User) -> None:
        super().__init__(data, prefix="model")
        self._mine = LanguageModel.objects.owned_by(user)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self._mine.filter(name__iexact=name).exists():
            raise forms.ValidationError(
                _("You have described a model of this name before: choose it in the list.")
            )
        return name


class SubmitForms:
    """Both as one: the second counts where no known language model is chosen."""

    def __init__(
        self,
        user: User,
        data: Mapping[str, Any] | None = None,
        *,
        sent: int = 0,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        self.form = SubmissionForm(data, user=user, sent=sent, initial=initial)
        is_new = data is not None and data.get("language_model") == NEW
        self.model_form = LanguageModelForm(data if is_new else None, user=user)

    def is_valid(self) -> bool:
        """Looks at all of it, so that all mistakes are told at once."""
        used = [form for form in (self.form, self.model_form) if form.is_bound]
        wrong = [form for form in used if not form.is_valid()]
        return not wrong

    @property
    def language_model(self) -> LanguageModel:
        """The chosen one, or the new one, which is not stored yet."""
        chosen: LanguageModel | None = self.form.cleaned_data["language_model"]
        return chosen or self.model_form.instance

    def wrong_fields(self) -> Iterator[BoundField]:
        for form in (self.form, self.model_form):
            yield from (field for field in form if field.errors)


def from_earlier(submission: Submission) -> dict[str, Any]:
    """What a new version of it begins with."""
    settings = {name: getattr(submission, name) for name in _SETTINGS}
    model, release = submission.language_model_id, submission.release_id
    return {**settings, "language_model": str(model), "release": release}


def _usual(user: User) -> dict[str, Any]:
    """What somebody who hands in most likely means: the newest release, and the model of before."""
    release = Release.objects.open_for_submissions().order_by("-created", "slug").first()
    before = Submission.objects.owned_by(user).first()
    model = str(before.language_model_id) if before else NEW
    return {"release": release and release.pk, "language_model": model}


def _model_choices(models: Collection[LanguageModel], user: User) -> list[Any]:
    """A new one, those of this person, those that are public."""
    mine = [_choice(one) for one in models if one.owner_id == user.pk]
    others = [_choice(one) for one in models if one.owner_id != user.pk]
    groups = [(_("Yours"), mine), (_("Public"), others)]
    return [(NEW, _("A new one")), *(group for group in groups if group[1])]


def _choice(model: LanguageModel) -> tuple[str, str]:
    organisation = f" · {model.organisation}" if model.organisation else ""
    return str(model.pk), f"{model.name}{organisation}"
