"""Query parameters of the API: an unknown one is an error, since a misspelt filter would return
what was not asked for."""

from collections.abc import Iterable
from difflib import get_close_matches

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.views import APIView

_LONGEST_NAME, _MOST_NAMES = 100, 5  # that a sentence repeats


def check_parameters(view: APIView, request: Request) -> None:
    """Raises ``ParseError`` if the request has a parameter that the description does not have."""
    if not request.query_params:
        return
    method = "get" if request.method == "HEAD" else str(request.method).lower()
    handler = getattr(view, method, None)
    if method not in view.http_method_names or handler is None or method == "options":
        return  # answered with 405, or for browsers alone
    schema = handler.kwargs["schema"]()  # where ``extend_schema`` stores the description
    schema.view = view
    parameters: Iterable[OpenApiParameter] = schema.get_override_parameters()
    known = [one.name for one in parameters if one.location == OpenApiParameter.QUERY]
    unknown = sorted(set(request.query_params) - set(known))
    if not unknown:
        return
    names = ", ".join(name[:_LONGEST_NAME] for name in unknown[:_MOST_NAMES])
    near = get_close_matches(unknown[0][:_LONGEST_NAME], known, n=1)
    hint = f" Do you mean {near[0]}?" if near else ""
    there = f"There are: {', '.join(known)}." if known else "There are none."
    sentence = f"There is no parameter {names} here.{hint} {there}"
    raise ParseError(sentence, "unknown_parameter")
