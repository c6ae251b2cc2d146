"""Read releases: their tasks, the lengths of their texts, and their downloads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Aggregate, Avg, Count, IntegerField, Max, Min, Prefetch, Q

from portal.models import Example, Release, TaskDataSet
from portal.permissions.access import PublicFiles, public_files
from portal.releases.titles import unique_titles
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.text.amounts import short_amount

_MAX_TARGETS = 12  # columns
_FILES = ("whole_file", "questions_file", "facets_file")


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens of context and question together."""

    shortest: int
    longest: int
    estimated: bool  # at least for some examples


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """A release in the list of all releases."""

    release: Release
    title: str  # unique
    tasks: Sequence[Task]  # in the order of the catalogue
    examples: int
    span: Span | None  # None: the texts are not known
    size: int  # bytes of all downloads; 0: there are none

    @property
    def has_every_task(self) -> bool:
        return len(self.tasks) == len(TASKS)


def all_releases() -> list[ReleaseLine]:
    """Newest first, each followed by its label versions; takes three queries."""
    files = TaskDataSet.objects.select_related(*_FILES)
    public = Release.objects.public().prefetch_related(Prefetch("data_sets", files))
    found = list(public.order_by("-created", "slug"))
    releases = [
        release
        for board in found
        if board.part_of_id is None
        for release in (board, *(one for one in found if one.part_of_id == board.pk))
    ]
    titles, spans = unique_titles(releases), _spans()
    lines = []
    for release in releases:
        data_sets = {data_set.task: data_set for data_set in release.data_sets.all()}
        rows = [public_files(release, data_set).rows for data_set in data_sets.values()]
        line = ReleaseLine(
            release,
            titles[release.slug],
            tasks=[TASKS[task] for task in BOARD_ORDER if task in data_sets],
            examples=sum(data_set.size for data_set in data_sets.values()),
            span=spans.get(release.pk),
            size=sum(file.size for file in rows if file),
        )
        lines.append(line)
    return lines


def _spans() -> dict[int, Span]:
    """By release."""
    counted = Example.objects.filter(tokens__isnull=False).order_by()
    found = counted.values_list("data_set__releases").annotate(
        Min("tokens"), Max("tokens"), estimated=Count("pk", filter=Q(tokens_estimated=True))
    )
    return {pk: Span(least, most, some > 0) for pk, least, most, some in found}


@dataclass(frozen=True, slots=True)
class Lengths:
    """Tokens of context and question together, over some examples."""

    examples: int
    shortest: int
    median: int
    mean: float
    longest: int
    estimated: bool  # at least for some of them


@dataclass(frozen=True, slots=True)
class ReleaseTask:
    task: Task
    data_set: TaskDataSet
    files: PublicFiles
    lengths: Lengths | None  # None: the texts are not known
    by_target: Mapping[int, Lengths]  # by target length, for examples that have one


def release_tasks(release: Release) -> list[ReleaseTask]:
    """In the order of the catalogue; takes three queries."""
    lengths, by_target = _lengths(release), _lengths(release, "target_tokens")
    return [
        ReleaseTask(
            TASKS[task],
            data_set,
            public_files(release, data_set),
            lengths.get(task, {}).get(None),
            {target: one for target, one in by_target.get(task, {}).items() if target is not None},
        )
        for task, data_set in _data_sets(release).items()
    ]


def release_files(release: Release) -> dict[str, PublicFiles]:
    """By task, in the order of the board; takes one query."""
    return {task: public_files(release, found) for task, found in _data_sets(release).items()}


def _data_sets(release: Release) -> dict[str, TaskDataSet]:
    data_sets = {one.task: one for one in release.data_sets.select_related(*_FILES)}
    return {task: data_sets[task] for task in BOARD_ORDER if task in data_sets}


class _Median(Aggregate):
    """The lower of two middle values, so that it is the length of an example."""

    function = "PERCENTILE_DISC"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = IntegerField()


def _lengths(release: Release, *by: str) -> dict[str, dict[int | None, Lengths]]:
    """By task, and by each value of a column if one is given, otherwise by None."""
    counted = Example.objects.filter(data_set__releases=release, tokens__isnull=False)
    groups = (
        counted.order_by()
        .values("data_set__task", *by)
        .annotate(
            examples=Count("tokens"),
            shortest=Min("tokens"),
            median=_Median("tokens"),
            mean=Avg("tokens"),
            longest=Max("tokens"),
            estimates=Count("pk", filter=Q(tokens_estimated=True)),
        )
        .order_by(*by)
    )
    found: dict[str, dict[int | None, Lengths]] = {}
    for group in groups:
        value = group[by[0]] if by else None
        found.setdefault(group["data_set__task"], {})[value] = Lengths(
            group["examples"],
            group["shortest"],
            group["median"],
            float(group["mean"]),
            group["longest"],
            estimated=group["estimates"] > 0,
        )
    return found


@dataclass(frozen=True, slots=True)
class LengthRow:
    task: Task
    lengths: Lengths
    at_targets: Sequence[Lengths | None]


@dataclass(frozen=True, slots=True)
class LengthTable:
    targets: Sequence[str]  # heads of columns
    rows: Sequence[LengthRow]

    @property
    def estimated(self) -> bool:
        return any(row.lengths.estimated for row in self.rows)


def length_table(tasks: Sequence[ReleaseTask]) -> LengthTable:
    """The lengths of tasks with known texts; with a column for each target length, if there are
    few."""
    targets = sorted({target for one in tasks for target in one.by_target})
    if len(targets) > _MAX_TARGETS:
        targets = []
    rows = [
        LengthRow(one.task, one.lengths, [one.by_target.get(target) for target in targets])
        for one in tasks
        if one.lengths
    ]
    return LengthTable([short_amount(target) for target in targets], rows)
