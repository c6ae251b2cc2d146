"""What is asked of somebody who hands in predictions."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any
from uuid import uuid4

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from portal.language_models.forms import LanguageModelForm
from portal.models import TASK_CHOICES, LanguageModel, Release, Submission, User
from portal.releases.titles import unique_titles
from portal.submissions.run_forms import TOLD, RunForm
from portal.submissions.services import SubmissionSettings

_SETTINGS = tuple(setting.name for setting in fields(SubmissionSettings))
NEW = "new"  # the choice of a language model that is described beside it
_LABEL_CAP = 60  # characters of a name, or of an organisation
_AT_A_GLANCE = 6  # releases: so many are shown with what they are, more only by name


class _ManyFiles(forms.FileInput):
    allow_multiple_selected = True


class _Files(forms.Field):
    """Only shown: ``portal.submissions.uploads`` receives files before a form is looked at."""

    def validate(self, value: object) -> None: ...


class SubmissionForm(RunForm):
    """The files, what they answer, and how they were made."""

    # The id that the submission is going to have: so a form sent twice makes one submission.
    submission = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)
    previous = forms.UUIDField(widget=forms.HiddenInput, required=False)
    predictions = _Files(
        label=_("Files or a folder"), required=False, widget=_ManyFiles(attrs={"multiple": True})
    )
    folder = _Files(
        required=False, widget=_ManyFiles(attrs={"multiple": True, "webkitdirectory": True})
    )
    release = forms.ModelChoiceField(
        label=_("Release"),
        queryset=Release.objects.open_for_submissions().order_by("-created", "slug"),
        empty_label=None,
        help_text=_("The set of examples that was answered."),
    )
    language_model = forms.ChoiceField(
        label=_("Language model"),
        error_messages={"required": _("Choose the one that gave these answers, or a new one.")},
    )

    field_order = (  # of the page, in which mistakes are told
        "submission", "previous", "predictions", "folder", "task", "release", "language_model",
        *TOLD, "drop_first",
    )  # fmt: skip

    class Meta(RunForm.Meta):
        fields = ("release", *_SETTINGS)
        help_texts = {  # noqa: RUF012 - as in Django
            **RunForm.Meta.help_texts,
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
        titles = unique_titles(own["release"].queryset)
        own["release"].label_from_instance = lambda one: titles.get(one.slug, one.localized_title)
        own["language_model"].choices = _model_choices(self._models.values(), user)
        own["task"].choices = [("", _("The names of the files say it")), *TASK_CHOICES]
        if len(titles) <= _AT_A_GLANCE:
            own["release"].widget = forms.RadioSelect(choices=own["release"].choices)

    def clean_language_model(self) -> LanguageModel | None:
        """None is a new one."""
        return self._models.get(self.cleaned_data["language_model"])

    def clean_predictions(self) -> None:
        if not self._sent:
            raise forms.ValidationError(
                _("Choose the files with the predictions, or the folder that holds them.")
            )

    @property
    def settings(self) -> SubmissionSettings:
        return SubmissionSettings(**{name: self.cleaned_data[name] for name in _SETTINGS})


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
        self._user = user
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

    @property
    def earlier(self) -> Submission | None:
        """One's own submission of which this is to be a new version."""
        try:
            named = self.form.fields["previous"].clean(self.form["previous"].value())
        except forms.ValidationError:
            return None
        return Submission.objects.owned_by(self._user).filter(pk=named).first()

    @property
    def previous(self) -> Submission | None:
        """The same, where it is of the same language model: another one's run is no version."""
        earlier = self.earlier
        return earlier if earlier and earlier.language_model == self.language_model else None

    def wrong_fields(self) -> Iterator[BoundField]:
        """In the order of the page, where the second form stands within the first."""
        for field in self.form:
            if field.errors:
                yield field
            if field.name == "language_model":
                yield from (inner for inner in self.model_form if inner.errors)


def from_earlier(submission: Submission) -> dict[str, Any]:
    """What a new version of it begins with: all but the note, which is of that run alone."""
    settings = {name: getattr(submission, name) for name in _SETTINGS if name != "note"}
    model, release = submission.language_model_id, submission.release_id
    of_it = {"previous": submission.pk, "language_model": str(model), "release": release}
    return {**settings, **of_it}


def _usual(user: User) -> dict[str, Any]:
    """What somebody who hands in most likely means: the release of before.

    Who is new chooses the release, unless there is one only: a wrong one would be scored as well.
    Among several language models nobody's guess is good enough: no score tells that it was wrong.
    """
    before = Submission.objects.owned_by(user).first()
    still_open = list(Release.objects.open_for_submissions().values_list("pk", flat=True))
    likely = before.release_id if before else still_open[0] if len(still_open) == 1 else None
    return {"release": likely if likely in still_open else None}


def _model_choices(models: Collection[LanguageModel], user: User) -> list[Any]:
    """A new one, those of this person, those that are public."""
    mine = [_choice(one) for one in models if one.owner_id == user.pk]
    others = [_choice(one) for one in models if one.owner_id != user.pk]
    groups = [(_("Yours"), mine), (_("Public"), others)]
    none = [("", _("Choose one"))] if mine else []
    return [*none, (NEW, _("A new one")), *(group for group in groups if group[1])]


def _choice(model: LanguageModel) -> tuple[str, str]:
    told = [_short(text) for text in (model.name, model.organisation) if text]
    return str(model.pk), " · ".join(told)


def _short(text: str) -> str:
    """As much as fits into a list that opens: names mostly differ at one of their ends."""
    return text if len(text) <= _LABEL_CAP else f"{text[: _LABEL_CAP - 16]}…{text[-15:]}"
