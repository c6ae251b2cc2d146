"""The pages for what cannot be shown, each with the next step."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's
    """The form is old, or its cookie is gone."""
    return render(request, "errors/csrf.html", status=403)
