"""Form fields for text that others will read: names on one line, links, and numbers of tokens."""

import re
import unicodedata
from itertools import groupby
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator

from scoring.problems import visible
from scoring.text.amounts import read_amount

# Printable for Python, but invisible on a page: fillers, joiners, selectors, blanks.
_INVISIBLE = re.compile(
    r"[\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2060-\u206F\u2800\u3164"
    r"\uFE00-\uFE0F\uFEFF\uFFA0\U000E0100-\U000E01EF]"
)
_MOST_MARKS = 3  # accents and the like on one letter: no script needs more
_VISIBLE = "LNPS"  # letters, numbers, punctuation and symbols, as Unicode's categories begin
_MOST_TOKENS = 1_000_000_000  # fits into the column
_NO_LINK = "Enter a full URL, for example https://example.org/paper."
_NO_NUMBER = "Enter a number of tokens, for example 131072, 128,000 or 128K, or leave it empty."


class PlainText(forms.CharField):
    """One line in Unicode's normal form, without invisible characters or changes of direction.

    So names that look alike are more often equal, and none can imitate another with characters that
    cannot be seen.
    """

    default_error_messages = {
        "unseen": "Remove the invisible characters: %(shown)s",
        "marks": "Use at most three accents or other marks per letter.",
        "nothing": "Enter at least one visible letter, digit or symbol.",
    }

    def to_python(self, value: Any) -> str:  # noqa: ANN401 - as in Django
        text = super().to_python(value) or ""
        if self.max_length is not None and len(text) > self.max_length:
            return text  # refused for its length; normalising it could take very long
        text = " ".join(unicodedata.normalize("NFKC", text).split())
        if code := _error_code(text):
            named = _INVISIBLE.sub(lambda char: f"⟨U+{ord(char[0]):04X}⟩", text)
            shown = {"shown": visible(named, 60)}
            raise ValidationError(self.error_messages[code], code=code, params=shown)
        return text


def _error_code(text: str) -> str:
    """Why people could not read the text; empty if they can."""
    kinds = [unicodedata.category(char)[0] for char in text]
    if not text.isprintable() or _INVISIBLE.search(text):
        return "unseen"
    if any(kind == "M" and len(list(run)) > _MOST_MARKS for kind, run in groupby(kinds)):
        return "marks"
    return "nothing" if text and not any(kind in _VISIBLE for kind in kinds) else ""


class LongText(forms.CharField):
    """Lines end with one character, as browsers count for ``maxlength``, although they send two."""

    def to_python(self, value: Any) -> str:  # noqa: ANN401 - as in Django
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")


class WebLink(forms.URLField):
    """An address that is safe in a link: http or https, nothing that a browser would run."""

    default_error_messages = {"invalid": _NO_LINK}
    default_validators = [URLValidator(schemes=["http", "https"], message=_NO_LINK)]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(assume_scheme="https", **kwargs)


class TokenCount(forms.IntegerField):
    """A number of tokens, if it is known, in any form that ``read_amount`` reads.

    A text input, since browsers send nothing from a number input if what was typed is no number.
    """

    default_error_messages = {"invalid": _NO_NUMBER}
    default_validators = [
        MinValueValidator(1, _NO_NUMBER), MaxValueValidator(_MOST_TOKENS, _NO_NUMBER)
    ]  # fmt: skip

    def __init__(self, **kwargs: Any) -> None:
        about = "In tokens, such as 131072, 128,000 or 128K (K is 1,000)."
        options: dict[str, Any] = {"required": False, "widget": forms.TextInput, "help_text": about}
        super().__init__(**{**options, **kwargs})

    def to_python(self, value: Any) -> int | None:  # noqa: ANN401 - as in Django
        if value in self.empty_values or isinstance(value, int):
            return None if value in self.empty_values else int(value)
        amount = read_amount(str(value))
        if amount is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return amount

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - as in Django
        return f"{value:,}" if isinstance(value, int) else value
