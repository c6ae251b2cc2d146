"""What a score costs: the scores of runs by this site against the tokens or the money that their
questions took."""

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from django.db.models import Avg, Case, Count, F, FloatField, OuterRef, Value, Variance, When
from django.db.models.expressions import Combinable

from portal.endpoint_runs.progress.figures import has_prices
from portal.endpoint_runs.progress.scope import has_fixed_questions
from portal.models import EndpointRun, Evaluation, Release, RunQuestion, Submission
from portal.scores.comparison.differences import ALPHA, difference_of_samples
from portal.scores.controls import control_of
from portal.scores.scores import mean_of, scores_by_set
from portal.scores.vectors import Vectors, read_vectors
from scoring.endpoint.run.records import ANSWERS
from scoring.endpoint.settings import Prices, settings_of
from scoring.intervals import Interval
from scoring.stats import Z_95

_MOST = 20  # runs, the newest ones


class Axis(StrEnum):
    """What a question costs."""

    TOKENS = "tokens"  # for a question, input and output together
    MONEY = "money"  # for 1,000 questions, by the author's prices


class Use(NamedTuple):
    """The mean over tasks, equally weighted."""

    mean: float
    error: float  # standard error

    @property
    def low(self) -> float:
        return max(self.mean / 100, self.mean - Z_95 * self.error)

    @property
    def high(self) -> float:
        return self.mean + Z_95 * self.error


class RunCost(NamedTuple):
    entry: str  # its id in addresses
    title: str
    strategy: str
    window: int
    use: Use
    day: date  # when it ended: its prices are of that day
    score: float  # percent
    interval: Interval | None
    is_sample: bool  # the score is an estimate from a part of the questions
    is_random: bool  # its questions were drawn at random; else they are a fixed handful
    dominated_by: str  # the title of a run that is certainly better and cheaper; empty: none is


class _Drawn(NamedTuple):
    cost: RunCost
    vectors: Vectors


def run_costs(
    release: Release, tasks: Collection[str], metric_set: str, axis: Axis = Axis.TOKENS
) -> list[RunCost]:
    """The newest published runs by this site that have scores of exactly these tasks, cheapest
    first; for readers who may see the verdicts. Smoke tests are left out, since their questions are
    the shortest. With ``Axis.MONEY``, only runs whose authors have stated prices.

    A run is dominated only if another, which is no control, has a better score and is cheaper, both
    significantly at a level for all pairs of runs together (Bonferroni).
    """
    published = Submission.objects.published().filter(release=release, endpoint_run__isnull=False)
    current = Evaluation.objects.current_of(OuterRef("pk"))
    found = published.annotate(current=current).exclude(current=None)
    newest = found.order_by("-created", "pk").select_related("language_model", "endpoint_run")
    with_runs = list(newest[:_MOST])
    uses = _uses_of([one.endpoint_run for one in with_runs], axis)
    evaluations = Evaluation.objects.prefetch_related("task_scores").in_bulk(
        [vars(one)["current"] for one in with_runs]
    )
    vectors = read_vectors(list(evaluations), metric_set)
    drawn: list[_Drawn] = []
    for submission in with_runs:
        run, evaluation = submission.endpoint_run, evaluations[vars(submission)["current"]]
        own = vectors.get(evaluation.pk, {})
        use = _mean_use(uses.get(run.pk, {}), tasks)
        score = mean_of(tasks, scores_by_set(evaluation, exact=True)[metric_set])
        if has_fixed_questions(run) and score and score.asked is not None:
            continue
        if own.keys() == set(tasks) and use and score:
            cost = RunCost(
                submission.entry_id,
                submission.title,
                str(run.settings.get("strategy", "")),
                int(run.settings.get("window", 0)),
                use,
                (run.ended or run.created).date(),
                score.percent,
                score.interval,
                is_sample=score.asked is not None,
                is_random=not has_fixed_questions(run),
                dominated_by="",
            )
            drawn.append(_Drawn(cost, own))
    level = ALPHA / max(1, len(drawn) * (len(drawn) - 1))
    costs = []
    for one in drawn:
        better = (
            other.cost.title
            for other in drawn
            if not control_of(other.cost.strategy, "")  # controls do not read long contexts
            and _is_cheaper(other.cost.use, one.cost.use, level)
            and _is_better(other, one, tasks, level)
        )
        costs.append(one.cost._replace(dominated_by=next(better, "")))
    return sorted(costs, key=lambda one: (one.use.mean, one.title))


def _uses_of(runs: Sequence[EndpointRun], axis: Axis) -> dict[UUID, dict[str, Use]]:
    """By run and task. One query."""
    use: Combinable = F("input_tokens") + F("output_tokens")
    if axis == Axis.MONEY:
        prices = {run.pk: settings_of(run.settings).prices for run in runs}
        runs = [run for run in runs if has_prices(prices[run.pk])]
        use = _money({run.pk: prices[run.pk] for run in runs})
    answered = RunQuestion.objects.filter(run__in=runs, outcome__in=ANSWERS).order_by()
    found: dict[UUID, dict[str, Use]] = {}
    for run, task, n, mean, variance in answered.values_list("run", "task").annotate(
        n=Count("pk"), mean=Avg(use), variance=Variance(use, sample=True)
    ):
        found.setdefault(run, {})[task] = Use(mean, math.sqrt((variance or 0.0) / n))
    return found


def _money(prices: Mapping[UUID, Prices]) -> Combinable:
    """The cost of 1,000 questions like the row's. ``prices``: by run, for a million tokens."""

    def price(each: Mapping[UUID, float]) -> Case:
        whens = [When(run=pk, then=Value(one / 1_000)) for pk, one in each.items()]
        return Case(*whens, default=Value(0.0), output_field=FloatField())

    cached = {
        pk: one.input if one.cached_input is None else one.cached_input
        for pk, one in prices.items()
    }
    return (
        (F("input_tokens") - F("cached_tokens")) * price({pk: p.input for pk, p in prices.items()})
        + F("cached_tokens") * price(cached)
        + F("output_tokens") * price({pk: p.output for pk, p in prices.items()})
    )


def _mean_use(by_task: Mapping[str, Use], tasks: Collection[str]) -> Use | None:
    """None if a task has no answer, or only answers whose tokens are unknown."""
    found = [by_task[task] for task in tasks if task in by_task and by_task[task].mean > 0]
    if not found or len(found) < len(tasks):
        return None
    error = math.sqrt(math.fsum(one.error**2 for one in found)) / len(found)
    return Use(math.fsum(one.mean for one in found) / len(found), error)


def _is_cheaper(one: Use, other: Use, level: float) -> bool:
    error = math.hypot(one.error, other.error)
    difference = other.mean - one.mean
    if not error:
        return difference > 0
    return difference > 0 and math.erfc(difference / error / math.sqrt(2)) < level


def _is_better(one: _Drawn, other: _Drawn, tasks: Collection[str], level: float) -> bool:
    """On the questions that both were asked."""
    is_random = one.cost.is_random and other.cost.is_random
    found = difference_of_samples(one.vectors, other.vectors, tasks, is_random=is_random)
    return bool(found and found.points > 0 and found.p is not None and found.p < level)
