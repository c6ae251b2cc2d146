"""Content that is the same for every reader: rendered once, and 304 for unchanged pages."""

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from threading import Lock, RLock
from typing import NamedTuple, TypeVar
from weakref import WeakValueDictionary

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString

from portal.board_version import board_version
from portal.kept_regions import PATIENCE

Texts = Mapping[str, str]  # by name in the template
_Value = TypeVar("_Value")
_Key = TypeVar("_Key", bound=Hashable)

# Masked differently in every response; what counts is the secret behind it, the cookie.
_CSRF_TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value=")[^"]*')
_locks: WeakValueDictionary[str, RLock] = WeakValueDictionary()  # in use
_changing_locks = Lock()


class Region(NamedTuple):
    """The content of a page, for ``cached_page.html``."""

    title: str
    html: SafeString
    description: str = ""  # for search engines; empty: that of the site


def cached_region(name: str, make: Callable[[], _Value]) -> _Value:
    """The value of this name, made again after any change of a board.

    The version is read before any other data. The cache belongs to this process, so that a reader
    who requests every address evicts nothing but other regions. None is not cached. When several
    readers come at once, one of them makes the value and the others wait.
    """
    return kept_in(caches["regions"], f"{board_version()}/{name}", make)


def cached_forever(name: str, make: Callable[[], _Value]) -> _Value:
    """For what never changes, such as data sets by their hashes."""
    return kept_in(caches["regions"], f"forever/{name}", make)


def cached_by_evaluation(
    name: str,
    evaluations: Collection[_Key],
    read: Callable[[Collection[_Key]], Mapping[_Key, _Value]],
) -> dict[_Key, _Value]:
    """What is cached under this name for evaluations, or for groups of repeated ones; without those
    that ``read`` finds nothing for.

    The scores of an evaluation never change, so after a change of a board only those of new entries
    are read. Readers who come at once may each read; the last one's values are kept.
    """
    regions = caches["regions"]
    key = sha256(f"evaluations/{name}".encode()).hexdigest()
    before: dict[_Key, _Value | None] = regions.get(key) or {}
    known = {one: before[one] for one in evaluations if one in before}
    missing = set(evaluations) - known.keys()
    if missing:
        found = read(missing)
        known |= {one: found.get(one) for one in missing}
        regions.set(key, known)
    return {one: value for one, value in known.items() if value is not None}


def kept_in(cache: BaseCache, name: str, make: Callable[[], _Value]) -> _Value:
    """The value of this name, made by one of the threads that ask for it at once."""
    key = sha256(name.encode()).hexdigest()  # as short and plain as cache keys have to be
    found: _Value | None = cache.get(key)
    if found is None:
        with locked(key):
            found = cache.get(key)
            if found is None:
                found = make()
                cache.set(key, found)
    return found


@contextmanager
def locked(key: str) -> Iterator[None]:
    """One thread at a time; none waits longer than ``PATIENCE``.

    Each key has a lock of its own: a thread that makes a page holds the page's lock while it asks
    for the regions in it, and with shared locks two such threads could wait for each other.
    """
    with _changing_locks:
        lock = _locks.setdefault(key, RLock())
    is_acquired = lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if is_acquired:
            lock.release()


def conditional_response(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or 304 if the reader has it already; signed-in users get no tag.

    The tag is a hash of the body, so it changes whenever the body does. It includes the CSRF
    cookie, since a page's forms do not work without the cookie that they were rendered for.
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
