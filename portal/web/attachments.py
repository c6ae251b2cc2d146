"""Answers that a browser keeps as files: whatever is in them, it runs nothing of it."""

from http import HTTPStatus
from typing import TypeVar

from django.http.response import HttpResponseBase

_Response = TypeVar("_Response", bound=HttpResponseBase)


def as_attachment(response: _Response, name: str, *, cache: str = "") -> _Response:
    """A file of this name; a refusal stays what it is, a sentence to read.

    ``cache``: who may keep it, where that is not as with a page (``portal.web.headers``).
    """
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        return response
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = "sandbox"
    if cache:
        response["Cache-Control"] = cache
    return response
