"""Titles of releases where a reader has to choose between them."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Protocol

from django.utils.translation import gettext as _


class Titled(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def localized_title(self) -> str: ...


def unique_titles(releases: Collection[Titled]) -> dict[str, str]:
    """By slug: the title in the active language, followed by the slug if several share it."""
    titles = {release.slug: release.localized_title for release in releases}
    counts = Counter(map(_comparable, titles.values()))
    return {
        slug: f"{title} ({slug})" if counts[_comparable(title)] > 1 else title
        for slug, title in titles.items()
    }


def not_among(slugs: Iterable[str]) -> str:
    """Where none of them was chosen."""
    message = _("This is none of the releases that can be chosen here: %(releases)s.")
    return message % {"releases": _(", ").join(slugs)}


def _comparable(title: str) -> str:
    return " ".join(title.casefold().split())
