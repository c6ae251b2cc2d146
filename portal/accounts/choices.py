"""What a reader chooses for all pages, kept in a cookie, without an account."""

from collections.abc import Container

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from portal.context_processors import THEME_COOKIE, THEMES
from portal.web.form_views import post_only, safe_next_url

YEAR = 365 * 24 * 3600  # seconds


@post_only("home")
def theme(request: HttpRequest) -> HttpResponse:
    """Light or dark; anything else is as the reader's system says."""
    return _kept(request, THEME_COOKIE, request.POST.get("theme", ""), THEMES)


@post_only("home")
def language(request: HttpRequest) -> HttpResponse:
    """One of ``LANGUAGES``; anything else is as the reader's browser says."""
    chosen = request.POST.get("language", "")
    return _kept(request, settings.LANGUAGE_COOKIE_NAME, chosen, dict(settings.LANGUAGES))


def _kept(request: HttpRequest, cookie: str, chosen: str, known: Container[str]) -> HttpResponse:
    """Back to where it was chosen."""
    answer = HttpResponseRedirect(safe_next_url(request.POST) or reverse("home"))
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
