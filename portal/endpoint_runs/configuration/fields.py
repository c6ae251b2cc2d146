"""Fields of a run's settings: they turn input into plain values, which ``settings_of``
validates."""

from typing import Any

from django import forms
from django.conf import settings as site

from scoring.endpoint.settings import LARGEST_CONCURRENCY
from scoring.text.amounts import read_amount


class TypedValue(forms.Field):
    """A number, or else the text as typed: ``settings_of`` says what is wrong with it.

    It is a text input, because browsers send nothing of a number input that holds no number.
    """

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"maxlength": 40})
        super().__init__(**{"required": False, "widget": widget, **kwargs})

    def to_python(self, value: Any) -> Any:  # noqa: ANN401 - as in Django
        text = "" if value is None else str(value).strip()
        if not text:
            return None
        if (amount := read_amount(text)) is not None:
            return amount
        try:
            return int(text)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            return text

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - as in Django
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if isinstance(value, int):
            return f"{value:,}"
        short = f"{value:.10g}"
        return short if float(short) == value else repr(value)


class SeedField(TypedValue):
    """Shown without digit grouping, since it is not an amount."""

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - as in Django
        return str(value) if isinstance(value, int) else value


class TypedLine(forms.CharField):
    """The text as typed, but stripped: ``settings_of`` validates it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False, "max_length": 2_000, **kwargs})


def about_concurrency() -> str:
    """A larger number is no error: a settings file may be written for several sites."""
    return (
        f"At most this many wait for an answer: 1 to {LARGEST_CONCURRENCY}. This site never sends "
        f"more than {site.RUN_CONCURRENCY} at once; more counts as {site.RUN_CONCURRENCY}."
    )
