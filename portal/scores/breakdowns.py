"""Read the data for breakdowns of an entry. There are none for hidden releases, since their bins
would disclose verdicts."""

import math
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from django.db.models import TextField
from django.db.models.functions import MD5, Cast

from portal.models import Example, ExampleResult, ScoreVector, TaskDataSet
from portal.scores.vectors import unpack_scores
from scoring.breakdowns.answers import TaskAnswers
from scoring.catalog import TASKS
from scoring.releases.facets import NO_FACETS, Facets

_COLUMNS = (
    *("data_set", "context", "tokens"),
    *("target_tokens", "ladder", "depth", "hops", "kind"),
)


def read_answers(
    evaluation: int,
    metric_set: str,
    tasks: Collection[str] = tuple(TASKS),
    control: int | None = None,
) -> dict[str, TaskAnswers]:
    """By task, in three queries. Left out are tasks that the evaluation does not have or whose
    examples are not stored, and questions that were not asked. Empty for hidden releases. No
    prediction is loaded. ``control``: the evaluation of the same model with the evidence alone.

    For data sets that have only labels, up to two more queries add what is known about the same
    questions from official data with contexts.
    """
    vectors = ScoreVector.objects.filter(
        task_score__evaluation__in={evaluation, control or evaluation},
        task_score__metric_set=metric_set,
        task_score__task__in=tasks,
        task_score__evaluation__submission__release__hidden=False,
    )
    columns = ("evaluation", "task", "data_set")
    rows = vectors.values_list(*(f"task_score__{name}" for name in columns), "scores")
    stored: dict[str, tuple[int, bytes]] = {}
    controls: dict[tuple[str, int], bytes] = {}
    for own, task, data_set, packed in rows:
        if own == evaluation:
            stored[task] = data_set, packed
        else:
            controls[task, data_set] = packed
    examples = _read_examples({data_set for data_set, _ in stored.values()})
    missing, empty = _blank_answers(evaluation, stored)
    answers = {}
    for task in TASKS:
        if task not in stored or not examples[stored[task][0]].facets:
            continue
        data_set, packed = stored[task]
        known = examples[data_set]
        scores = unpack_scores(packed).tolist()
        asked = [index for index, score in enumerate(scores) if not math.isnan(score)]
        answers[task] = TaskAnswers(
            TASKS[task],
            tuple(scores[index] for index in asked),
            [known.facets[index] for index in asked],
            [known.tokens[index] for index in asked],
            [known.texts[index] for index in asked],
            frozenset(n for n, index in enumerate(asked) if index in missing[task]),
            frozenset(n for n, index in enumerate(asked) if index in empty[task]),
            _control_scores(controls.get((task, data_set)), asked),
        )
    return answers


class _Examples(NamedTuple):
    """The examples of a data set, in their order."""

    facets: list[Facets]
    tokens: list[int | None]
    texts: list[Hashable]


def _read_examples(data_sets: Collection[int]) -> dict[int, _Examples]:
    """By primary key of the data set."""
    found = {data_set: _Examples([], [], []) for data_set in data_sets}
    examples = Example.objects.filter(data_set__in=data_sets).order_by("data_set", "index")
    for data_set, text, length, *known in examples.values_list(*_COLUMNS):
        own = found[data_set]
        own.facets.append(Facets(*known))
        own.tokens.append(length)
        own.texts.append(text)
    only_labels = {data_set for data_set, own in found.items() if not any(own.tokens)}
    for data_set, index, length, elsewhere in known_elsewhere(only_labels):
        own = found[data_set]
        own.tokens[index] = length
        if own.facets[index] == NO_FACETS:
            own.facets[index] = elsewhere
    return found


def _blank_answers(
    evaluation: int, tasks: Collection[str]
) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """By task, the indices of examples without a prediction, and of those with an empty one."""
    missing: dict[str, set[int]] = {task: set() for task in tasks}
    empty: dict[str, set[int]] = {task: set() for task in tasks}
    results = ExampleResult.objects.filter(evaluation=evaluation, task__in=tasks).order_by()
    for task, index, text in results.blank().values_list("task", "index", "prediction"):
        (missing if text is None else empty)[task].add(index)
    return missing, empty


def _control_scores(packed: bytes | None, asked: Sequence[int]) -> list[float] | None:
    """The control's scores of these examples; None if it was not asked all of them."""
    if packed is None:
        return None
    scores = unpack_scores(packed).tolist()
    found = [scores[index] for index in asked]
    return None if any(map(math.isnan, found)) else found


def known_elsewhere(data_sets: Collection[int]) -> Iterator[tuple[int, int, int, Facets]]:
    """Data set, index, tokens and facets of those examples whose question, with the same label, is
    also in public official data with contexts."""
    tasks = TaskDataSet.objects.filter(pk__in=data_sets).values("task")
    official = TaskDataSet.objects.filter(releases__official=True, releases__hidden=False)
    with_contexts = official.filter(task__in=tasks, whole_file__isnull=False)
    others = set(with_contexts.values_list("pk", flat=True)) if data_sets else set()
    if not others:
        return
    rows = Example.objects.filter(data_set__in={*data_sets, *others}, question_number__isnull=False)
    found = rows.order_by().values_list(
        *("data_set__task", "question_number", MD5(Cast("label", TextField()))),
        *("data_set", "index", "tokens", "depth", "hops", "kind"),
    )
    questions: dict[tuple[str, int, str], list[tuple[int, int]]] = {}
    known: dict[tuple[str, int, str], tuple[int, Facets]] = {}
    for task, number, digest, data_set, index, tokens, depth, hops, kind in found:
        question = task, number, digest
        if data_set in others and tokens is not None:
            known[question] = tokens, Facets(depth=depth, hops=hops, kind=kind)
        elif data_set in data_sets:
            questions.setdefault(question, []).append((data_set, index))
    for question in questions.keys() & known.keys():
        for data_set, index in questions[question]:
            yield data_set, index, *known[question]
