"""The addresses of the site, and one for each kind of failure."""

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path

from portal import urls

FAULTS: dict[str, tuple[Exception, int]] = {
    "no such thing": (Http404(), 404),
    "not for you": (PermissionDenied(), 403),
    "bad": (BadRequest(), 400),
    "suspicious": (SuspiciousOperation(), 400),
    "a fault of ours": (RuntimeError("a fault of ours"), 500),
    "with a key": (RuntimeError("refused: Bearer canary-0123456789"), 500),
    "no database": (OperationalError("no database"), 503),
}


def fail(_request: HttpRequest, how: str) -> HttpResponse:
    raise FAULTS[how][0]


urlpatterns = [*urls.urlpatterns, path("fails/<str:how>/", fail)]
handler400, handler403 = urls.handler400, urls.handler403
handler404, handler500 = urls.handler404, urls.handler500
