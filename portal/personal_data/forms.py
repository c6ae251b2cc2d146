"""The form that confirms the deletion of an account."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError


class DeletionForm(forms.Form):
    username = forms.CharField(
        label="Your user name, to confirm",
        max_length=150,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, username: str) -> None:
        super().__init__(data)
        self._expected = username

    def clean_username(self) -> str:
        typed: str = self.cleaned_data["username"]
        if typed != self._expected:
            raise ValidationError("This is not your user name.", "other_name")
        return typed
