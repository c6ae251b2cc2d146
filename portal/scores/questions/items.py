"""What the scores of several entries say about the questions of a task."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from portal.models import ScoreVector
from portal.scores.vectors import unpack_scores
from scoring.comparison.vectors import Floats
from scoring.item_analysis.items import disagreement, information, item_analysis
from scoring.metrics import METRIC_SETS, PAPER_SET


class QuestionFacts(NamedTuple):
    """Facts about one question; None: not known."""

    information: float  # 0 to 3: how much a reviewer learns from it
    mean: float | None  # score of the entries, 0 to 1
    discrimination: float | None  # −1 to 1
    disagreement: float | None  # mean range between the metric sets, 0 to 1
    answered: int  # entries
    gold_missing: bool  # whether its gold answer should be in its context, but is not


def question_facts(
    entries: Mapping[int, Sequence[int | None]],
    task: str,
    size: int,
    gold_missing: Collection[int] = (),
) -> list[QuestionFacts]:
    """Facts about each of the ``size`` questions of a task, for readers who may see all verdicts.

    ``entries``: by evaluation, the index of each question in its own data set; None: it is not
    there. ``gold_missing``: the questions whose gold answers are not in their contexts. One query.
    """
    vectors = ScoreVector.objects.filter(
        task_score__evaluation__in=entries, task_score__task=task
    ).order_by("task_score__evaluation")
    columns = ("task_score__metric_set", "task_score__evaluation", "scores")
    by_set: dict[str, list[Floats]] = {name: [] for name in METRIC_SETS}
    for metric_set, evaluation, packed in vectors.values_list(*columns):
        own = np.append(unpack_scores(packed), np.nan)
        places = [-1 if place is None else place for place in entries[evaluation]]
        if metric_set in by_set and max(places, default=-1) < len(own) - 1:
            by_set[metric_set].append(own[places])
    least = min(map(len, by_set.values()))
    scores = np.array([of_set[:least] for of_set in by_set.values()])
    scores = scores.reshape(len(by_set), least, size)
    found = item_analysis(scores[list(by_set).index(PAPER_SET)])
    apart = disagreement(scores)
    missing = np.array([index in gold_missing for index in range(size)], dtype=bool)
    order = information(found, apart, missing)
    return [
        QuestionFacts(
            float(order[index]),
            _known(1 - found.difficulty[index]),
            _known(found.discrimination[index]),
            _known(apart.range[index]),
            int(found.answered[index]),
            bool(missing[index]),
        )
        for index in range(size)
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
