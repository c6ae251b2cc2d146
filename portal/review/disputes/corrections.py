"""Labels that disputes propose, and the scores that answers would have with them."""

import hashlib
import json
import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

from django.core.cache import caches
from django.db.models.functions import Left

from portal.models import Example, ExampleResult, LabelDispute, TaskScore, at_places
from portal.scores.vectors import unpack_scores
from scoring import __version__
from scoring.catalog import Task
from scoring.metrics import score_example
from scoring.stats import mean_percent

_KEPT = 7 * 24 * 3600  # seconds
_CHUNK = 16  # answers in memory: each may be a megabyte


class Correction(NamedTuple):
    """The correction of one example."""

    label: object  # None: the question is left out
    options: tuple[str, ...]
    answer_type: str = ""


Corrections = Mapping[int, Mapping[int, Correction]]  # by data set (primary key) and index


class Rescored(NamedTuple):
    """The score of a task, in percent."""

    before: float
    after: float
    changed: int  # answers whose own score would change


def corrections_of(disputes: Iterable[LabelDispute]) -> dict[int, dict[int, Correction]]:
    """What the disputes propose; the last counts if several are about the same label. One query."""
    found: dict[int, dict[int, Correction]] = {}
    for example, dispute in disputed_examples(disputes):
        of_set = found.setdefault(example.data_set_id, {})
        of_set[example.index] = Correction(
            dispute.proposed_label, tuple(example.options), example.answer_type
        )
    return found


def disputed_examples(disputes: Iterable[LabelDispute]) -> list[tuple[Example, LabelDispute]]:
    """Every example that they are about, in all data sets, with the last of its disputes."""
    last = {_question(one.example): one for one in disputes}
    found = Example.objects.same_as(*(one.example for one in last.values()))
    examples = found.select_related("data_set").defer("question", "evidence")
    return [(one, last[_question(one)]) for one in examples if _question(one) in last]


def _question(example: Example) -> Hashable:
    """Equal for the same question with the same label."""
    if example.question_number is None:
        return example.pk
    label = json.dumps(example.label, sort_keys=True)
    return example.data_set.task, example.question_number, label


def rescore(
    task: Task, metric_set: str, evaluations: Collection[int], corrections: Corrections
) -> dict[int, Rescored]:
    """By evaluation, for those that were scored with the corrected data sets. Two queries.

    Only answers to corrected questions are judged; all others keep their stored scores, which is
    what judging them again would give. Cached, since neither answers nor labels change.
    """
    asked = (__version__, task.id, metric_set, sorted(evaluations), sorted(corrections.items()))
    name = f"rescored/{hashlib.sha256(repr(asked).encode()).hexdigest()}"
    found: dict[int, Rescored] | None = caches["results"].get(name)
    if found is None:
        found = _rescore(task, metric_set, evaluations, corrections)
        caches["results"].set(name, found, _KEPT)
    return found


def _rescore(
    task: Task, metric_set: str, evaluations: Collection[int], corrections: Corrections
) -> dict[int, Rescored]:
    stored = TaskScore.objects.filter(
        evaluation__in=evaluations,
        task=task.id,
        metric_set=metric_set,
        data_set__in=corrections,
        vector__isnull=False,
    )
    columns = ("evaluation", "data_set", "mean", "vector__scores")
    drop_first = "evaluation__submission__drop_first"
    rows = list(stored.order_by().values_list(*columns, drop_first, named=True))
    asked = {row.evaluation: (corrections[row.data_set], getattr(row, drop_first)) for row in rows}
    judged = _judged(task, metric_set, asked)
    found = {}
    for row in rows:
        before = unpack_scores(row.vector__scores).tolist()
        after = {index: score for index, score in enumerate(before) if not math.isnan(score)}
        for index, correction in corrections[row.data_set].items():
            if index not in after:  # it was not asked
                continue
            if correction.label is None:
                del after[index]
            else:
                after[index] = judged.get((row.evaluation, index), 0.0)
        percent = mean_percent(list(after.values()))
        if percent is not None:
            changed = sum(score != before[index] for index, score in after.items())
            found[row.evaluation] = Rescored(row.mean, percent, changed)
    return found


def _judged(
    task: Task, metric_set: str, asked: Mapping[int, tuple[Mapping[int, Correction], bool]]
) -> dict[tuple[int, int], float]:
    """By evaluation and index, the scores (0 to 1) of answers under the corrected labels; missing
    answers are left out. ``asked``: by evaluation, the corrections and ``drop_first``."""
    indices = {index for corrections, _ in asked.values() for index in corrections}
    results = ExampleResult.objects.filter(
        at_places(indices), evaluation__in=asked, task=task.id, prediction__isnull=False
    ).annotate(scored=Left("prediction", task.prediction_cap))
    found = {}
    rows = results.order_by().values_list("evaluation", "index", "scored")
    for evaluation, index, text in rows.iterator(chunk_size=_CHUNK):
        corrections, drop_first = asked[evaluation]
        correction = corrections.get(index)
        if correction and correction.label is not None:
            found[evaluation, index] = score_example(
                metric_set,
                task.id,
                text,
                correction.label,
                options=correction.options,
                drop_first=drop_first,
                answer_type=correction.answer_type,
            ).score
    return found
