"""Labels as disputes propose them, and the scores that answers would have with these."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.db.models.functions import Left

from portal.models import Example, ExampleResult, LabelDispute, TaskScore
from portal.scores.vectors import unpack_scores
from scoring.catalog import Task
from scoring.metrics import score_example
from scoring.stats import mean_percent


class Correction(NamedTuple):
    """Of one example."""

    label: object  # None: the question is left out
    options: tuple[str, ...]


Corrections = Mapping[int, Mapping[int, Correction]]  # by the number of the data set, and index


class Rescored(NamedTuple):
    """The score of a task, in percent."""

    before: float
    after: float
    changed: int  # answers whose own score would be another


def corrections_of(disputes: Iterable[LabelDispute]) -> dict[int, dict[int, Correction]]:
    """What the disputes propose; of several about the same question the last. A query for each."""
    found: dict[int, dict[int, Correction]] = {}
    for dispute in disputes:
        for example in Example.objects.same_as(dispute.example):
            of_set = found.setdefault(example.data_set_id, {})
            of_set[example.index] = Correction(dispute.proposed_label, tuple(example.options))
    return found


def rescore(
    task: Task, metric_set: str, evaluations: Collection[int], corrections: Corrections
) -> dict[int, Rescored]:
    """By evaluation, those that were scored with the data that are corrected. Two queries.

    Only answers to corrected questions are judged; all others have the scores that are stored,
    which is what judging them again would give.
    """
    stored = TaskScore.objects.filter(
        evaluation__in=evaluations,
        task=task.id,
        metric_set=metric_set,
        data_set__in=corrections,
        vector__isnull=False,
    )
    columns = ("evaluation", "data_set", "mean", "vector__scores")
    rows = list(
        stored.order_by().values_list(*columns, "evaluation__submission__drop_first", named=True)
    )
    texts = _answers(task, [row.evaluation for row in rows], corrections)
    found = {}
    for row in rows:
        before = unpack_scores(row.vector__scores).tolist()
        after = dict(enumerate(before))
        for index, correction in corrections[row.data_set].items():
            if correction.label is None:
                del after[index]
            else:
                text = texts.get((row.evaluation, index))
                drop_first = row.evaluation__submission__drop_first
                after[index] = _score(task, metric_set, text, correction, drop_first=drop_first)
        percent = mean_percent(list(after.values()))
        if percent is not None:
            changed = sum(after.get(index, score) != score for index, score in enumerate(before))
            found[row.evaluation] = Rescored(row.mean, percent, changed)
    return found


def _score(
    task: Task, metric_set: str, text: str | None, correction: Correction, *, drop_first: bool
) -> float:
    """0 to 1. A missing prediction counts 0."""
    if text is None:
        return 0.0
    verdict = score_example(
        metric_set,
        task.id,
        text,
        correction.label,
        options=correction.options,
        drop_first=drop_first,
    )
    return verdict.score


def _answers(
    task: Task, evaluations: Collection[int], corrections: Corrections
) -> dict[tuple[int, int], str]:
    """To the corrected questions, by evaluation and index, as far as they are scored; without
    missing ones."""
    indices = {index for of_set in corrections.values() for index in of_set}
    results = ExampleResult.objects.filter(
        evaluation__in=evaluations, task=task.id, index__in=indices, prediction__isnull=False
    ).annotate(scored=Left("prediction", task.prediction_cap))
    rows = results.order_by().values_list("evaluation", "index", "scored")
    return {(evaluation, index): text for evaluation, index, text in rows}
