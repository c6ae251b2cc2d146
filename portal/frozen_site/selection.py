"""Which of the pages that are found belong to a copy, and which of them are requested together."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.urls import reverse

from portal.frozen_site.addresses import KEPT, REASONS, Page, Place, Reason, place_of
from portal.frozen_site.copies import Copy

_PART = 20  # pages of the same data that a process is given at a time
_Value = TypeVar("_Value")


class Batch(NamedTuple):
    pages: Sequence[Page]
    together: Sequence[str] = ()  # as ``portal.snapshot.asked_together``


def pages_to_fetch(
    found: Iterable[Page],
    copy: Copy,
    seen: set[Page],
    leads_to: dict[Page, Page],
    examples: dict[tuple[str, ...], set[str]],
) -> Iterator[Page]:
    """Those that are kept and new, with the documents of the API that have the same content."""
    for page in found:
        if page in seen:
            continue
        seen.add(page)
        place = None if _is_static(page) else place_of(page)
        if _is_static(page) or page.path == reverse("sitemap"):
            yield page
        elif place and place.page and _is_wanted(place, copy, examples):
            if place.page != page:
                leads_to[page] = place.page
            for one in filter(None, (place.page, data_of(place), _beside(place))):
                if one == page or one not in seen:
                    seen.add(one)
                    yield one


def batches_of(todo: Iterable[Page]) -> Iterator[Batch]:
    """What a process is given at a time: pages that are made from the same data, or a single other
    page, since some of those take seconds, and no process should wait for another one."""
    together: dict[str, dict[str, list[Page]]] = {}  # by what is read, and by the part
    for page in todo:
        place = None if _is_static(page) else place_of(page)
        reads = KEPT[place.name].reads if place and place.page else ""
        if place and reads:
            [part] = place.parts.values()
            together.setdefault(reads, {}).setdefault(part, []).append(page)
        else:
            yield Batch([page])
    for by_part in together.values():
        for parts in parts_of(list(by_part)):
            yield Batch([page for part in parts for page in by_part[part]], parts)


def parts_of(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]


def _is_wanted(place: Place, copy: Copy, examples: dict[tuple[str, ...], set[str]]) -> bool:
    """``examples``: by task, the keys of those that are wanted so far; a new one is added."""
    kept = KEPT[place.name]
    if kept.is_sample:
        *task, key = place.parts.values()
        keys = examples.setdefault(tuple(task), set())
        if key not in keys and len(keys) >= copy.samples:
            return False
        keys.add(key)
    return copy.with_answers or not kept.has_answers


def data_of(place: Place) -> Page | None:
    name, _, parameter = KEPT[place.name].data.partition("?")
    if not name:
        return None
    values = list(place.parts.values())
    if parameter:
        return Page.of(reverse(name), f"{parameter}={quote(values[0])}")
    return Page(reverse(name, args=values))


def _beside(place: Place) -> Page | None:
    name = KEPT[place.name].beside
    return Page(reverse(name, args=list(place.parts.values()))) if name else None


def _is_static(page: Page) -> bool:
    return page.path.startswith(settings.STATIC_URL)


def name_of(page: Page) -> str:
    place = None if _is_static(page) else place_of(page)
    return place.name if place else "static"


@cache
def why_left_out(page: Page) -> str:
    place = place_of(page)
    reason = place.reason if place else None
    if place and not reason and place.page != page:
        reason = Reason.CHOICE
    elif place and not reason and KEPT[place.name].has_answers:
        reason = Reason.ANSWERS
    return str(REASONS[reason or Reason.EXAMPLES])
