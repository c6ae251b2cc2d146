"""Read what breakdowns of an entry are made from. Nothing of a hidden release: its bins would
disclose verdicts."""

import struct
import zlib
from collections.abc import Collection, Hashable

from django.db.models import Q

from portal.models import Example, ExampleResult, ScoreVector
from scoring.breakdowns.answers import TaskAnswers
from scoring.catalog import TASKS
from scoring.releases.facets import Facets

_BLANK = r"^\s*$"
_COLUMNS = (
    *("data_set", "context", "tokens"),
    *("target_tokens", "ladder", "depth", "hops", "kind"),
)


def read_answers(
    evaluation: int, metric_set: str, tasks: Collection[str] = tuple(TASKS)
) -> dict[str, TaskAnswers]:
    """By task, in three queries; without tasks that the evaluation does not have. Empty for hidden
    releases. No prediction is loaded."""
    vectors = ScoreVector.objects.filter(
        task_score__evaluation=evaluation,
        task_score__metric_set=metric_set,
        task_score__task__in=tasks,
        task_score__evaluation__submission__release__hidden=False,
    )
    columns = ("task_score__task", "task_score__data_set", "scores")
    stored = {task: (data_set, packed) for task, data_set, packed in vectors.values_list(*columns)}
    facets: dict[int, list[Facets]] = {data_set: [] for data_set, _ in stored.values()}
    tokens: dict[int, list[int | None]] = {data_set: [] for data_set in facets}
    texts: dict[int, list[Hashable]] = {data_set: [] for data_set in facets}
    examples = Example.objects.filter(data_set__in=facets).order_by("data_set", "index")
    for data_set, text, length, *known in examples.values_list(*_COLUMNS):
        facets[data_set].append(Facets(*known))
        tokens[data_set].append(length)
        texts[data_set].append(text)
    missing: dict[str, set[int]] = {task: set() for task in stored}
    empty: dict[str, set[int]] = {task: set() for task in stored}
    results = ExampleResult.objects.filter(evaluation=evaluation, task__in=stored).order_by()
    without_answer = results.filter(Q(prediction=None) | Q(prediction__regex=_BLANK))
    for task, index, text in without_answer.values_list("task", "index", "prediction"):
        (missing if text is None else empty)[task].add(index)
    return {
        task: TaskAnswers(
            TASKS[task],
            _unpacked(stored[task][1]),
            facets[stored[task][0]],
            tokens[stored[task][0]],
            texts[stored[task][0]],
            frozenset(missing[task]),
            frozenset(empty[task]),
        )
        for task in TASKS
        if task in stored
    }


def _unpacked(packed: bytes | memoryview) -> tuple[float, ...]:
    """Scores as ``portal.scores.estimates.pack_scores`` writes them."""
    data = zlib.decompress(packed)
    return struct.unpack(f"<{len(data) // 8}d", data)
