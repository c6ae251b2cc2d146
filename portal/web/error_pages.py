"""The error pages, each with the next step.

Those for failures of the server extend ``bare.html``, which needs no database.
"""

import sys
from collections.abc import Callable
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from portal.errors import SecondFactorNeededError
from portal.logs.request_ids import current_request_id
from portal.storage.folder import StorageUnavailableError
from portal.web.problems import is_for_programs, problem_response

_UNAVAILABLE = (OperationalError, InterfaceError, StorageUnavailableError)
RETRY_AFTER = 30  # seconds: a restart of PostgreSQL is quicker


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_for_programs(request):
        return problem_response(400, "parse_error", "The request cannot be read.")
    return render(request, "errors/400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, SecondFactorNeededError):
        return redirect("mfa_index")
    return render(request, "errors/403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_for_programs(request):
        return problem_response(404, "not_found", "There is nothing at this address.")
    return render(request, "errors/404.html", status=404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form is out of date, or its cookie is missing."""
    if is_for_programs(request):
        return problem_response(403, "permission_denied", "There is no form at this address.")
    return render(request, "errors/csrf.html", status=403)


def method_not_allowed_page(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: a page for 405, where Django sends an empty response."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.content:
            return response
        page = (
            problem_response(405, "method_not_allowed", "This address knows no such method.")
            if is_for_programs(request)
            else render(request, "errors/405.html", status=response.status_code)
        )
        page.headers["Allow"] = response.headers.get("Allow", "")
        return page

    return middleware


def server_error(request: HttpRequest) -> HttpResponse:
    """503 instead of 500 if the database or the files' storage does not answer, because then
    waiting helps."""
    is_unavailable = isinstance(sys.exception(), _UNAVAILABLE)
    if is_for_programs(request):
        response: HttpResponse = (
            problem_response(503, "unavailable", "The site cannot be reached for a moment.")
            if is_unavailable
            else problem_response(500, "error", "The site has failed.")
        )
    else:
        status = 503 if is_unavailable else 500
        context = {"request_id": current_request_id()}
        response = render(request, f"errors/{status}.html", context, status=status)
    if is_unavailable:
        response["Retry-After"] = str(RETRY_AFTER)
    return response
