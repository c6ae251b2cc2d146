"""How often one address may ask for what costs much; anonymous readers get 429 beyond that.

Counted in the cache of all processes, in windows of a minute. Two requests at once may count as
one: this protects the processor, and no secret.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from allauth.core.internal.ratelimit import get_ip
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

MOST_EACH_MINUTE = 60
_WINDOW = 60  # seconds
_P = ParamSpec("_P")


class TooManyRequestsError(Exception):
    """Answered by ``throttled``."""


def count_expensive(request: HttpRequest) -> None:
    """Count a request that is about to cost much. Raises ``TooManyRequestsError``."""
    if request.user.is_authenticated:
        return
    key = f"expensive/{get_ip(request)}/{seconds_since_epoch() // _WINDOW}"
    count: int = cache.get(key, 0)
    if count >= MOST_EACH_MINUTE:
        raise TooManyRequestsError
    cache.set(key, count + 1, timeout=2 * _WINDOW)


def seconds_since_epoch() -> int:
    return int(time.time())


def throttled(
    view: Callable[Concatenate[HttpRequest, _P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponseBase]:
    """A page for 429 where the view has called ``count_expensive`` once too often."""

    @wraps(view)
    def throttled_view(
        request: HttpRequest, /, *arguments: _P.args, **named: _P.kwargs
    ) -> HttpResponseBase:
        try:
            return view(request, *arguments, **named)
        except TooManyRequestsError:
            response = render(request, "errors/too_many.html", status=429)
            response["Retry-After"] = str(_WINDOW - seconds_since_epoch() % _WINDOW)
            return response

    return throttled_view
