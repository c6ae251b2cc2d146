"""The form that describes a language model."""

from collections.abc import Mapping
from typing import Any

from django import forms

from portal.language_models.services import IDENTITY
from portal.models import LanguageModel, User
from portal.web.fields import PlainText, TokenCount, WebLink


class RenameForm(forms.Form):
    """Another name for ``model``, which its owner edits."""

    name = PlainText(label="Name", max_length=120)
    organisation = PlainText(label="Organisation", required=False, max_length=120)

    def __init__(self, data: Mapping[str, Any] | None, *, user: User, model: LanguageModel) -> None:
        super().__init__(data, initial={"name": model.name, "organisation": model.organisation})
        self._others = LanguageModel.objects.owned_by(user).exclude(pk=model.pk)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self._others.filter(name__iexact=name).exists():
            raise forms.ValidationError("You already have a model with this name.", "name_taken")
        return name


class LanguageModelForm(forms.ModelForm):  # type: ignore[type-arg]  # only the stubs know its parameter
    """Creates a model, or edits ``known``; ``identity_locked``: name and organisation must stay."""

    name = PlainText(label="Name", max_length=120)
    organisation = PlainText(label="Organisation", required=False, max_length=120)
    parameters = PlainText(
        label="Parameters",
        required=False,
        max_length=40,
        help_text="For example 8B, 47B (13B active).",
    )
    context_window = TokenCount(label="Claimed context window")
    licence = PlainText(label="Licence", required=False, max_length=80)
    released = PlainText(
        label="Release date",
        required=False,
        max_length=10,
        help_text="For example 2024-07-23, 2024-07 or 2024.",
    )
    link = WebLink(label="Model page", required=False, max_length=200)

    class Meta:
        model = LanguageModel
        fields = (  # in the order of the page
            "name", "organisation", "parameters", "context_window", "licence", "weights",
            "released", "link",
        )  # fmt: skip
        widgets = {"weights": forms.RadioSelect}

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        user: User,
        known: LanguageModel | None = None,
        identity_locked: bool = False,
    ) -> None:
        super().__init__(data, prefix="model", instance=known)
        others = LanguageModel.objects.owned_by(user)
        self._others = others.exclude(pk=known.pk) if known else others
        for name in IDENTITY if identity_locked else ():
            self.fields[name].disabled = True

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = self._others.filter(name__iexact=name)
        if not self.fields["name"].disabled and (known := same.first()):
            raise forms.ValidationError(
                (
                    "You already have a model with this name: choose it instead of adding a new "
                    f"one. In addresses and commands it is called {known.slug}."
                )
                if self.instance.pk is None
                else "You already have a model with this name.",
                "name_taken",
            )
        return name
