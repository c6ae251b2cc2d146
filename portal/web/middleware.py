"""Our own middleware; ``settings.MIDDLEWARE`` has the order."""

import re
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from itertools import chain
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponsePermanentRedirect,
    QueryDict,
    UnreadablePostError,
)
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from portal.web.error_pages import bad_request
from portal.web.problems import is_for_programs, problem_response

GetResponse = Callable[[HttpRequest], HttpResponse]
MAX_FORM_BYTES = 1 << 16
MAX_COOKIE_BYTES = 1 << 12  # as in docker/nginx.conf; the site sets a few hundred


def set_default_headers(get_response: GetResponse) -> GetResponse:
    """Headers of every response, whatever made it: a view, another middleware, an error, a file.

    What a view has set itself stays: a download has a policy of its own. Django's own middleware
    sets some of them too, but not where it fails itself: at an unknown host, for example.
    """
    features = ("camera", "geolocation", "microphone", "payment", "usb")
    defaults = {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
        "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{feature}=()" for feature in features),
    }

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in defaults.items():
            response.headers.setdefault(name, value)
        if "Cache-Control" not in response.headers:
            # No shared cache keeps a page, and no cache at all one of a signed-in user. The cookie
            # decides, so that no response needs the database for it.
            signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES
            cache = "private, no-store" if signed_in else "private, no-cache"
            response.headers["Cache-Control"] = cache
            patch_vary_headers(response, ["Cookie"])
        return response

    return middleware


def refuse_long_cookies(get_response: GetResponse) -> GetResponse:
    """Answer 400 to more than 4 KiB of cookies, all headers together, before they are parsed.

    Python before 3.11.10 and 3.12.6 takes quadratic time for quoted ones (CVE-2024-7592).
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if len(request.META.get("HTTP_COOKIE", "")) > MAX_COOKIE_BYTES:
            request.META["HTTP_COOKIE"] = ""  # the error page and the headers read cookies
            return bad_request(request, BadRequest("The cookies are too long"))
        return get_response(request)

    return middleware


class _PermanentRedirect(HttpResponsePermanentRedirect):
    status_code = HTTPStatus.PERMANENT_REDIRECT


class SiteCommonMiddleware(CommonMiddleware):
    """Redirects from an address without its last slash by 308, so that clients repeat the whole
    request: after a 301 they repeat a POST as a GET, and an upload would get a list as its answer.
    """

    response_redirect_class = _PermanentRedirect


def refuse_long_bodies(get_response: GetResponse) -> GetResponse:
    """Answer 413 to long bodies before a byte of them is read, and to those of unknown length.

    Only predictions are long; their addresses have another limit (see submissions/files).
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        known = (
            length.isdecimal() and len(length) < 19 and "Transfer-Encoding" not in request.headers
        )
        for_files = (reverse("submit"), reverse("api-submissions"))
        path = f"{request.path_info.removesuffix('/')}/"  # it may yet be redirected
        if (known and int(length) <= MAX_FORM_BYTES) or path in for_files:
            return get_response(request)
        if is_for_programs(request):
            if "Transfer-Encoding" in request.headers:
                detail = "Send the length of the body in Content-Length, not the body in chunks."
                return problem_response(411, "no_length", detail)
            most = f"The body can have at most {MAX_FORM_BYTES:,} bytes here."
            return problem_response(413, "too_long", most)
        return render(request, "errors/413.html", {"most": MAX_FORM_BYTES // 1000}, status=413)

    return middleware


# PostgreSQL takes no NUL. Bytes that are not UTF-8 have become U+FFFD before we see them.
_BROKEN_TEXT = re.compile("[\0\ufffd\ud800-\udfff]")


class RefuseBrokenText:
    """Answers 400, on any page, to text that cannot be stored.

    It comes before the session, whose cookie is looked up in the database.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        refuse_broken_text("the address", [request.path_info, *_names_and_values(request.GET)])
        refuse_broken_text("a cookie", chain.from_iterable(request.COOKIES.items()))
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        _args: Any,  # noqa: ANN401 - as in Django
        _kwargs: Any,  # noqa: ANN401
    ) -> None:
        """Read the form, as Django's CSRF check does next. A view that is exempt from that reads
        its form by itself."""
        if not getattr(view, "csrf_exempt", False):
            refuse_broken_form(request)


def refuse_broken_form(request: HttpRequest) -> None:
    """Also for views that read their form by themselves. Raises ``BadRequest``."""
    try:
        refuse_broken_text("the form", _names_and_values(request.POST))
    except UnreadablePostError as error:
        raise BadRequest("The form broke off") from error


def _names_and_values(form: QueryDict) -> Iterator[str]:
    for name, values in form.lists():
        yield name
        yield from (value for value in values if isinstance(value, str))


def refuse_broken_text(where: str, texts: Iterable[str]) -> None:
    """Also for texts that are read in other ways. Raises ``BadRequest``."""
    if any(_BROKEN_TEXT.search(text) for text in texts):
        raise BadRequest(f"Broken text in {where}")
