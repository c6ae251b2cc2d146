"""What a release consists of, and which lengths and positions it covers: pictures and files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Case, Count, F, Func, IntegerField, Value, When

from leaderboard.charts.composition import Composition, Part, composition_finding, composition_of
from leaderboard.charts.coverage import Counted, Coverage, coverage_finding, coverage_of
from leaderboard.releases.queries import ReleaseTask
from portal.models import Example, Release
from portal.scores.disclosure import visible_facets
from portal.scores.titles import DOMAIN_TITLES
from portal.web.csv_files import csv_of_records
from scoring.catalog import BOARD_ORDER, Task

# Tokens at which the classes of lengths begin, each twice as long as the previous one.
_EDGES = (0, *(4_000 * 2**power for power in range(21)))
_DEPTHS = 5  # equal parts
Figures = dict[str, float | str | bool | None]


class CoverageFigure(NamedTuple):
    task: Task
    finding: str
    plot: Coverage
    unknown: int  # number of examples with neither known


class ReleaseFigures(NamedTuple):
    parts: Sequence[Part]
    composition: Composition
    finding: str
    input_tokens: float | None  # in one pass over all examples; None: unknown for some task
    coverage: Sequence[CoverageFigure]
    uncovered: Sequence[Task]  # tasks with neither length nor position known for any example


def release_figures(release: Release, tasks: Sequence[ReleaseTask]) -> ReleaseFigures | None:
    """None for a release without tasks. One query."""
    parts = composition(release, tasks)
    if not parts:
        return None
    counts = coverage(release)
    figures, uncovered = [], []
    for one in tasks:
        counted = counts.get(one.task.id, [])
        plot = coverage_of(counted)
        if plot is None:
            uncovered.append(one.task)
            continue
        unknown = sum(cell.n for cell in counted if cell.lengths is None and cell.depths is None)
        figures.append(CoverageFigure(one.task, coverage_finding(plot), plot, unknown))
    known = [part.input_tokens * part.examples for part in parts if part.input_tokens is not None]
    return ReleaseFigures(
        parts,
        composition_of(parts),
        composition_finding(parts),
        sum(known) if len(known) == len(parts) else None,
        figures,
        uncovered,
    )


def composition(release: Release, tasks: Sequence[ReleaseTask]) -> list[Part]:
    """In the order of the board. For a hidden release the length of answers is secret."""
    totals = {
        one.task.id: one.lengths.mean * one.data_set.size
        for one in tasks
        if one.lengths and one.lengths.examples == one.data_set.size
    }
    examples = sum(one.data_set.size for one in tasks)
    whole = sum(totals.values()) if len(totals) == len(tasks) else 0
    parts = []
    for one in tasks:
        size, tokens = one.data_set.size, one.data_set.answer_tokens
        is_counted = tokens is not None and not release.hidden
        part = Part(
            one.task,
            DOMAIN_TITLES[one.task.domain],
            size,
            one.lengths.mean if one.lengths else None,
            bool(one.lengths and one.lengths.estimated),
            (tokens or 0) / size if is_counted and size else None,
            is_counted and one.data_set.answer_tokens_estimated,
            100 * size / examples if examples else 0.0,
            100 * totals[one.task.id] / whole if whole else None,
        )
        parts.append(part)
    return parts


class _WidthBucket(Func):
    """Which of the classes between these edges a number falls into, counted from 1."""

    function = "WIDTH_BUCKET"
    output_field = IntegerField()


def coverage(release: Release) -> dict[str, list[Counted]]:
    """By task, in the order of the board: counts by target length, otherwise by class of length,
    and by depth unless that is secret. One query."""
    shows_depth = "depth" in visible_facets({"depth": None}, hidden=release.hidden, reviews=False)
    classes = _WidthBucket(F("tokens"), Value(list(_EDGES)))
    parts = _WidthBucket(F("depth"), Value([part / _DEPTHS for part in range(_DEPTHS)]))
    found = (
        Example.objects.filter(data_set__releases=release)
        .annotate(
            length=Case(When(target_tokens=None, then=classes), default=None),
            part=parts if shows_depth else Value(None, IntegerField()),
        )
        .order_by("target_tokens", "length", "part")
        .values_list("data_set__task", "target_tokens", "length", "part")
        .annotate(n=Count("pk"))
    )
    counts: dict[str, list[Counted]] = {}
    for task, target, length, place, n in found:
        lengths = (target, target) if target else length and (_EDGES[length - 1], _EDGES[length])
        depths = place and (round((place - 1) / _DEPTHS, 6), round(place / _DEPTHS, 6))
        counts.setdefault(task, []).append(Counted(lengths, depths, n))
    return {task: counts[task] for task in BOARD_ORDER if task in counts}


def composition_csv(parts: Iterable[Part]) -> str:
    """A header, and a row for each task; lengths are averages in tokens, shares in percent."""
    rows: list[Figures] = [
        {
            "task": part.task.id,
            "title": part.task.title,
            "domain": part.task.domain,
            "examples": part.examples,
            "share": round(part.share, 6),
            "input_tokens": part.input_tokens,
            "input_estimated": part.input_estimated,
            "input_share": part.input_share,
            "output_tokens": part.output_tokens,
            "output_estimated": part.output_estimated,
        }
        for part in parts
    ]
    return csv_of_records(rows)


def coverage_csv(counts: Mapping[str, Sequence[Counted]]) -> str:
    """A header, and a row for each cell with examples; unknown values are empty."""
    return csv_of_records(
        [{"task": task, **cell_figures(one)} for task in counts for one in counts[task]]
    )


def cell_figures(one: Counted) -> Figures:
    """Under their names in files."""
    lengths, depths = one.lengths or (None, None), one.depths or (None, None)
    return {
        "tokens_from": lengths[0],
        "tokens_to": lengths[1],
        "depth_from": depths[0],
        "depth_to": depths[1],
        "n": one.n,
    }
