"""Repeated runs: entries that differ in nothing that their author has stated.

A board has one line for all of them, with the mean of their scores: the best one would be there by
luck.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from statistics import fmean
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, OuterRef

from portal.models import Evaluation, ScoreVector, Submission, TaskDataSet, TaskScore
from portal.scores.designs import designs_of
from portal.scores.scores import ByTask, Score
from portal.scores.vectors import unpack_scores
from scoring.catalog import TASKS
from scoring.intervals import covariance, estimate
from scoring.stats import run_variance, standard_error

Runs = tuple[int, ...]  # evaluations, ascending

_SETUP = (
    *("owner", "language_model", "method", "release"),
    *("prompt_strategy", "truncation", "input_limit", "output_limit", "drop_first"),
)


def runs_key(runs: Runs) -> str:
    """What a comparison knows the mean of these runs by."""
    return f"runs-{'-'.join(map(str, runs))}"


def repeated_runs(release: str) -> list[Runs]:
    """Those on the board of the release with this slug; none of a hidden one. In one query where
    there are none.

    Runs have the same author, language model, method, settings and data, and none is a later
    version of another. Where a setting is not stated, nobody knows whether it was the same.
    """
    published = Submission.objects.on_board_of(release, official=False)
    comparable = published.with_known_settings().filter(release__hidden=False).order_by()
    groups = comparable.values(*_SETUP).annotate(count=Count("pk"), pks=ArrayAgg("pk"))
    by_setup: list[list[UUID]] = [row["pks"] for row in groups.filter(count__gt=1)]
    if not by_setup:
        return []
    setups = {pk: number for number, pks in enumerate(by_setup) for pk in pks}
    current = Evaluation.objects.current_of(OuterRef("pk"))
    rows = Submission.objects.filter(pk__in=setups).annotate(current=current)
    evaluations = dict(rows.filter(current__isnull=False).values_list("pk", "current"))
    scores = TaskScore.objects.filter(evaluation__in=evaluations.values()).order_by()
    data_sets = dict(
        scores.values_list("evaluation").annotate(
            data_sets=ArrayAgg("data_set", distinct=True, order_by="data_set")
        )
    )
    later = _with_later_versions(setups)
    found: dict[Hashable, list[int]] = defaultdict(list)
    for pk, evaluation in evaluations.items():
        if pk not in later:
            found[setups[pk], *data_sets.get(evaluation, ())].append(evaluation)
    return sorted(tuple(sorted(runs)) for runs in found.values() if len(runs) > 1)


def _with_later_versions(setups: dict[UUID, int]) -> set[UUID]:
    """Of submissions with the number of their setup: those with a later version of the same one."""
    owners = Submission.objects.filter(pk__in=setups).values("owner")
    versions = Submission.objects.filter(owner__in=owners, previous__isnull=False)
    previous = dict(versions.order_by().values_list("pk", "previous"))

    def earlier(pk: UUID) -> Iterator[UUID]:
        while found := previous.get(pk):
            yield (pk := found)

    return {one for pk in setups for one in earlier(pk) if setups.get(one) == setups[pk]}


def scores_of_runs(runs: Runs, metric_set: str) -> ByTask:
    """The means of all runs with their intervals, which hold for the questions and for these runs;
    and how much a single run varies."""
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
