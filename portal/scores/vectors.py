"""The stored scores of evaluations as vectors, for comparisons.

For readers who may see the verdicts of all of them: a difference of vectors discloses verdicts.
"""

import zlib
from collections.abc import Collection, Hashable, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from django.db.models import TextField
from django.db.models.functions import MD5, Cast
from numpy.typing import NDArray

from portal.models import Example, ScoreVector, TaskDataSet
from portal.scores.designs import designs_of
from scoring.catalog import TASKS
from scoring.comparison.vectors import Floats, Ints, TaskVector

Vectors = Mapping[str, TaskVector]  # by task


def _codes(values: Sequence[Hashable]) -> Ints:
    """Numbers for values: equal values always have the same one, in every process."""
    known = {
        value: int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest(), signed=True)
        for value in set(values)
    }
    return np.array([known[value] for value in values], dtype=np.int64)


def read_vectors(evaluations: Collection[int], metric_set: str) -> dict[int, dict[str, TaskVector]]:
    """By evaluation and task; without those that have none stored, and without questions that were
    not asked. Three queries.

    The same question with the same label has the same code in all data sets.
    """
    rows = ScoreVector.objects.filter(
        task_score__evaluation__in=evaluations, task_score__metric_set=metric_set
    )
    columns = ("task_score__evaluation", "task_score__task", "task_score__data_set", "scores")
    stored = list(rows.order_by("task_score").values_list(*columns))
    data_sets = TaskDataSet.objects.in_bulk({data_set for _, _, data_set, _ in stored})
    codes = _question_codes([data_sets[one] for one in sorted(data_sets)])
    found: dict[int, dict[str, TaskVector]] = {}
    for evaluation, task, data_set, packed in stored:
        vector = TaskVector(
            unpack_scores(packed), *codes[data_set], fractional=TASKS[task].fractional
        )
        asked = ~np.isnan(vector.scores)
        found.setdefault(evaluation, {})[task] = vector if asked.all() else _part(vector, asked)
    return found


def on_shared_questions(a: Vectors, b: Vectors) -> tuple[Vectors, Vectors]:
    """Both, reduced to the questions that both have with equal labels, and to tasks that share
    any."""
    shared = [
        task for task in a if task in b and np.isin(a[task].questions, b[task].questions).any()
    ]

    def part(one: Vectors, other: Vectors) -> Vectors:
        return {
            task: _part(one[task], np.isin(one[task].questions, other[task].questions))
            for task in shared
        }

    return part(a, b), part(b, a)


def _part(vector: TaskVector, chosen: NDArray[np.bool_]) -> TaskVector:
    return vector._replace(
        scores=vector.scores[chosen],
        questions=vector.questions[chosen],
        texts=vector.texts[chosen],
        strata=vector.strata[chosen],
    )


def unpack_scores(packed: bytes | memoryview) -> Floats:
    """The reverse of ``portal.scores.estimates.pack_scores``."""
    return np.frombuffer(zlib.decompress(packed), dtype="<f8")


def mean_vectors(runs: Sequence[Mapping[str, TaskVector]]) -> dict[str, TaskVector]:
    """By task, the mean score of every question over runs on the same data sets."""
    first, *others = runs
    return {
        task: vector._replace(
            scores=np.mean([vector.scores, *(one[task].scores for one in others)], axis=0),
            fractional=True,
        )
        for task, vector in first.items()
        if all(task in one for one in others)
    }


def _question_codes(data_sets: Sequence[TaskDataSet]) -> dict[int, tuple[Ints, Ints, Ints]]:
    """By primary key of the data set: the codes of questions, texts and strata."""
    questions: dict[int, list[Hashable]] = {one.pk: [] for one in data_sets}
    rows = Example.objects.filter(data_set__in=questions).order_by("data_set", "index")
    label = MD5(Cast("label", TextField()))  # jsonb writes equal values as equal text
    for data_set, number, digest in rows.values_list("data_set", "question_number", label):
        own = questions[data_set]
        is_shared = number is not None  # with other data sets of the task
        own.append((number, digest) if is_shared else (data_set, len(own)))
    designs = designs_of(data_sets)
    found = {}
    for one in data_sets:
        named = [(one.task, question) for question in questions[one.pk]]
        design = designs[one.pk]
        found[one.pk] = (
            _codes(named),
            _codes(design.texts or named),
            _codes(design.strata) if design.strata else np.zeros(one.size, np.int64),
        )
    return found


def reported_vectors(
    reported: Mapping[str, Mapping[str, float]],
) -> dict[str, dict[str, TaskVector]]:
    """Vectors for numbers from publications, in percent, by key of the entry and task: right and
    wrong answers with the reported mean, to as many questions as the official data have.

    No other entry has their questions, so they count as independent of all others, and vary as much
    as scores with this mean can.
    """
    found: dict[str, dict[str, TaskVector]] = {}
    for entry, by_task in reported.items():
        next_code = int(_codes([entry])[0]) & ~0xFFFF  # leaves room for the questions of all tasks
        for task, percent in by_task.items():
            size = TASKS[task].examples
            right = percent * size / 100
            scores = np.clip(right - np.arange(size), 0.0, 1.0)
            codes = np.arange(next_code, next_code + size, dtype=np.int64)
            next_code += size
            strata = np.zeros(size, np.int64)
            vector = TaskVector(scores, codes, codes, strata, fractional=True)
            found.setdefault(entry, {})[task] = vector
    return found
