"""The best and the worst answers of an entry, task by task, and why they score as they do.

Not for hidden releases: every line is a verdict.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import islice
from operator import or_
from typing import NamedTuple

from django.db.models import Q
from django.db.models.functions import Length

from portal.models import Evaluation, Example, ExampleResult, ScoreVector, at_places
from portal.scores.vectors import unpack_scores
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.keys import Key, canonical_key
from scoring.metrics import score_example

# Answers of a task. One is enough if scores are only right or wrong: the others are like it.
_OF_FRACTIONAL, _OF_OTHERS = 2, 1
_CANDIDATES = 4  # for each of them, since very long answers are left out
_LONGEST = 200_000  # characters


class Answer(NamedTuple):
    key: Key | None  # the id of the example
    percent: float
    reason: str  # empty: the stored score is from a scorer that judged differently


class Extremes(NamedTuple):
    task: Task
    best: Sequence[Answer]
    worst: Sequence[Answer]

    @property
    def answers(self) -> list[Answer]:
        """From the best to the worst."""
        return [*self.best, *reversed(self.worst)]


class _Scored(NamedTuple):
    """An answered example."""

    task: str
    place: int  # in its data set
    score: float  # 0 to 1


def best_and_worst(evaluation: Evaluation, metric_set: str) -> list[Extremes]:
    """In the order of boards, without tasks whose answers all score the same. Missing answers are
    not among the worst. Empty for hidden releases. Four queries."""
    data_sets, ranked = _ranked_answers(evaluation, metric_set)
    wanted = {}
    for task, places in ranked.items():
        most = _CANDIDATES * _count(task)
        wanted[task] = {one.place for one in (*places[:most], *places[-most:])}
    if not wanted:
        return []
    results = evaluation.example_results.annotate(length=Length("prediction"))
    chosen = (Q(at_places(indices), task=task) for task, indices in wanted.items())
    found = results.filter(reduce(or_, chosen), length__lte=_LONGEST)
    predictions = {
        (task, index): text
        for task, index, text in found.values_list("task", "index", "prediction")
    }
    examples = Example.objects.filter(
        reduce(or_, (Q(data_set=data_sets[task], index__in=wanted[task]) for task in wanted))
    )
    known = {(example.data_set_id, example.index): example for example in examples}

    def answer(scored: _Scored) -> Answer | None:
        prediction = predictions.get((scored.task, scored.place))
        example = known.get((data_sets[scored.task], scored.place))
        if prediction is None or example is None:
            return None
        verdict = score_example(
            metric_set,
            scored.task,
            prediction,
            example.label,
            options=example.options,
            drop_first=evaluation.submission.drop_first,
            answer_type=example.answer_type,
        )
        is_same = abs(verdict.score - scored.score) < 1e-9
        return Answer(
            canonical_key(example.key), 100 * scored.score, verdict.reason if is_same else ""
        )

    extremes = []
    for task, places in ranked.items():
        count = _count(task)
        best = list(islice(filter(None, map(answer, places[: _CANDIDATES * count])), count))
        others = (answer(one) for one in reversed(places[-_CANDIDATES * count :]))
        worst = list(islice((one for one in others if one and one not in best), count))
        if best or worst:
            extremes.append(Extremes(TASKS[task], best, worst))
    return extremes


def _count(task: str) -> int:
    return _OF_FRACTIONAL if TASKS[task].fractional else _OF_OTHERS


def _ranked_answers(
    evaluation: Evaluation, metric_set: str
) -> tuple[dict[str, int], dict[str, list[_Scored]]]:
    """By task: the primary key of its data set; and its answered examples, the best first."""
    vectors = ScoreVector.objects.filter(
        task_score__evaluation=evaluation,
        task_score__metric_set=metric_set,
        task_score__evaluation__submission__release__hidden=False,
    )
    columns = ("task_score__task", "task_score__data_set", "scores")
    stored = {task: (data_set, packed) for task, data_set, packed in vectors.values_list(*columns)}
    missing = set(
        ExampleResult.objects.filter(evaluation=evaluation, prediction=None)
        .blank()
        .order_by()
        .values_list("task", "index")
    )
    ranked = {}
    for task in BOARD_ORDER:
        if task in stored:
            scores = unpack_scores(stored[task][1]).tolist()
            places = [
                _Scored(task, index, score)
                for index, score in enumerate(scores)
                if (task, index) not in missing
            ]
            if len({one.score for one in places}) > 1:
                ranked[task] = sorted(places, key=lambda one: (-one.score, one.place))
    return {task: data_set for task, (data_set, _packed) in stored.items()}, ranked
