"""All endpoint runs that have started, for admins: what they use, and what may be done about them.
Neither questions nor answers, and no key."""

from typing import NamedTuple

from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from portal.endpoint_runs.keys import host_of
from portal.endpoint_runs.progress.figures import RECENT, SOONEST, cost_of
from portal.endpoint_runs.progress.sentences import overseen_sentence
from portal.endpoint_runs.services import why_not
from portal.models import EndpointRun, RunAction, RunFailure, RunQuestion, RunState, User

RUNNING_FIRST = Case(
    When(state=RunState.RUNNING, then=Value(0)), When(state=RunState.PAUSED, then=Value(1)),
    default=Value(2),
)  # fmt: skip


class OverseenRun(NamedTuple):
    run: EndpointRun
    ended: int  # questions
    total: int
    per_minute: float | None  # None: it is not running, or nothing is known yet
    failures: int  # attempts without an answer
    may: frozenset[RunAction]

    @property
    def host(self) -> str:
        return host_of(str(self.run.settings.get("url", "")))

    @property
    def sentence(self) -> str:
        return overseen_sentence(self.run)

    @property
    def tokens(self) -> int:
        return self.run.input_tokens + self.run.output_tokens

    @property
    def cost(self) -> float | None:
        return cost_of(self.run)


def started_runs() -> QuerySet[EndpointRun]:
    """Without drafts, which are their owners' business alone."""
    started = EndpointRun.objects.with_standing().exclude(state=RunState.DRAFT)
    return started.select_related("owner", "language_model", "release")


def overseen_runs(runs: list[EndpointRun], user: User) -> list[OverseenRun]:
    """Two queries."""
    lately = Q(attempts__gt=0, ended_at__gte=Now() - RECENT)
    lately &= Q(ended_at__gte=F("run__resumed"))
    counts = (
        RunQuestion.objects.filter(run__in=runs)
        .order_by()
        .values_list("run")
        .annotate(
            total=Count("pk"),
            ended=Count("pk", filter=Q(ended_at__isnull=False)),
            recent=Count("pk", filter=lately),
            now=Now(),
        )
    )
    by_run = {run: about for run, *about in counts}
    failed = RunFailure.objects.filter(run__in=runs).order_by().values_list("run")
    failures = dict(failed.annotate(n=Count("pk")))
    rows = []
    for run in runs:
        total, ended, recent, now = by_run.get(run.pk, (0, 0, 0, None))
        rate = None
        if run.state == RunState.RUNNING and run.resumed and now:
            span = min(RECENT, now - run.resumed)
            rate = 60 * recent / span.total_seconds() if span >= SOONEST else None
        may = {one for one in (RunAction.PAUSE, RunAction.STOP) if not why_not(run, one, user)}
        rows.append(OverseenRun(run, ended, total, rate, failures.get(run.pk, 0), frozenset(may)))
    return rows
