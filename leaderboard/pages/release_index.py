"""All releases, a line each: what is in them, how long it is, and what can be taken away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Min, Prefetch, Q

from portal.models import Example, Release, TaskDataSet
from portal.permissions import public_files
from portal.releases.titles import unique_titles
from scoring.catalog import TASKS, Task


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens of context and question together."""

    shortest: int
    longest: int
    estimated: bool  # of some of them at least


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    release: Release
    title: str  # another one for each
    tasks: Sequence[Task]  # in the order of the catalogue
    examples: int
    span: Span | None  # None: the texts are not known
    size: int  # bytes of what can be taken away; 0: nothing can

    @property
    def has_every_task(self) -> bool:
        return len(self.tasks) == len(TASKS)


def all_releases() -> list[ReleaseLine]:
    """The newest first; in three queries, however many there are."""
    files = TaskDataSet.objects.select_related("whole_file", "questions_file", "facets_file")
    with_boards = Release.objects.with_boards().prefetch_related(Prefetch("data_sets", files))
    found = list(with_boards.order_by("-created", "slug"))
    titles, spans = unique_titles(found), _spans()
    return [_line(one, titles[one.slug], spans) for one in found]


def _line(release: Release, title: str, spans: Mapping[int, Span]) -> ReleaseLine:
    held = {data_set.task: data_set for data_set in release.data_sets.all()}
    files = [public_files(release, data_set).rows for data_set in held.values()]
    return ReleaseLine(
        release,
        title,
        tasks=[task for task in TASKS.values() if task.id in held],
        examples=sum(data_set.size for data_set in held.values()),
        span=spans.get(release.pk),
        size=sum(file.size for file in files if file),
    )


def _spans() -> dict[int, Span]:
    """By release."""
    counted = Example.objects.filter(tokens__isnull=False).order_by()
    found = counted.values_list("data_set__releases").annotate(
        Min("tokens"), Max("tokens"), estimated=Count("pk", filter=Q(tokens_estimated=True))
    )
    return {pk: Span(least, most, some > 0) for pk, least, most, some in found}
