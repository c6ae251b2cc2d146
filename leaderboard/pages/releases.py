"""Read a release from the database: its tasks, how long their texts are, what can be taken away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Aggregate, Count, IntegerField, Max, Min, Q

from portal.models import Example, Release, TaskDataSet
from portal.permissions import PublicFiles, public_files
from scoring.catalog import TASKS, Task


@dataclass(frozen=True, slots=True)
class Lengths:
    """Tokens of context and question together, over some examples."""

    examples: int
    shortest: int
    median: int
    longest: int
    estimated: bool  # of some of them at least


@dataclass(frozen=True, slots=True)
class ReleaseTask:
    task: Task
    data_set: TaskDataSet
    files: PublicFiles
    lengths: Lengths | None  # None: the texts are not known
    by_target: Mapping[int, Lengths]  # by the length that was asked for, where one was


@dataclass(frozen=True, slots=True)
class LengthRow:
    task: Task
    lengths: Lengths
    at_targets: Sequence[Lengths | None]


@dataclass(frozen=True, slots=True)
class LengthTable:
    targets: Sequence[str]  # as heads of columns
    rows: Sequence[LengthRow]

    @property
    def estimated(self) -> bool:
        return any(row.lengths.estimated for row in self.rows)


class _Median(Aggregate):
    """The lower one of two: a length that there is."""

    function = "PERCENTILE_DISC"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = IntegerField()


_MOST_TARGETS = 12  # columns
_FOUND = {
    "examples": Count("tokens"),
    "shortest": Min("tokens"),
    "median": _Median("tokens"),
    "longest": Max("tokens"),
    "some_estimated": Count("pk", filter=Q(tokens_estimated=True)),
}


def release_with_board(slug: str) -> Release | None:
    return Release.objects.with_boards().filter(slug=slug).first()


def files_of(release: Release) -> dict[str, PublicFiles]:
    """By task, in the order of the catalogue; in one query."""
    return {task: public_files(release, found) for task, found in _data_sets(release).items()}


def tasks_of(release: Release) -> list[ReleaseTask]:
    """In the order of the catalogue; in three queries."""
    wholes, targets = _lengths(release), _lengths(release, "target_tokens")
    return [
        ReleaseTask(
            TASKS[task],
            data_set,
            public_files(release, data_set),
            next((lengths for _, lengths in wholes.get(task, ())), None),
            {target: lengths for target, lengths in targets.get(task, ()) if target is not None},
        )
        for task, data_set in _data_sets(release).items()
    ]


def _data_sets(release: Release) -> dict[str, TaskDataSet]:
    found = release.data_sets.select_related("whole_file", "questions_file", "facets_file")
    data_sets = {data_set.task: data_set for data_set in found}
    return {task: data_sets[task] for task in TASKS if task in data_sets}


def table_of(tasks: Sequence[ReleaseTask]) -> LengthTable:
    """The lengths of those whose texts are known; with a column for each length asked for."""
    targets = sorted({target for one in tasks for target in one.by_target})
    shown = targets if len(targets) <= _MOST_TARGETS else []
    rows = [
        LengthRow(one.task, one.lengths, [one.by_target.get(target) for target in shown])
        for one in tasks
        if one.lengths
    ]
    return LengthTable([_short(target) for target in shown], rows)


def _short(tokens: int) -> str:
    return f"{tokens // 1_000}K" if tokens % 1_000 == 0 and tokens else f"{tokens:,}"


def _lengths(release: Release, *by: str) -> dict[str, list[tuple[int | None, Lengths]]]:
    """By task; for each value of a column, where one is named."""
    counted = Example.objects.filter(data_set__releases=release, tokens__isnull=False)
    groups = counted.order_by().values("data_set__task", *by).annotate(**_FOUND).order_by(*by)
    found: dict[str, list[tuple[int | None, Lengths]]] = {}
    for group in groups:
        value = group[by[0]] if by else None
        found.setdefault(group["data_set__task"], []).append((value, _told(group)))
    return found


def _told(group: Mapping[str, Any]) -> Lengths:
    return Lengths(
        group["examples"],
        group["shortest"],
        group["median"],
        group["longest"],
        estimated=group["some_estimated"] > 0,
    )
