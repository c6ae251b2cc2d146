"""The forms that receive a browser's answer about a passkey.

Anybody can send anything in place of such an answer. Of a valid one, only the parts that signing in
needs are stored.
"""

import struct
from typing import Any

from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.core.exceptions import ValidationError

from portal.web.fields import PlainText

_LONGEST_NAME = 60
_LONGEST_ANSWER = 20_000  # characters; one of today's devices has about 1,000
_PARTS = {"clientDataJSON", "attestationObject"}
_FAILED = "This did not work: the code or key is wrong, or too old. Try again."


class Answer(forms.JSONField):
    """The answer of ``navigator.credentials``, as its ``toJSON`` gives it."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, str) and len(value) > _LONGEST_ANSWER:
            raise ValidationError(_FAILED, "incorrect_code")
        try:
            found = super().to_python(value)
        except (RecursionError, ValueError):  # of thousands of brackets or digits
            raise ValidationError(_FAILED, "incorrect_code") from None
        if found and isinstance(found, dict):
            return found
        raise ValidationError(_FAILED, "incorrect_code")


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # a package without types
    name = PlainText(
        label="Name",
        required=False,
        max_length=_LONGEST_NAME,
        help_text="By which you know it again, for example: phone, key ring.",
    )
    passwordless = forms.BooleanField(
        label="Also sign in with it, without a password",
        required=False,
        initial=True,
        help_text=("It then asks for your fingerprint, face or PIN each time. A simple security "
                    "key may not be able to: then clear this box."),
    )  # fmt: skip
    credential = Answer()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = _checked(super().clean)
        if answer := cleaned.get("credential"):
            cleaned["credential"] = {
                "id": answer["id"],
                "rawId": answer["rawId"],
                "type": answer["type"],
                "response": {part: answer["response"][part] for part in _PARTS},
                "clientExtensionResults": {"credProps": {"rk": cleaned["passwordless"]}},
            }
        return cleaned


class RenamePasskeyForm(EditWebAuthnForm):  # type: ignore[misc]
    name = PlainText(label="Name", max_length=_LONGEST_NAME)


class _CheckedForm(AuthenticateWebAuthnForm):  # type: ignore[misc]
    credential = Answer()

    def clean_credential(self) -> Any:  # noqa: ANN401 - allauth's model
        return _checked(super().clean_credential)


class SecondFactorForm(_CheckedForm):
    """After the password."""


class ConfirmForm(_CheckedForm, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """Before something that would let others take the account."""


class SignInForm(_CheckedForm, LoginWebAuthnForm):  # type: ignore[misc]
    """Without a password."""


def _checked(clean: Any) -> Any:  # noqa: ANN401 - a method of allauth's, which says no types
    """allauth and its libraries assume an answer of the right shape: whatever they raise about
    another one means that it is refused."""
    try:
        return clean()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error):
        raise ValidationError(_FAILED, "incorrect_code") from None
