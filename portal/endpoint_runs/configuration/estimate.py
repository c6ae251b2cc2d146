"""The estimate of a run: what it would send, and what a perfect reader could score with it.

Where the token counts of a release are stored, this is mostly addition; but contexts that are cut
must be read and counted, which takes up to an hour for a large release. So the work is done in
turns of some seconds, and each stores its progress: a lost worker costs one turn, and scoring never
waits for long.

A release with hidden labels has no ceilings: how they change with the window would reveal where the
evidence is.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from django.conf import settings as site

from portal.endpoint_runs.deviations import task_deviations
from portal.endpoint_runs.questions import questions_of, settings_of_run
from portal.models import EndpointRun, Release
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from portal.submissions.pages.progress import how_long
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.endpoint.budget import NOTHING_SPENT, Spent
from scoring.endpoint.estimate import CapShare as CapShare  # noqa: PLC0414 - for the API
from scoring.endpoint.estimate import cap_shares, estimate_task
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.templates import Strategy
from scoring.metrics import METRIC_SETS
from scoring.stats import macro_mean

TURN = 15.0  # seconds of work at once
_AT_ONCE = 10  # questions between two checks of the clock
_VERSION = 1  # of the stored document
_LOW = 90.0  # percent: a lower ceiling comes with advice


def estimate_run(run: EndpointRun, seconds: float = TURN) -> bool:
    """Work on the estimate for about ``seconds``; returns whether something is left to do.

    Raises ``SettingsError``, ``ReleaseError`` and ``OSError``.
    """
    settings = settings_of_run(run)
    basis = basis_of(run.release, settings, run.same_questions_as)
    known: dict[str, Any] = run.estimate or {}
    begun: dict[str, Any] = known if known.get("basis") == basis else {"basis": basis, "done": 0}
    questions = questions_to_ask(run.release, settings, run.same_questions_as)
    tasks: dict[str, dict[str, Any]] = {**begun.get("tasks", {})}
    done, until = int(begun["done"]), time.monotonic() + seconds
    while done < len(questions):
        task = questions[done].task
        part = [one for one in questions[done : done + _AT_ONCE] if one.task == task]
        found = asdict(estimate_task(task, part, settings))
        if run.release.hidden:
            found |= {"ceilings": {}, "is_exact": False}
        tasks[task] = _together(tasks.get(task), {**found, "questions": len(part)})
        done += len(part)
        if time.monotonic() >= until:
            break
    after = {"basis": basis, "done": done, "all": len(questions), "tasks": tasks}
    rows = EndpointRun.objects.filter(pk=run.pk, settings=run.settings, release=run.release)
    if begun is known:  # if two workers do the same turn, the first one wins
        rows = rows.filter(estimate__done=known["done"])
    is_stored = rows.update(estimate=after)
    return bool(is_stored) and done < len(questions)


def questions_to_ask(
    release: Release, settings: RunSettings, same_as: EndpointRun | None = None
) -> list[ReleaseQuestion]:
    """The questions that the run asks, task by task."""
    asked = questions_of(release, settings, same_as)
    return sorted(asked, key=lambda one: list(TASKS).index(one.task))


def basis_of(release: Release, settings: RunSettings, same_as: EndpointRun | None = None) -> str:
    """A hash of all that the estimate depends on. Prices, caps and rate limits are applied when it
    is read."""
    decisive = replace(settings.what_decides(), limit=settings.limit, url="", model="")
    data = sorted(release.data_sets.values_list("labels_hash", "questions_hash"))
    facts: list[object] = [_VERSION, release.hidden, repr(decisive), data]
    if same_as:
        facts.append(str(same_as.pk))
    elif isinstance(settings.subset, int):  # newly published entries change which are drawn
        deviations = sorted(task_deviations(release).items())
        facts.append([(task, round(deviation, 9)) for task, deviation in deviations])
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _together(before: Mapping[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """The merged estimate of two parts of a task."""
    if before is None:
        return more
    sums = ("requests", "skipped", "output", "cut", "questions")
    n, m = before["questions"], more["questions"]
    return {
        **more,
        **{name: before[name] + more[name] for name in sums},
        "input": {
            "value": before["input"]["value"] + more["input"]["value"],
            "estimated": before["input"]["estimated"] or more["input"]["estimated"],
        },
        "ceilings": {
            name: (n * ceiling + m * more["ceilings"][name]) / (n + m)
            for name, ceiling in before["ceilings"].items()
        },
        "is_exact": before["is_exact"] and more["is_exact"],
    }


class TaskRow(NamedTuple):
    task: Task
    requests: int
    skipped: int
    input: int
    estimated: bool
    output: int  # at most
    cut: int
    ceilings: tuple[float, ...]  # in the order of the metric sets; empty if secret
    is_exact: bool
    advice: str  # a code
    output_limit: int  # tokens of an answer, with its reasoning
    prompt_limit: int

    @property
    def by_set(self) -> list[tuple[MetricSetTitle, float]]:
        return list(zip(METRIC_SET_TITLES.values(), self.ceilings, strict=False))

    @property
    def best(self) -> float | None:
        return max(self.ceilings, default=None)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a page shows, with the current prices, caps and rate limits."""

    rows: tuple[TaskRow, ...]
    total: Spent
    skipped: int
    cut: int
    estimated: bool
    ceilings: tuple[float, ...]  # of the mean over tasks
    is_exact: bool
    cost: float | None  # None: there are no prices
    seconds: float | None  # None: no request was measured
    caps: tuple[CapShare, ...]

    @property
    def by_set(self) -> list[tuple[MetricSetTitle, float]]:
        return list(zip(METRIC_SET_TITLES.values(), self.ceilings, strict=False))

    @property
    def advised(self) -> list[tuple[str, list[TaskRow]]]:
        """Each piece of advice with the tasks that it applies to."""
        found: dict[str, list[TaskRow]] = {}
        for row in self.rows:
            if row.advice:
                found.setdefault(row.advice, []).append(row)
        return list(found.items())

    @property
    def time(self) -> str:
        return how_long(max(10, round(self.seconds or 0)))


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the estimate of a run has come."""

    is_current: bool  # what is stored belongs to these settings
    done: int
    all: int

    @property
    def is_complete(self) -> bool:
        return self.is_current and self.done >= self.all

    @property
    def percent(self) -> int:
        return 100 * self.done // self.all if self.all else 0


def standing_of(run: EndpointRun, settings: RunSettings) -> Standing:
    stored: dict[str, Any] = run.estimate or {}
    if stored.get("basis") != basis_of(run.release, settings, run.same_questions_as):
        return Standing(False, 0, 0)
    return Standing(True, stored["done"], stored.get("all", 0))


def read_estimate(
    run: EndpointRun, settings: RunSettings, seconds_each: float | None = None
) -> Estimate:
    """``run`` has a complete estimate. ``seconds_each``: the measured duration of a request."""
    stored: dict[str, dict[str, Any]] = (run.estimate or {}).get("tasks", {})
    rows = tuple(_row(task, stored[task], settings) for task in BOARD_ORDER if task in stored)
    total = sum((Spent(row.requests, row.input, 0, row.output) for row in rows), NOTHING_SPENT)
    means = [
        macro_mean([row.ceilings[index] for row in rows])
        for index in range(len(METRIC_SETS))
        if rows and all(row.ceilings for row in rows)
    ]
    has_prices = bool(settings.prices.input or settings.prices.output)
    seconds = None
    if seconds_each:
        seconds = total.requests * seconds_each / min(settings.concurrency, site.RUN_CONCURRENCY)
        if per_minute := settings.requests_per_minute:
            seconds = max(seconds, 60 * total.requests / per_minute)
    return Estimate(
        rows,
        total,
        skipped=sum(row.skipped for row in rows),
        cut=sum(row.cut for row in rows),
        estimated=any(row.estimated for row in rows),
        ceilings=tuple(mean for mean in means if mean is not None),
        is_exact=all(row.is_exact for row in rows),
        cost=total.cost(settings.prices) if has_prices else None,
        seconds=seconds,
        caps=tuple(cap_shares(total, settings, seconds)),
    )


def _row(task: str, stored: Mapping[str, Any], settings: RunSettings) -> TaskRow:
    ceilings = tuple(stored["ceilings"][name] for name in METRIC_SETS if stored["ceilings"])
    return TaskRow(
        TASKS[task],
        stored["requests"],
        stored["skipped"],
        stored["input"]["value"],
        stored["input"]["estimated"],
        stored["output"],
        stored["cut"],
        ceilings,
        stored["is_exact"],
        _advice(task, stored, max(ceilings, default=100.0), settings),
        settings.output_limit(task),
        settings.prompt_limit(task),
    )


def _advice(task: str, stored: Mapping[str, Any], best: float, settings: RunSettings) -> str:
    """Why the ceiling is low, and so what would raise it."""
    if best >= _LOW:
        return ""
    if settings.strategy is Strategy.EVIDENCE_ONLY:
        return "evidence"
    if settings.is_crowded(task) and (stored["cut"] or stored["skipped"]):
        return "limit"
    whole = 100 * (stored["requests"] - stored["cut"]) / stored["questions"]
    if best < whole - 1:  # even contexts that are sent whole do not reach it
        return "output"
    return "skipped" if stored["skipped"] else "window"
