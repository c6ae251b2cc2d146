"""The runs of a person, each with what tells it from others of the same model."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q

from portal.endpoint_runs.configuration.forms import STRATEGY_TITLES
from portal.models import EndpointRun, Evaluation, QuestionState, RunQuestion, TaskScore
from portal.scores.samples import percent_asked
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.endpoint.templates import Strategy
from scoring.metrics import PAPER_SET
from scoring.text.amounts import short_amount


class RunRow(NamedTuple):
    run: EndpointRun
    strategy: str
    window: str  # tokens
    asked: int  # questions that have ended
    planned: int  # questions drawn at the start; 0: it has not started
    score: float | None  # the mean of its tasks under the paper's rules, in percent
    tasks: int  # that have a score

    @property
    def percent(self) -> int:
        return percent_asked(self.asked, self.planned)

    @property
    def metric_set(self) -> MetricSetTitle:
        return METRIC_SET_TITLES[PAPER_SET]


def run_rows(runs: Sequence[EndpointRun]) -> list[RunRow]:
    """Three queries. Scores of hidden releases are left out."""
    is_ended = Q(state=QuestionState.ENDED)
    counts = RunQuestion.objects.filter(run__in=runs).order_by().values_list("run")
    asked = {
        run: (ended, planned)
        for run, ended, planned in counts.annotate(
            ended=Count("pk", filter=is_ended), planned=Count("pk")
        )
    }
    submissions = [run.submission_id for run in runs if not run.release.hidden]
    evaluations = Evaluation.objects.filter(submission__in=submissions).scored().newest_of_each()
    means: dict[object, list[float]] = {}
    scores = TaskScore.objects.filter(evaluation__in=evaluations, metric_set=PAPER_SET)
    for submission, mean in scores.order_by().values_list("evaluation__submission", "mean"):
        means.setdefault(submission, []).append(mean)
    rows = []
    for run in runs:
        own = means.get(run.submission_id, [])
        title, _meaning = STRATEGY_TITLES[Strategy(run.settings.get("strategy", Strategy.DIRECT))]
        rows.append(
            RunRow(
                run,
                title,
                short_amount(run.settings.get("window", 0)),
                *asked.get(run.pk, (0, 0)),
                sum(own) / len(own) if own else None,
                len(own),
            )
        )
    return rows
