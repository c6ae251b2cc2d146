"""What clients send: the fields of a body, checked against the serializer that documents them."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from django.http import QueryDict
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.serializers import (
    BooleanField,
    DateTimeField,
    Field,
    IntegerField,
    ListField,
    Serializer,
)

from portal.api.errors import FieldError, InvalidFields
from portal.web.middleware import refuse_broken_text

Fields = type[Serializer[Any]]  # that a body may have
AnyField = Field[Any, Any, Any, Any]


def fields_of(request: Request, sends: Fields | None) -> dict[str, Any]:
    """The fields of a JSON object or a form. ``sends`` None: there are no fields.

    An unknown name is an error: with a misspelt ``publish_on`` an entry would be public too
    early. So is a value of a wrong type, which a form would read as text. Raises
    ``BadRequest``, ``ParseError`` and ``InvalidFields``.
    """
    try:
        data = request.data
        sent: Any = data.dict() if isinstance(data, QueryDict) else data
        if not isinstance(sent, dict):
            raise ParseError("The body is a JSON object.", "no_object")
        refuse_broken_text("the body", _texts(sent))
    except RecursionError as error:
        raise ParseError("The body is nested too deeply.") from error
    check_names(sent, sends)
    if sends and not isinstance(data, QueryDict):
        fields = sends().fields
        wrong = [
            FieldError(name, "wrong_type", f"Needed: {needed}.")
            for name, value in sent.items()
            if (needed := _needed(fields[name], value))
        ]
        if wrong:
            raise InvalidFields(errors=wrong)
    return sent


def check_names(names: Iterable[str], sends: Fields | None) -> None:
    """Raises ``InvalidFields`` if one of them is unknown."""
    known = list(sends().fields) if sends else []
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise InvalidFields(
            errors=[FieldError(name, "unknown_field", _hint(name, known)) for name in unknown]
        )


def _hint(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    if near:
        return f"There is no such field. Do you mean “{near[0]}”?"
    if known:
        return "There is no such field. There are: " + ", ".join(known) + "."
    return "There is no such field: nothing has to be sent."


def _needed(field: AnyField, value: object) -> str:
    """The type that the field needs; empty if the value has it, or is null: an empty field."""
    match field:
        case BooleanField():
            needed, is_right = "true or false", isinstance(value, bool)
        case ListField():
            is_right = isinstance(value, list) and not any(_needed(field.child, v) for v in value)
            needed = "a list of texts"
        case DateTimeField():
            needed, is_right = "a time, such as 2026-07-01T12:00:00Z", isinstance(value, str)
        case _:
            # A number may be sent as text, such as “128K”, and a text as a number.
            is_right = isinstance(value, str | int | float) and not isinstance(value, bool)
            needed = "a number" if isinstance(field, IntegerField) else "a text"
    return "" if is_right or value is None else needed


def _texts(value: object) -> Iterator[str]:
    """All texts in the value, at any depth."""
    match value:
        case str():
            yield value
        case dict():
            for pair in value.items():
                yield from _texts(pair)
        case list() | tuple():
            for one in value:
                yield from _texts(one)
