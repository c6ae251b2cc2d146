"""The part of a page that is the same for every reader, kept as long as it says the truth."""

from collections.abc import Callable
from typing import NamedTuple

from django.core.cache import caches
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from portal.board_version import board_version


class Region(NamedTuple):
    title: str
    html: SafeString


def kept_region(name: str, make: Callable[[], Region]) -> Region:
    """The region of this name in the reader's language, made anew after every change of a board.

    The version is read before anything else is. Kept in this process, so that a reader who tries
    out every address pushes out nothing but such regions.
    """
    key = f"{board_version()}/{get_language()}/{name}"
    kept = caches["regions"]
    region: Region | None = kept.get(key)
    if region is None:
        region = make()
        kept.set(key, region)
    return region
