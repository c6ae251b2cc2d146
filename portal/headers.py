"""Headers of every response that neither Django nor a package sets."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]
_NOTHING_ALLOWED = ", ".join(
    f"{feature}=()" for feature in ("camera", "geolocation", "microphone", "payment", "usb")
)


def permissions_policy(get_response: Answer) -> Answer:
    """No page of ours uses a camera or the like, so no script that gets in may."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Permissions-Policy", _NOTHING_ALLOWED)
        return response

    return middleware
