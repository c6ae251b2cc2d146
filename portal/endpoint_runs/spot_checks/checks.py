"""Spot checks of uploaded entries, as a worker makes them; ``requests`` is what authors ask for."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import NamedTuple
from uuid import UUID

from django.conf import settings as site
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, OuterRef, Q
from django.db.models.functions import Now

from portal.audit.records import log_spot_check
from portal.board_version import raise_board_version
from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.endpoint_runs.outbound import outbound_policy
from portal.endpoint_runs.questions import release_question
from portal.endpoint_runs.spot_checks.asking import Answers, ask_batch
from portal.endpoint_runs.spot_checks.requests import askable_questions, settings_for_check
from portal.models import (
    CheckState,
    Evaluation,
    Example,
    ExampleResult,
    SpotCheck,
    SpotCheckQuestion,
    Submission,
    at_places,
)
from portal.queue import enqueue_spot_check
from scoring.catalog import TASKS
from scoring.endpoint.connection.check import try_connection
from scoring.endpoint.connection.report import State
from scoring.endpoint.run.records import Outcome
from scoring.endpoint.run.runner import End, RunEnd
from scoring.endpoint.settings import Caps, RunSettings, SettingsError, settings_of
from scoring.endpoint.spot_check import (
    COMPARED,
    FEWEST,
    SpotTest,
    Verdict,
    answer_to_compare,
    spot_sample,
)
from scoring.endpoint.transport.failures import EndpointError
from scoring.keys import canonical_key
from scoring.labels import release_label

_LEASE = timedelta(hours=1)  # longer than a batch can take
_CLAIMS = 3
_BATCH = 4  # questions, after the first round

log = logging.getLogger(__name__)


class ClaimLostError(Exception):
    """Another worker has taken over the check."""


def run_spot_check(check_id: UUID, is_stopping: Callable[[], bool] = lambda: False) -> None:
    """Ask until the verdict is clear. Safe to call any number of times: only one worker has the
    check. A worker that is stopping gives it back between two batches.

    Raises ``DatabaseError`` if the database is unreachable: then another worker goes on.
    """
    fence = _claim(check_id)
    if fence is None:
        return
    check = SpotCheck.objects.select_related("submission__release").get(pk=check_id)
    try:
        outcome = _asked(check, fence, is_stopping)
        if outcome:
            _end(check, fence, *outcome)
        else:
            mine = SpotCheck.objects.filter(pk=check.pk, fence=fence, state=CheckState.RUNNING)
            if mine.update(state=CheckState.WAITING, fence=fence - 1, lease_until=None):
                enqueue_spot_check(check.pk)
    except ClaimLostError:
        log.warning("was given to another worker", extra={"check": str(check_id)})
    except (DatabaseError, InterfaceError):
        raise
    except EndpointKeyError:
        _end(check, fence, reason="key lost")
    except EndpointError as error:
        _end(check, fence, reason=error.kind, details=str(error))
    except SettingsError as error:
        _end(check, fence, reason="settings", details=str(error))
    except Exception as error:
        log.exception("a spot check has failed", extra={"check": str(check_id)})
        _end(check, fence, reason="our failure", details=type(error).__name__)


def next_spot_check(not_of: Collection[int] = ()) -> SpotCheck | None:
    """The one that has waited longest, of other accounts than these; None if none waits."""
    waiting = SpotCheck.objects.claimable().filter(fence__lt=_CLAIMS)
    return waiting.exclude(requested_by__in=not_of).order_by("created").first()


def sweep_spot_checks() -> int:
    """Wake workers for checks whose message or worker was lost. End checks that have lost their
    worker too often, or have found none for as long as a key is kept. Returns how many."""
    kept_since = Now() - timedelta(days=site.IDLE_KEY_DAYS)
    given_up = Q(fence__gte=_CLAIMS) | Q(created__lt=kept_since)
    resend = timedelta(seconds=site.RESEND)
    due = Q(lease_until=None, created__lt=Now() - resend) | Q(lease_until__lt=Now())
    found = SpotCheck.objects.claimable().filter(due)
    ended, woken = list(found.filter(given_up)), list(found.exclude(given_up))
    for check in ended:
        _end(check, check.fence, reason="our failure")
    for check in woken:
        if enqueue_spot_check(check.pk):
            # While a check is waiting, its lease says when the next message is due.
            waiting = SpotCheck.objects.filter(pk=check.pk, state=CheckState.WAITING)
            waiting.update(lease_until=Now() + resend)
    return len(ended) + len(woken)


def _claim(check_id: UUID) -> int | None:
    rows = SpotCheck.objects.claimable().filter(pk=check_id, fence__lt=_CLAIMS)
    claimed = rows.update(
        state=CheckState.RUNNING, fence=F("fence") + 1, lease_until=Now() + _LEASE
    )
    return SpotCheck.objects.values_list("fence", flat=True).get(pk=check_id) if claimed else None


class _Outcome(NamedTuple):
    verdict: Verdict | None = None
    reason: str = ""
    details: str = ""


def _asked(check: SpotCheck, fence: int, is_stopping: Callable[[], bool]) -> _Outcome | None:
    """None: the worker has to stop before the check is decided."""
    settings = settings_for_check(settings_of(check.settings))
    host = host_of(settings.url)
    key = decrypt_key(check.key, run_id=check.pk, host=host) if check.key else ""
    if check.p0 is None:
        # Without a cap on tokens the test would fill the window, which is not needed here.
        tested = replace(settings, caps=Caps(tokens=1))
        report = asyncio.run(try_connection(tested, key, outbound_policy()))
        if not report.works:
            failed = next((step for step in report.steps if step.state is State.FAILS), None)
            code, detail = (failed.code, failed.detail) if failed else ("not_tried", "")
            return _Outcome(None, code, detail)
        check.p0 = report.repeats.agreement if report.repeats else 0.0
        _update(check, fence, p0=check.p0)
    test = SpotTest(check.p0)
    if test.verdict([]) is Verdict.CANNOT_TELL:
        return _Outcome(Verdict.CANNOT_TELL, "unsteady")
    rows = _planned(check, fence)
    end = RunEnd(End.FINISHED)
    while True:
        outcomes = [row.agrees for row in rows if row.agrees is not None]
        verdict = test.verdict(outcomes)
        if verdict is not Verdict.OPEN:
            return _Outcome(verdict)
        if end.kind is not End.FINISHED:  # checked after the verdict: breaking off escapes none
            return _Outcome(None, end.code or end.kind, end.sentence)
        if is_stopping():
            return None
        batch = [row for row in rows if not row.outcome][: _BATCH if outcomes else FEWEST]
        if not batch:
            return _Outcome(Verdict.CANNOT_TELL, "too few")
        end, answers = _ask(settings, key, batch)
        _store(check, fence, rows, answers)


def _ask(
    settings: RunSettings, key: str, batch: Sequence[SpotCheckQuestion]
) -> tuple[RunEnd, Answers]:
    questions = [release_question(row.example) for row in batch]
    return asyncio.run(ask_batch(settings, key, questions))


def _planned(check: SpotCheck, fence: int) -> list[SpotCheckQuestion]:
    """The questions of the check, which are drawn the first time."""
    rows = check.questions.select_related("example__data_set", "example__context")
    if not rows.exists():
        planned = _draw(check)
        with transaction.atomic():
            _update(check, fence)
            SpotCheckQuestion.objects.bulk_create(planned)
    return list(rows)


def _draw(check: SpotCheck) -> list[SpotCheckQuestion]:
    """Draw from the questions that can be asked and have an answer to compare in the file."""
    evaluation = check.submission.evaluations.scored().first()
    if evaluation is None:
        return []
    askable = askable_questions(evaluation)
    examples = {
        (one.data_set.task, one.index): one
        for one in askable.select_related("data_set").order_by("data_set", "index")
    }
    results = evaluation.example_results.filter(task__in=COMPARED).exclude(prediction=None)
    drawn: dict[tuple[str, str], SpotCheckQuestion] = {}
    for result in results.order_by("task", "index").only("task", "index", "prediction"):
        example, prediction = examples.get((result.task, result.index)), result.prediction or ""
        answer = example and _answer(check.submission, example, prediction)
        if example and answer:
            drawn[result.task, example.key] = SpotCheckQuestion(
                spot_check=check, example=example, prediction=prediction, answer=answer
            )
    keys: dict[str, list[str]] = defaultdict(list)
    for task, name in drawn:
        keys[task].append(name)
    planned = [drawn[one] for one in spot_sample(keys, check.seed.encode())]
    for place, row in enumerate(planned):
        row.place = place
    return planned


def _answer(submission: Submission, example: Example, prediction: str) -> str | None:
    return _reader(submission, example)(prediction)


def _reader(submission: Submission, example: Example) -> Callable[[str], str | None]:
    """The answer to compare of any prediction for the example."""
    task, options = example.data_set.task, tuple(example.options)
    label = release_label(TASKS[task], example.label, options)
    question = example.for_rules(drop_first=submission.drop_first and task == "math_calc")
    return lambda prediction: answer_to_compare(task, prediction, label, question)


def _store(
    check: SpotCheck, fence: int, rows: Sequence[SpotCheckQuestion], answers: Answers
) -> None:
    """Store the answers. A question that the endpoint has failed counts as a disagreement, since
    the endpoint could choose which ones to fail. One that the settings skip does not count."""
    changed = []
    for row in rows:
        ended = answers.get((row.example.data_set.task, canonical_key(row.example.key)))
        if ended is None:
            continue
        row.outcome, row.text = ended.outcome, ended.text
        if ended.outcome is not Outcome.SKIPPED:
            row.agrees = _answer(check.submission, row.example, ended.text) == row.answer
        changed.append(row)
    agreements = [row.agrees for row in rows if row.agrees is not None]
    with transaction.atomic():
        _update(check, fence, asked=len(agreements), agreed=sum(agreements))
        SpotCheckQuestion.objects.bulk_update(changed, ["outcome", "text", "agrees"])


def _update(check: SpotCheck, fence: int, **columns: object) -> None:
    """Store these columns and renew the lease. Raises ``ClaimLostError``."""
    rows = SpotCheck.objects.filter(pk=check.pk, fence=fence, state=CheckState.RUNNING)
    if not rows.update(lease_until=Now() + _LEASE, **columns):
        raise ClaimLostError


def _end(
    check: SpotCheck,
    fence: int,
    verdict: Verdict | None = None,
    reason: str = "",
    details: str = "",
) -> None:
    """Store the result, and delete the key."""
    nearest, agreed = _nearest(check)
    with transaction.atomic():
        rows = SpotCheck.objects.filter(pk=check.pk, fence=fence).open()
        ended = rows.update(
            state=CheckState.ENDED,
            verdict=verdict or "",
            reason=reason,
            reason_details=details,
            key="",
            nearest=nearest,
            nearest_agreed=agreed,
            ended=Now(),
        )
        if ended:
            log_spot_check(SpotCheck.objects.get(pk=check.pk), by=None)
            raise_board_version()


def _nearest(check: SpotCheck) -> tuple[Submission | None, int | None]:
    """The published entry of another model that agrees with the file on the most questions asked,
    and on how many."""
    submission = check.submission
    asked = list(check.questions.filter(agrees__isnull=False).select_related("example__data_set"))
    own = Submission.objects.filter(language_model=submission.language_model).values("pk")
    others = Submission.objects.published().filter(release=submission.release).exclude(pk__in=own)
    current = Evaluation.objects.current_of(OuterRef("pk"))
    owners = dict(others.annotate(current=current).values_list("current", "pk"))
    agreed = dict.fromkeys(owners, 0)
    for evaluation, agrees in _agreements(submission, list(owners), asked):
        agreed[evaluation] += agrees
    if not agreed or not asked:
        return None, None
    best = max(agreed, key=lambda one: agreed[one])
    return Submission.objects.get(pk=owners[best]), agreed[best]


def _agreements(
    submission: Submission, evaluations: Sequence[int], asked: Sequence[SpotCheckQuestion]
) -> Iterator[tuple[int, bool]]:
    """Evaluation and agreement for each question asked; a query for each data set. A prediction
    that several entries have in the same words is read only once."""
    by_set: dict[int, dict[int, SpotCheckQuestion]] = defaultdict(dict)
    for row in asked:
        by_set[row.example.data_set_id][row.example.index] = row
    for data_set, by_index in by_set.items():
        task = next(iter(by_index.values())).example.data_set.task
        readers = {n: cache(_reader(submission, row.example)) for n, row in by_index.items()}
        results = ExampleResult.objects.filter(
            at_places(by_index),
            evaluation__in=evaluations,
            evaluation__task_scores__data_set=data_set,
            evaluation__task_scores__metric_set="strict",
            task=task,
            prediction__isnull=False,
        )
        for evaluation, index, prediction in results.values_list(
            "evaluation", "index", "prediction"
        ):
            yield evaluation, readers[index](prediction or "") == by_index[index].answer
