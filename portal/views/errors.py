"""The pages for what cannot be shown, each with the next step.

Those for failures are built on ``bare.html``, which asks nothing of the database.
"""

import sys

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


def server_error(request: HttpRequest) -> HttpResponse:
    """Our fault; a database that does not answer is told apart, because waiting helps."""
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        answer = render(request, "errors/503.html", status=503)
        answer["Retry-After"] = str(RETRY_AFTER)
        return answer
    return render(request, "errors/500.html", status=500)
