"""How much the scores of questions vary, by task: what the size of a sample follows from."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

from django.db.models import OuterRef

from portal.models import Evaluation, Release, ScoreVector, Submission
from portal.scores.vectors import unpack_scores
from scoring.comparison.vectors import Floats
from scoring.endpoint.subsets import DEVIATIONS, DIFFERENCES, Precision, precision

_PRIOR = 2  # so many entries (or pairs) with the deviations of the three released models
_METRIC_SET = "strict"


def task_deviations(release: Release) -> dict[str, float]:
    """Of the scores (0 to 1) of the questions of each task under ``strict``: the root of the mean
    variance of the published entries, and of two more that vary as the released models do.

    The two keep a task that all entries solve, or fail, in a sample; of a task with many entries
    they change nothing. Of hidden releases nothing is read: the size of a sample is public.
    """
    return _pooled(_variances(release), DEVIATIONS)


def difference_deviations(release: Release) -> dict[str, float]:
    """The same of the differences between two entries on one question, from all pairs of entries
    with the same questions.

    Without going through the pairs: of k entries the variances of their differences add up to k
    times the sum of their variances less the variance of their sum.
    """
    return _pooled(_pair_variances(release), DIFFERENCES)


def sample_precision(release: Release, counts: Mapping[str, int]) -> Precision:
    """What so many questions of each task can tell."""
    return precision(counts, task_deviations(release), difference_deviations(release))


def _pooled(
    found: Iterator[tuple[str, float, int]], prior: Mapping[str, float]
) -> dict[str, float]:
    """From the task, the sum of variances and their number."""
    sums = {task: _PRIOR * deviation**2 for task, deviation in prior.items()}
    counts = dict.fromkeys(prior, _PRIOR)
    for task, variances, number in found:
        sums[task] += variances
        counts[task] += number
    return {task: math.sqrt(sums[task] / counts[task]) for task in prior}


def _variances(release: Release) -> Iterator[tuple[str, float, int]]:
    for (task, _), vectors in _vectors(release).items():
        yield task, sum(float(one.var(ddof=1)) for one in vectors), len(vectors)


def _pair_variances(release: Release) -> Iterator[tuple[str, float, int]]:
    for (task, _), vectors in _vectors(release).items():
        k = len(vectors)
        each = sum(float(one.var(ddof=1)) for one in vectors)
        together = float(sum(vectors[1:], start=vectors[0]).var(ddof=1))
        yield task, k * each - together, k * (k - 1) // 2


def _vectors(release: Release) -> dict[tuple[str, int], list[Floats]]:
    """By task and data set, of the board's entries; without sets of a single question."""
    found: dict[tuple[str, int], list[Floats]] = defaultdict(list)
    if release.hidden:
        return found
    published = Submission.objects.on_board_of(release.slug, official=release.official)
    current = Evaluation.objects.current_of(OuterRef("pk"))
    rows = ScoreVector.objects.filter(
        task_score__evaluation__in=published.values_list(current),
        task_score__metric_set=_METRIC_SET,
        task_score__size__gt=1,
    )
    columns = ("task_score__task", "task_score__data_set", "scores")
    for task, data_set, packed in rows.values_list(*columns):
        scores = unpack_scores(packed)
        if not math.isnan(scores.sum()):  # of every question
            found[task, data_set].append(scores)
    return found
