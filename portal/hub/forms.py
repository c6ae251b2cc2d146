"""The form of a submission from the Hub: as for an upload, with a source on the Hub for files."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from portal.hub.sources import HubSource, SourceError, read_source
from portal.models import HubFetch, HubKind
from portal.submissions.submit.forms import SubmissionForm, SubmitForms

_WRONG = {
    "repository": "Enter OWNER/NAME, or the address of a repository, folder or file on the Hub.",
    "revision": "Enter a branch, a tag or a commit.",
    "path": "Enter the path of a file or a folder in the repository.",
}
_TOKEN = r"\A[!-~]{1,200}\Z"  # noqa: S105 - a pattern


class HubSubmissionForm(SubmissionForm):
    predictions = None  # type: ignore[assignment]  # Django's way to leave a field out
    folder = None  # type: ignore[assignment]  # likewise
    repository = forms.CharField(
        label="Repository",
        max_length=1_500,
        help_text=(
            "OWNER/NAME, or the address of the page on the Hub where the files are: its revision "
            "and folder are read from it."
        ),
    )
    kind = forms.ChoiceField(
        label="Kind of repository",
        choices=HubKind.choices,
        initial=HubKind.MODEL,
        required=False,
    )
    revision = forms.CharField(
        label="Revision",
        max_length=200,
        required=False,
        help_text="A branch, a tag or a commit. Empty: main.",
    )
    path = forms.CharField(
        label="Folder or file",
        max_length=1_000,
        required=False,
        help_text=(
            "Of a folder the files that are named for a task are fetched. Empty: the whole "
            "repository."
        ),
    )
    token = forms.RegexField(
        _TOKEN,
        label="Access token",
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        error_messages={"invalid": "This is not a token of the Hub."},
        help_text=(
            "Only for a private or gated repository: a token that can read it. It is kept "
            "encrypted until the files have arrived, sent to the Hub alone, never shown, and then "
            "deleted."
        ),
    )
    field_order = (
        "submission", "previous", "keep", "repository", "kind", "revision", "path", "token",
        *SubmissionForm.field_order,
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        names = ("kind", "revision", "path")
        if "repository" in cleaned:
            given = {name: cleaned.get(name, "") for name in names}
            try:
                cleaned["source"] = read_source(cleaned["repository"], **given)
            except SourceError as error:
                self.add_error(error.field, ValidationError(_WRONG[error.field], "no_source"))
        return cleaned


class HubSubmitForms(SubmitForms):
    form_class = HubSubmissionForm
    template = "hub/submit.html"

    @property
    def source(self) -> HubSource:
        source: HubSource = self.form.cleaned_data["source"]
        return source


def initial_from_fetch(fetch: HubFetch) -> dict[str, Any]:
    """Initial values for another attempt: all but the token."""
    return {
        **fetch.settings,
        "previous": fetch.previous_id,
        "language_model": str(fetch.language_model_id),
        "release": fetch.release_id,
        "task": fetch.task,
        "repository": fetch.repository,
        "kind": fetch.kind,
        "revision": fetch.revision,
        "path": fetch.path,
    }
