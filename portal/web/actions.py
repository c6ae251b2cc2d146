"""Addresses that only act, and where those are led who merely look at one."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

View = Callable[..., HttpResponse]
_LOOKS = ("GET", "HEAD")


def posted_from(page: str, *parts: str) -> Callable[[View], View]:
    """Only POST acts. The button is on that page, whose address has those parts of this one.

    A browser looks where it is sent back to what it has posted: after signing in again, or after
    another language was chosen above a form that came back with mistakes.
    """

    def decorate(view: View) -> View:
        act = require_POST(view)

        @wraps(view)
        def guarded(request: HttpRequest, **asked: object) -> HttpResponse:
            if request.method in _LOOKS:
                kept = {part: asked[part] for part in parts}
                return HttpResponseRedirect(reverse(page, kwargs=kept))
            return act(request, **asked)

        return guarded

    return decorate
