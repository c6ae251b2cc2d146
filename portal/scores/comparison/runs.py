"""Repeated runs: entries that were made in the same way, as far as that is known.

For uploaded files, that is what their author has stated. Runs by this site are compared by all of
their settings, and never with files. A board has one line for all repeated runs, with the mean of
their scores: the best one would be there by luck.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple
from uuid import UUID

from django.db.models import OuterRef

from portal.models import (
    SETTINGS_DIGEST,
    Evaluation,
    ScoreVector,
    Submission,
    TaskDataSet,
    TaskScore,
)
from portal.models.submission import NOT_STATED, SubmissionQuerySet
from portal.scores.designs import designs_of
from portal.scores.samples import samples_among
from portal.scores.scores import ByTask, Score
from portal.scores.vectors import unpack_scores
from scoring.catalog import TASKS
from scoring.intervals import covariance, estimate
from scoring.stats import run_variance, standard_error

Runs = tuple[int, ...]  # evaluations, ascending

SETTINGS = ("prompt_strategy", "truncation", "input_limit", "output_limit")
SETUP = (  # of a submission
    *("owner", "language_model__slug", "method", "drop_first", "settings_digest"),
    *SETTINGS,
)


class Run(NamedTuple):
    submission: UUID
    evaluation: int
    setup: tuple[Hashable, ...]  # the values of ``SETUP``
    data_sets: frozenset[int]


def runs_key(runs: Runs) -> str:
    """The key of the mean of these runs in comparisons."""
    return f"runs-{'-'.join(map(str, runs))}"


def repeated_runs(published: SubmissionQuerySet) -> list[Runs]:
    """The repeated runs among submissions to one release; none on a hidden one. Three queries, and
    a fourth if there are any. A run that has not asked everything is never a repeated one."""
    uploaded = published.filter(release__hidden=False, origin=Submission.Origin.UPLOADED)
    comparable = uploaded.with_known_settings()
    current = Evaluation.objects.current_of(OuterRef("pk"))
    annotated = comparable.order_by().annotate(current=current, settings_digest=SETTINGS_DIGEST)
    rows = annotated.values_list("pk", "current", *SETUP)
    if not rows:
        return []
    samples = samples_among([row[1] for row in rows if row[1] is not None])
    found = [row for row in rows if row[1] is not None and row[1] not in samples]
    of_evaluations = TaskScore.objects.filter(evaluation__in=[row[1] for row in found])
    data_sets: dict[int, set[int]] = defaultdict(set)
    for evaluation, data_set in of_evaluations.order_by().values_list("evaluation", "data_set"):
        data_sets[evaluation].add(data_set)
    return repeated_among(
        Run(pk, evaluation, tuple(setup), frozenset(data_sets[evaluation]))
        for pk, evaluation, *setup in found
    )


def repeated_among(runs: Iterable[Run]) -> list[Runs]:
    """Repeated runs have the same author, language model, method, settings and data, and
    none is a later version of another. A setting that is not stated may have differed, so such runs
    do not count. One query, if there are any."""
    groups: dict[Hashable, list[Run]] = defaultdict(list)
    for run in runs:
        if not any(value in NOT_STATED for value in run.setup[-len(SETTINGS) :]):
            groups[run.setup, run.data_sets].append(run)
    repeated = [group for group in groups.values() if len(group) > 1]
    if not repeated:
        return []
    setups = {run.submission: number for number, group in enumerate(repeated) for run in group}
    later = _with_later_versions(setups)
    newest = (
        [run.evaluation for run in group if run.submission not in later] for group in repeated
    )
    return sorted(tuple(sorted(found)) for found in newest if len(found) > 1)


def _with_later_versions(setups: dict[UUID, int]) -> set[UUID]:
    """Submissions that have a later version with the same setup. ``setups``: by submission, a
    number for its setup."""
    submissions = Submission.objects.order_by()
    owners = submissions.filter(pk__in=setups).values("owner")
    versions = submissions.filter(owner__in=owners, previous__isnull=False)
    previous = dict(versions.values_list("pk", "previous"))

    def earlier(pk: UUID) -> Iterator[UUID]:
        while found := previous.get(pk):
            yield (pk := found)

    return {one for pk in setups for one in earlier(pk) if setups.get(one) == setups[pk]}


class Errors(NamedTuple):
    """How a score of repeated runs varies: standard deviations, in points."""

    data: float  # with other questions: the part that all runs have in common
    run: float  # of a single run, when the same questions are asked again

    @property
    def single(self) -> float:
        """The standard deviation of a single run with other questions."""
        return math.hypot(self.data, self.run)


def errors_of(tasks: Collection[str], scores: ByTask, runs: int) -> Errors | None:
    """The errors of the unweighted mean of these tasks. ``scores``: from ``scores_of_runs``. None
    if a task is missing.

    By the law of total variance, the mean of k runs has the variance V = D + R/k, where R is the
    variance of a single run on the same questions (``scoring.stats.run_variance``). So V − R/k is
    an unbiased estimate of D: S. Wang, “Measuring all the noises of LLM evals” (arXiv 2512.21326).
    A negative estimate, which is chance, counts as 0.
    """
    found = [scores[task] for task in tasks if task in scores]
    if not found or len(found) < len(tasks):
        return None
    n = len(found)
    total = math.fsum(score.covariances.get(task, 0.0) for score in found for task in tasks) / n**2
    run = math.fsum(score.run_variance or 0.0 for score in found) / n**2
    return Errors(math.sqrt(max(0.0, total - run / runs)), math.sqrt(run))


def scores_of_runs(runs: Runs, metric_set: str) -> ByTask:
    """The means over these runs, with intervals for other questions but the same runs, and with the
    variance of a single run."""
    rows = ScoreVector.objects.filter(
        task_score__evaluation__in=runs, task_score__metric_set=metric_set
    )
    columns = ("task_score__task", "task_score__data_set", "task_score__answered", "scores")
    stored: dict[tuple[str, int], list[tuple[int, Sequence[float]]]] = defaultdict(list)
    for task, data_set, answered, packed in rows.order_by("task_score").values_list(*columns):
        stored[task, data_set].append((answered, unpack_scores(packed).tolist()))
    designs = designs_of(list(TaskDataSet.objects.filter(pk__in=[pk for _, pk in stored])))
    estimates, scores = {}, {}
    for (task, data_set), found in stored.items():
        vectors = [vector for _, vector in found]
        means = list(map(fmean, zip(*vectors, strict=True)))
        # A mean of right and wrong answers is neither.
        fractional = TASKS[task]._replace(fractional=True)
        estimated = estimate(fractional, means, designs[data_set])
        if estimated is None or len(found) < len(runs):
            continue
        estimates[task] = estimated
        scores[task] = Score(
            estimated.mean,
            standard_error(means),
            size=len(means),
            answered=min(answered for answered, _ in found),
            interval=estimated.interval,
            run_variance=run_variance(vectors),
        )
    return {
        task: score._replace(
            covariances={
                other: covariance(estimates[task], estimated)
                for other, estimated in estimates.items()
            }
        )
        for task, score in scores.items()
    }
