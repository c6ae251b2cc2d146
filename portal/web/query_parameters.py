"""Parameters of the addresses of the API: one that nobody reads is an error, as a misspelt filter
would answer with what was not asked for."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.views import APIView

_LONGEST_NAME, _MOST_NAMES = 100, 5  # that a sentence repeats


def check_parameters(view: APIView, request: Request) -> None:
    """Raises ``ParseError`` where the address has a parameter that its description does not."""
    if not request.query_params:
        return
    method = "get" if request.method == "HEAD" else str(request.method).lower()
    handler = getattr(view, method, None)
    if method not in view.http_method_names or handler is None or method == "options":
        return  # answered with 405, or for browsers alone
    known = _described(view, handler)
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        raise ParseError(_sentence(unknown, known), "unknown_parameter")


def _described(view: APIView, handler: Any) -> list[str]:  # noqa: ANN401 - a method of the view
    """Names, in the order of the description."""
    schema = handler.kwargs["schema"]()  # where ``extend_schema`` leaves what a view says
    schema.view = view
    parameters: Iterable[OpenApiParameter] = schema.get_override_parameters()
    return [one.name for one in parameters if one.location == OpenApiParameter.QUERY]


def _sentence(unknown: list[str], known: list[str]) -> str:
    names = ", ".join(name[:_LONGEST_NAME] for name in unknown[:_MOST_NAMES])
    near = get_close_matches(unknown[0][:_LONGEST_NAME], known, n=1)
    hint = f" Do you mean {near[0]}?" if near else ""
    there = f"There are: {', '.join(known)}." if known else "There are none."
    return f"There is no parameter {names} here.{hint} {there}"
