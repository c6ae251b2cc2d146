"""What a reader chooses for all pages, kept in a cookie, without an account."""

from collections.abc import Container

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from portal.context import THEME_COOKIE, THEMES

YEAR = 365 * 24 * 3600  # seconds


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light or dark; anything else is as the reader's system says."""
    return _kept(request, THEME_COOKIE, request.POST.get("theme", ""), THEMES)


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """One of ``LANGUAGES``; anything else is as the reader's browser says."""
    chosen = request.POST.get("language", "")
    return _kept(request, settings.LANGUAGE_COOKIE_NAME, chosen, dict(settings.LANGUAGES))


def _kept(request: HttpRequest, cookie: str, chosen: str, known: Container[str]) -> HttpResponse:
    """Back to where it was chosen."""
    answer = HttpResponseRedirect(_back(request))
    if chosen not in known:
        answer.delete_cookie(cookie)
        return answer
    answer.set_cookie(
        cookie,
        chosen,
        max_age=YEAR,
        samesite="Lax",
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return answer


def _back(request: HttpRequest) -> str:
    """The page of ours that the form names; no host is allowed, so that it cannot lead away."""
    page = request.POST.get("next", "")
    ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    return page if ours else reverse("home")
