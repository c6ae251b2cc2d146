"""What the addresses for scripts share: JSON for results and for errors."""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

_P = ParamSpec("_P")
_LONGEST_NUMBER = 12  # digits


class QueryError(ValueError):
    """A query string asks for something impossible. ``code`` names the case. Code and sentence are
    in English: these responses are for scripts."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def json_answer(
    view: Callable[Concatenate[HttpRequest, _P], Mapping[str, object]],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """The document that a view returns, compressed; 400 for its ``QueryError`` and 404 for its
    ``Http404``, each with a code and a sentence."""

    @wraps(view)
    def answered(request: HttpRequest, /, *arguments: _P.args, **named: _P.kwargs) -> HttpResponse:
        try:
            return JsonResponse(view(request, *arguments, **named))
        except QueryError as error:
            return _error(HTTPStatus.BAD_REQUEST, error.code, str(error))
        except Http404:
            return _error(HTTPStatus.NOT_FOUND, "not_found", "There is no such example.")

    return require_safe(gzip_page(answered))


def _error(status: HTTPStatus, code: str, sentence: str) -> HttpResponse:
    return JsonResponse({"detail": sentence, "code": code}, status=status)


def whole_number(query: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """A number from a query string. Raises ``QueryError``."""
    text = query.get(name, "")
    if not text:
        return default
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    if not is_number or not least <= int(text) <= most:
        raise QueryError(f"bad_{name}", f"{name} is a whole number from {least} to {most}.")
    return int(text)
