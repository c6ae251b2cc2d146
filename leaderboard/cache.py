"""Content that is the same for every reader: rendered once, with 304 for unchanged pages."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeVar

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from portal.board_version import board_version

_Value = TypeVar("_Value")

# Masked differently in every response. The secret behind the mask is the cookie, which counts.
_CSRF_TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value=")[^"]*')


class Region(NamedTuple):
    """The content of a page, for ``cached_page.html``."""

    title: str
    html: SafeString


def cached_region(name: str, make: Callable[[], _Value]) -> _Value:
    """The value of this name in the reader's language, made again after any change of a board.

    The version is read before any other data. The cache belongs to this process, so that a reader
    who requests every address evicts nothing but other regions. None is not cached.
    """
    key = f"{board_version()}/{get_language()}/{name}"
    regions = caches["regions"]
    found: _Value | None = regions.get(key)
    if found is None:
        found = make()
        regions.set(key, found)
    return found


def conditional_response(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or 304 if the reader has it already; no tag for users who are signed in.

    The tag is a hash of the body, so that it changes whenever the body does. It includes the CSRF
    cookie, since the forms of a page do not work without the cookie that they were made for.
    """
    if request.user.is_authenticated:
        return response
    cookie = str(request.META.get("CSRF_COOKIE", ""))
    body = _CSRF_TOKEN.sub(rb"\1", response.content)
    response["ETag"] = f'"{sha256(cookie.encode() + body).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=response["ETag"], response=response)
    return answer if isinstance(answer, HttpResponse) else response


def conditional_page(
    request: HttpRequest, template: str, context: Mapping[str, object]
) -> HttpResponse:
    return conditional_response(request, render(request, template, dict(context)))
