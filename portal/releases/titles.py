"""Titles of releases where a reader has to choose between them, and of their tasks."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Protocol

from scoring.catalog import TASKS


class Generated(Protocol):
    """Of a release: the version of its generators, or None."""

    @property
    def generator(self) -> int | None: ...


def task_title(task: str, release: Generated | None) -> str:
    """Tells tasks of several releases apart: a generated task is not ∞Bench's task of the same
    name."""
    title = TASKS[task].title
    if release is None or release.generator is None:
        return title
    return f"{title} (generated)"


class Titled(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def title(self) -> str: ...


def unique_titles(releases: Collection[Titled]) -> dict[str, str]:
    """By slug: the title, followed by the slug if several share it."""
    titles = {release.slug: release.title for release in releases}
    counts = Counter(map(_comparable, titles.values()))
    return {
        slug: f"{title} ({slug})" if counts[_comparable(title)] > 1 else title
        for slug, title in titles.items()
    }


def not_among(slugs: Iterable[str]) -> str:
    """The message where none of them was chosen."""
    message = "This is none of the releases that can be chosen here: %(releases)s."
    return message % {"releases": ", ".join(slugs)}


def _comparable(title: str) -> str:
    return " ".join(title.casefold().split())
