"""What is the same for every reader, kept as long as it says the truth."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from django.core.cache import caches
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from portal.board_version import board_version

_Kept = TypeVar("_Kept")


class Region(NamedTuple):
    """Part of a page."""

    title: str
    html: SafeString


def kept(name: str, make: Callable[[], _Kept]) -> _Kept:
    """What is kept under this name in the reader's language, made anew after every change of a
    board.

    The version is read before anything else is. Kept in this process, so that a reader who tries
    out every address pushes out nothing but what is kept here. None is made each time.
    """
    key = f"{board_version()}/{get_language()}/{name}"
    regions = caches["regions"]
    found: _Kept | None = regions.get(key)
    if found is None:
        found = make()
        regions.set(key, found)
    return found
