"""Read the data for the curves of a ladder. There are none for hidden releases: the scores at each
length would disclose verdicts."""

import math
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from portal.models import Example, Release, ScoreVector
from portal.scores.vectors import unpack_scores
from scoring.breakdowns.ladder import Rung, TaskLadder, task_ladder
from scoring.catalog import BOARD_ORDER
from scoring.comparison.vectors import Floats
from scoring.releases.design import depth_class

ON_LADDER = Q(ladder__isnull=False, target_tokens__isnull=False)


def public_ladders() -> QuerySet[Release, Release]:
    """Releases with boards that have questions at several lengths, the newest first."""
    lengths = (
        Example.objects.filter(ON_LADDER, data_set__releases=OuterRef("pk"))
        .order_by()
        .values("data_set__releases")
        .values_list(Count("target_tokens", distinct=True))
    )
    public = Release.objects.with_boards().filter(hidden=False)
    with_lengths = public.annotate(lengths=Subquery(lengths)).filter(lengths__gt=1)
    return with_lengths.order_by("-created", "-pk")


def read_ladder_tasks(slug: str) -> dict[str, TaskLadder]:
    """By task, in the order of boards. Empty for releases without a ladder and for hidden ones. One
    query."""
    examples = Example.objects.filter(
        ON_LADDER, data_set__releases__slug=slug, data_set__releases__hidden=False
    )
    columns = ("ladder", "index", "kind", "hops", "depth")
    grouped = examples.order_by().values_list("data_set__task", "target_tokens")
    found: dict[str, dict[int, Rung]] = {}
    arrays = {
        f"{one}_array": ArrayAgg(one, order_by=("ladder", "index"), default=[]) for one in columns
    }
    for task, length, *of_rung in grouped.annotate(**arrays):
        numbers, indices, kinds, hops, depths = of_rung
        classes = map(depth_class, depths)
        found.setdefault(task, {})[length] = Rung(
            numbers, indices, list(zip(kinds, hops, classes, strict=True))
        )
    ladders = {task: task_ladder(found[task]) for task in BOARD_ORDER if task in found}
    return {task: one for task, one in ladders.items() if one}


def read_ladder_scores(
    slug: str, evaluations: Collection[int], metric_set: str, tasks: Collection[str]
) -> Iterator[tuple[int, Mapping[str, Floats]]]:
    """For each evaluation, by task, the scores of all examples of the release's own data. Without
    evaluations that lack one of the tasks or were not asked every question. One query, with one
    evaluation in memory at a time."""
    vectors = ScoreVector.objects.filter(
        task_score__evaluation__in=evaluations,
        task_score__metric_set=metric_set,
        task_score__task__in=tasks,
        task_score__data_set__releases__slug=slug,
        task_score__data_set__releases__hidden=False,
    )
    columns = ("task_score__evaluation", "task_score__task", "scores")
    rows = vectors.order_by("task_score__evaluation").values_list(*columns)
    for evaluation, group in groupby(rows.iterator(), key=lambda row: row[0]):
        found = {task: unpack_scores(packed) for _, task, packed in group}
        if len(found) == len(tasks) and not any(math.isnan(one.sum()) for one in found.values()):
            yield evaluation, found
