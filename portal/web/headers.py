"""Headers of every answer, whoever gave it: a view, a middleware, an error or a static file.

Django's own middleware sets some of them too, but not where it fails itself: at a host that is not
ours, say.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

Answer = Callable[[HttpRequest], HttpResponse]
_NOTHING_ALLOWED = ", ".join(
    f"{feature}=()" for feature in ("camera", "geolocation", "microphone", "payment", "usb")
)


def guard_answers(get_response: Answer) -> Answer:
    """What a view has set itself stays: a download has a policy of its own."""
    always = {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
        "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": _NOTHING_ALLOWED,
    }

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in always.items():
            response.headers.setdefault(name, value)
        if "Cache-Control" not in response.headers:
            _keep_private(request, response)
        return response

    return middleware


def _keep_private(request: HttpRequest, response: HttpResponse) -> None:
    """No shared cache keeps a page, and of somebody signed in no cache at all.

    The cookie decides, so that no answer costs a look into the database.
    """
    signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES
    response.headers["Cache-Control"] = "private, no-store" if signed_in else "private, no-cache"
    patch_vary_headers(response, ["Cookie"])
