"""How far a run has come and what it has used: a few aggregates, however many questions it has."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Aggregate, Count, F, FloatField, Func, IntegerField, Max, Q
from django.db.models.functions import Now

from portal.endpoint_runs.asking.spending import spent_by
from portal.endpoint_runs.progress.sentences import failure_sentence
from portal.models import EndpointRun, QuestionState, RunFailure, RunState
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.endpoint.run.records import Outcome
from scoring.endpoint.settings import Caps, Prices, settings_of
from scoring.text.amounts import short_amount

RECENT = timedelta(minutes=5)  # over which the rate is measured
SOONEST = timedelta(seconds=20)  # after the start: an earlier rate says nothing
_MOST_KINDS = 12  # of failures, each shown with its last example
_LENGTHS = (4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000)  # tokens

OUTCOME_TITLES: Mapping[str, str] = {
    Outcome.ANSWERED: "answered",
    Outcome.EMPTY: "empty",
    Outcome.REFUSED: "refused",
    Outcome.CUT: "cut at the output limit",
    Outcome.SKIPPED: "skipped",
    Outcome.ENDPOINT_FAILED: "failed by the endpoint",
    Outcome.OUR_FAILURE: "failed by us",
}


class TaskProgress(NamedTuple):
    task: str
    ended: int
    total: int
    outcomes: Mapping[str, int]

    @property
    def title(self) -> str:
        return TASKS[self.task].title


class Progress(NamedTuple):
    tasks: Sequence[TaskProgress]
    recent: int  # questions that were asked and ended in the last minutes
    in_flight: int
    now: datetime  # by the database's clock

    @property
    def ended(self) -> int:
        return sum(task.ended for task in self.tasks)

    @property
    def total(self) -> int:
        return sum(task.total for task in self.tasks)

    @property
    def outcomes(self) -> list[tuple[str, str, int]]:
        """All that occur; answers are listed even if there are none."""
        counts = [(name, title, self.count(name)) for name, title in OUTCOME_TITLES.items()]
        return [one for one in counts if one[2] or one[0] == Outcome.ANSWERED]

    def count(self, outcome: str) -> int:
        return sum(task.outcomes.get(outcome, 0) for task in self.tasks)

    def per_minute(self, run: EndpointRun) -> float | None:
        """Questions that were asked and ended, over the last minutes; None: not known yet."""
        if run.resumed is None:
            return None
        span = min(RECENT, self.now - run.resumed)
        return 60 * self.recent / span.total_seconds() if span >= SOONEST else None


def progress_of_run(run: EndpointRun) -> Progress:
    rows = (
        run.questions.order_by()
        .values_list("task", "state", "outcome")
        .annotate(
            n=Count("pk"),
            recent=Count(
                "pk",
                filter=Q(ended_at__gte=Now() - RECENT, attempts__gt=0)
                & (Q(ended_at__gte=run.resumed) if run.resumed else Q()),
            ),
            in_flight=Count("pk", filter=Q(reserved_input__isnull=False)),
            now=Now(),
        )
    )
    totals: dict[str, int] = {}
    outcomes: dict[str, dict[str, int]] = {}
    recent = in_flight = 0
    now = run.created
    for task, state, outcome, n, lately, flying, now in rows:  # noqa: B007 - the same in all rows
        totals[task] = totals.get(task, 0) + n
        recent, in_flight = recent + lately, in_flight + flying
        if state == QuestionState.ENDED:
            outcomes.setdefault(task, {})[outcome] = n
    tasks = [
        TaskProgress(task, sum(outcomes.get(task, {}).values()), total, outcomes.get(task, {}))
        for task in BOARD_ORDER
        if (total := totals.get(task))
    ]
    return Progress(tasks, recent, in_flight, now)


def never_asked(progress: Progress) -> list[str]:
    """The titles of the tasks that an ended run did not reach; empty if it asked nothing at all."""
    return [one.title for one in progress.tasks if not one.ended] if progress.ended else []


class Waits(NamedTuple):
    """The time to the first token of prompts of about the same length."""

    length: str  # in tokens: 4K – 8K
    n: int
    median: float  # seconds
    slow: float  # the 90th percentile


class _Percentile(Aggregate):
    function = "percentile_cont"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


class _Bucket(Func):
    """0 below the first of ``_LENGTHS``, 1 from there to the second, and so on."""

    function = "width_bucket"
    template = f"%(function)s(%(expressions)s, ARRAY{list(_LENGTHS)}::bigint[])"
    output_field = IntegerField()


def waits_by_length(run: EndpointRun) -> list[Waits]:
    streamed = run.questions.filter(first_token__isnull=False, counted__isnull=False).order_by()
    rows = streamed.values_list(_Bucket(F("counted"))).annotate(
        n=Count("pk"),
        median=_Percentile("first_token", share=0.5),
        slow=_Percentile("first_token", share=0.9),
    )
    return [Waits(_length(bucket), *figures) for bucket, *figures in sorted(rows)]


def _length(bucket: int) -> str:
    if bucket == 0:
        return f"< {short_amount(_LENGTHS[0])}"
    start = short_amount(_LENGTHS[bucket - 1])
    if bucket == len(_LENGTHS):
        return f"≥ {start}"
    return f"{start} – {short_amount(_LENGTHS[bucket])}"


class FailedAttempts(NamedTuple):
    """The failed attempts of one kind, with details of the last."""

    kind: str
    sentence: str
    attempts: int
    detail: str  # what the endpoint said
    task: str
    key: str
    at: datetime


def failures_of_run(run: EndpointRun) -> list[FailedAttempts]:
    """The most frequent kinds first."""
    kinds = run.failures.order_by().values_list("kind").annotate(n=Count("pk"), last=Max("pk"))
    counted = sorted(kinds, key=lambda row: (-row[1], row[0]))[:_MOST_KINDS]
    columns = ("pk", "detail", "question__task", "question__example__key", "at")
    last = RunFailure.objects.filter(pk__in=[row[2] for row in counted]).values_list(*columns)
    by_key = {pk: about for pk, *about in last}
    return [
        FailedAttempts(kind, failure_sentence(kind), n, detail, TASKS[task].title, str(key), at)
        for kind, n, pk in counted
        for detail, task, key, at in [by_key[pk]]
    ]


class Use(NamedTuple):
    """How much was used of something that may have a cap."""

    name: str
    title: str
    used: float
    cap: float | None

    @property
    def percent(self) -> int | None:
        """Over 100 if the endpoint counts the requests in flight differently than before."""
        return None if not self.cap else int(100 * self.used / self.cap)


def uses_of(run: EndpointRun, caps: Caps, prices: Prices, now: datetime) -> list[Use]:
    """What has been spent, without requests in flight; the cost only if there are prices."""
    spent = spent_by(run)
    seconds = run.active_seconds
    if run.state == RunState.RUNNING and run.resumed:
        seconds += (now - run.resumed).total_seconds()
    found = [
        Use("requests", "Requests", spent.requests, caps.requests),
        Use("tokens", "Tokens", spent.tokens, caps.tokens),
    ]
    if has_prices(prices):
        found.append(Use("money", "Cost", spent.cost(prices), caps.money))
    if caps.seconds is not None:
        found.append(Use("seconds", "Seconds of running", seconds, caps.seconds))
    return found


def cost_of(run: EndpointRun) -> float | None:
    """None where no prices were given."""
    prices = settings_of(run.settings).prices
    return spent_by(run).cost(prices) if has_prices(prices) else None


def has_prices(prices: Prices) -> bool:
    return bool(prices.input or prices.output)


class LeftOut(NamedTuple):
    """A task with questions that failed through our fault. It is not scored: they would count 0."""

    task: str
    asked: int  # questions with an answer, or with none through the endpoint's fault
    failed: int
    size: int  # of the questions of the run

    @property
    def title(self) -> str:
        return TASKS[self.task].title


def left_out_of(run: EndpointRun) -> list[LeftOut]:
    is_asked = Q(state=QuestionState.ENDED) & ~Q(outcome=Outcome.OUR_FAILURE)
    is_failed = Q(state=QuestionState.ENDED, outcome=Outcome.OUR_FAILURE)
    rows = (
        run.questions.order_by()
        .values_list("task")
        .annotate(
            asked=Count("pk", filter=is_asked),
            failed=Count("pk", filter=is_failed),
            size=Count("pk"),
        )
    )
    found = {task: LeftOut(task, *counts) for task, *counts in rows}
    return [found[task] for task in BOARD_ORDER if task in found and found[task].failed]
