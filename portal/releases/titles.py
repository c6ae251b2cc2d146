"""What releases are called where a reader has to tell them apart."""

from collections import Counter
from collections.abc import Collection
from typing import Protocol


class Titled(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def title(self) -> str: ...


def told_apart(releases: Collection[Titled]) -> dict[str, str]:
    """By slug: the title, and where several of them have one title, the slug beside it."""
    counts = Counter(_as_read(one.title) for one in releases)
    return {
        one.slug: f"{one.title} ({one.slug})" if counts[_as_read(one.title)] > 1 else one.title
        for one in releases
    }


def _as_read(title: str) -> str:
    return " ".join(title.casefold().split())
