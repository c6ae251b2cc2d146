"""How many expensive requests one address may make; beyond that, anonymous readers get 429.

Counted in the cache of all processes, in windows of a minute.
"""

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec

from allauth.core.internal.ratelimit import get_ip
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from portal import clock

MOST_EACH_MINUTE = 60
MOST_SEARCHES = 600  # a minute, each of one long text: half a processor
_WINDOW = 60  # seconds
_EXPENSIVE = "expensive"
_ALLOWANCE = "portal.allowance"  # in META of a request
_ROWS_BETWEEN_CULLS = 100
# In the table of the cache, but not in the cache's format: nothing else reads these values.
_COUNT = """
INSERT INTO portal_cache AS counts (cache_key, value, expires)
VALUES (%s, '1', clock_timestamp() + make_interval(secs => %s))
ON CONFLICT (cache_key) DO UPDATE SET value = (counts.value::int + 1)::text
RETURNING value::int
"""
_P = ParamSpec("_P")


class Allowance(NamedTuple):
    """What an address has left of a policy until the next window."""

    policy: str
    most: int
    left: int


class TooManyRequestsError(Exception):
    """Answered by ``throttled``."""


def count_expensive(request: HttpRequest) -> None:
    """Count a request that is about to cost much. Raises ``TooManyRequestsError``."""
    _count(request, _EXPENSIVE, MOST_EACH_MINUTE)


def count_search(request: HttpRequest) -> None:
    """Count a search in one long text, which costs less; readers make many in a row. Raises
    ``TooManyRequestsError``."""
    _count(request, "search", MOST_SEARCHES)


def _count(request: HttpRequest, what: str, most: int) -> None:
    """In one statement, where the cache would take six."""
    if request.user.is_authenticated:
        return
    key = f"{what}/{get_ip(request)}/{clock.seconds_since_epoch() // _WINDOW}"
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [cache.make_key(key), 2 * _WINDOW])
        [count] = cursor.fetchone()
    request.META[_ALLOWANCE] = Allowance(what, most, max(0, most - count))
    if count > most:
        raise TooManyRequestsError
    if count == 1 and is_culling_due():
        cache.touch(key, timeout=2 * _WINDOW)  # which also deletes old rows, if there are many


def set_rate_limit(request: HttpRequest, response: HttpResponseBase) -> None:
    """The policy for what has to be computed, and what the address has left of the one that this
    request counted for, if it did: cached answers cost nothing (draft-ietf-httpapi-ratelimit-
    headers)."""
    found: Allowance | None = request.META.get(_ALLOWANCE)
    policy, most = (found.policy, found.most) if found else (_EXPENSIVE, MOST_EACH_MINUTE)
    response["RateLimit-Policy"] = f'"{policy}";q={most};w={_WINDOW}'
    if found:
        response["RateLimit"] = f'"{policy}";r={found.left};t={seconds_until_next_window()}'


def is_culling_due() -> bool:
    """By chance, after one of so many new rows."""
    return secrets.randbelow(_ROWS_BETWEEN_CULLS) == 0


def seconds_until_next_window() -> int:
    return _WINDOW - clock.seconds_since_epoch() % _WINDOW


def throttled(
    view: Callable[Concatenate[HttpRequest, _P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponseBase]:
    """Answer with the page for 429 if the view raises ``TooManyRequestsError``."""

    @wraps(view)
    def throttled_view(
        request: HttpRequest, /, *arguments: _P.args, **named: _P.kwargs
    ) -> HttpResponseBase:
        try:
            return view(request, *arguments, **named)
        except TooManyRequestsError:
            response = render(request, "errors/too_many.html", status=429)
            response["Retry-After"] = str(seconds_until_next_window())
            return response

    return throttled_view
