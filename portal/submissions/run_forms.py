"""How predictions were made, as their author tells it."""

from dataclasses import fields

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.models import Submission
from portal.submissions.services import EditableSettings
from portal.web.fields import PlainText, TokenCount, WebLink

TOLD = tuple(field.name for field in fields(EditableSettings))  # in the order of the page


class RunForm(forms.ModelForm):  # type: ignore[type-arg]  # only the stubs know its parameter
    """What no score depends on: it may be corrected later."""

    prompt_strategy = PlainText(
        label=_("Prompt strategy"),
        required=False,
        max_length=200,
        help_text=_("In a few words, for example: official templates, zero-shot."),
    )
    input_limit = TokenCount(label=_("Input limit"))
    output_limit = TokenCount(label=_("Output limit"))
    link = WebLink(
        label=_("Link"), required=False, max_length=200, help_text=_("Paper, code or model card.")
    )
    note = PlainText(
        label=_("Note"),
        required=False,
        max_length=300,
        help_text=_("What is special about this run. It tells your versions apart."),
    )

    class Meta:
        model = Submission
        fields = TOLD
        help_texts = {  # noqa: RUF012 - as in Django
            "truncation": _("What was done with texts longer than the input limit."),
        }

    @property
    def editable_settings(self) -> EditableSettings:
        return EditableSettings(**{name: self.cleaned_data[name] for name in TOLD})
