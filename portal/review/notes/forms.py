"""The form of a note."""

from django import forms

from portal.models import NOTE_CAP
from portal.web.fields import LongText


class NoteForm(forms.Form):
    text = LongText(
        label="Note",
        max_length=NOTE_CAP,
        widget=forms.Textarea(attrs={"rows": 5}),
        error_messages={"required": "Write something first."},
        help_text=(
            "Only reviewers can read it. Its text stays in the audit log, even if you edit or "
            "remove it."
        ),
    )
