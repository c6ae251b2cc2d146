"""Light, dark, or as the reader's system says."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from portal.context import THEME_COOKIE, THEMES

YEAR = 365 * 24 * 3600  # seconds


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the choice in a cookie, without an account, and go back to where it was made."""
    answer = HttpResponseRedirect(_back(request))
    choice = request.POST.get("theme", "")
    if choice not in THEMES:
        answer.delete_cookie(THEME_COOKIE)
        return answer
    answer.set_cookie(
        THEME_COOKIE,
        choice,
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
