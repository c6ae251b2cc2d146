"""The pages for what cannot be shown, each with the next step.

Those for failures are built on ``bare.html``, which asks nothing of the database.
"""

import sys
from collections.abc import Callable
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

RETRY_AFTER = 30  # seconds: PostgreSQL is back sooner when it only starts again


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/404.html", status=404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form is old, or its cookie is gone."""
    return render(request, "errors/csrf.html", status=403)


def tell_of_methods(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: what nobody may do at an address has a page, where Django answers nothing."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        page = render(request, "errors/405.html", status=response.status_code)
        page.headers["Allow"] = response.headers.get("Allow", "")
        return page

    return middleware


def server_error(request: HttpRequest) -> HttpResponse:
    """Our fault; a database that does not answer is told apart, because waiting helps."""
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        answer = render(request, "errors/503.html", status=503)
        answer["Retry-After"] = str(RETRY_AFTER)
        return answer
    return render(request, "errors/500.html", status=500)
