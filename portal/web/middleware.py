"""Our own middleware; ``settings.MIDDLEWARE`` has the order."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

GetResponse = Callable[[HttpRequest], HttpResponse]
MAX_FORM_BYTES = 1 << 16


def refuse_long_bodies(get_response: GetResponse) -> GetResponse:
    """Answer 413 to long bodies before a byte of them is read, and to those of unknown length.

    Only predictions are long; their page has a limit of its own (portal.submissions.uploads).
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        known = (
            length.isdecimal() and len(length) < 19 and "Transfer-Encoding" not in request.headers
        )
        if (known and int(length) <= MAX_FORM_BYTES) or request.path_info == reverse("submit"):
            return get_response(request)
        return render(request, "errors/413.html", {"most": MAX_FORM_BYTES // 1000}, status=413)

    return middleware
