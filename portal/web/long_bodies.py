"""Long bodies are refused before a byte of them is read: 413, whatever the page.

Only predictions are long, and their page has a limit of its own (portal.submissions.uploads).
What is left comes whole before anybody looks at it: see ``portal.web.slow_clients``.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from portal.web.slow_clients import LARGE

Answer = Callable[[HttpRequest], HttpResponse]
_DIGITS = 18


class RefuseLongBodies:
    """Stands before all that reads a form."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _is_long(request) and request.path_info != reverse("submit"):
            return render(request, "errors/413.html", {"most": LARGE // 1000}, status=413)
        return self.get_response(request)


def _is_long(request: HttpRequest) -> bool:
    """Also where it comes in chunks, whose number nobody knows."""
    if request.headers.get("Transfer-Encoding"):
        return True
    length = request.META.get("CONTENT_LENGTH") or "0"
    return not length.isdecimal() or len(length) > _DIGITS or int(length) > LARGE
