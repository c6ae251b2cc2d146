"""How much the scores of questions vary, by task: this decides the size of a sample."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

from django.db.models import OuterRef

from portal.models import Evaluation, Release, ScoreVector, Submission
from portal.scores.vectors import unpack_scores
from scoring.comparison.vectors import Floats
from scoring.endpoint.subsets import DEVIATIONS, DIFFERENCES, Precision, precision

_PRIOR = 2  # virtual entries (or pairs) with the deviations of the three released models
_METRIC_SET = "strict"


def task_deviations(release: Release) -> dict[str, float]:
    """By task, the deviation of the scores (0 to 1) of its questions under ``strict``: the root of
    the mean variance of the published entries and of two virtual ones, which vary as the released
    models do.

    The two keep a task that all entries solve, or fail, in a sample; with many entries they hardly
    matter. The scores of hidden releases are not read, since the size of a sample is public.
    """
    variances = (
        (task, sum(float(one.var(ddof=1)) for one in vectors), len(vectors))
        for (task, _), vectors in _vectors(release).items()
    )
    return _pooled(variances, DEVIATIONS)


def difference_deviations(release: Release) -> dict[str, float]:
    """The same for the difference between two entries on one question, over all pairs of entries
    with the same questions.

    It does not go through the pairs: the variances of the differences of k entries add up to k
    times the sum of their variances less the variance of their sum.
    """
    return _pooled(_pair_variances(release), DIFFERENCES)


def sample_precision(release: Release, counts: Mapping[str, int]) -> Precision:
    """What so many questions of each task can tell."""
    return precision(counts, task_deviations(release), difference_deviations(release))


def _pooled(
    found: Iterator[tuple[str, float, int]], prior: Mapping[str, float]
) -> dict[str, float]:
    """``found``: task, sum of variances, and their number."""
    sums = {task: _PRIOR * deviation**2 for task, deviation in prior.items()}
    counts = dict.fromkeys(prior, _PRIOR)
    for task, variances, number in found:
        sums[task] += variances
        counts[task] += number
    return {task: math.sqrt(sums[task] / counts[task]) for task in prior}


def _pair_variances(release: Release) -> Iterator[tuple[str, float, int]]:
    for (task, _), vectors in _vectors(release).items():
        k = len(vectors)
        each = sum(float(one.var(ddof=1)) for one in vectors)
        together = float(sum(vectors[1:], start=vectors[0]).var(ddof=1))
        yield task, k * each - together, k * (k - 1) // 2


def _vectors(release: Release) -> dict[tuple[str, int], list[Floats]]:
    """By task and data set, of the board's entries; without data sets of a single question."""
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
        if not math.isnan(scores.sum()):  # every question has a score
            found[task, data_set].append(scores)
    return found
