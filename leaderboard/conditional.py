"""Answers that need not be sent again: an ETag, and 304 where the reader has it already."""

import re
from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

# Masked anew in every answer. What it hides is the cookie's, and counts.
_TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value=")[^"]*')


def or_unchanged(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or 304 in its place; pages of people who are signed in are never kept.

    The tag is of what would be sent, so that it changes with anything that does. The cookie that
    the forms of a page belong to is part of it: without that cookie they would not work.
    """
    if request.user.is_authenticated:
        return response
    cookie = str(request.META.get("CSRF_COOKIE", ""))
    tag = sha256(cookie.encode() + _TOKEN.sub(rb"\1", response.content)).hexdigest()[:32]
    response["ETag"] = f'"{tag}"'
    answer = get_conditional_response(request, etag=response["ETag"], response=response)
    return answer if isinstance(answer, HttpResponse) else response
