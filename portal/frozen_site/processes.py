"""The processes that share the work, and what each of them has in memory."""

import gc
import multiprocessing
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections

from portal.frozen_site.rewriting import Files

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
_MOST_REGIONS = 200
_known: list[Files] = []  # of this process


@contextmanager
def workers(processes: int, known: Files | None = None) -> Iterator[Each]:
    """Yields a function like ``map``. ``known`` goes to each process once."""
    if processes == 1:
        _know(known)
        yield map
        return
    connections.close_all()  # no process may use those of another one
    gc.freeze()
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, _begin, (known,)) as pool:
        yield pool.imap


class _Regions(BaseCache):
    """Keeps regions as objects, where the site's cache pickles them: the ranks of a large board are
    long."""

    def __init__(self) -> None:
        super().__init__({})
        self._kept: OrderedDict[str, object] = OrderedDict()

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        if key not in self._kept:
            return default
        self._kept.move_to_end(key)
        return self._kept[key]

    def set(
        self, key: str, value: object, timeout: object = None, version: int | None = None
    ) -> None:
        self._kept[key] = value
        if len(self._kept) > _MOST_REGIONS:
            self._kept.popitem(last=False)


@contextmanager
def one_transaction() -> Iterator[None]:
    """One transaction lasts for many requests, as with Django's test client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    regions, caches["regions"] = caches["regions"], _Regions()
    try:
        yield
    finally:
        caches["regions"] = regions
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def known_files() -> Files:
    """What ``workers`` has given to this process."""
    return _known[0]


def _know(known: Files | None) -> None:
    _known[:] = [known] if known else []


def _begin(known: Files | None) -> None:
    """Run by each new process. Collecting garbage as often as usual takes a tenth of the time."""
    gc.set_threshold(100_000)
    _know(known)
