"""Endpoint runs with real workers that are killed: the endpoint's own log is the witness."""

import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from portal.demo.openai_behaviour import question_hash
from portal.endpoint_runs.services import start_run
from portal.endpoint_runs.sweeper import sweep_runs
from portal.models import EndpointRun, EvaluationState, RunQuestion, RunState, User
from scoring.endpoint.run.records import Outcome
from tests.support.asked_runs import (
    KEY,
    at,
    drafted,
    keepers_of_the_key,
    outcomes,
    passkeys,
    prompts,
    rows,
)
from tests.support.processes import eventually
from tests.support.reference_endpoint import served
from tests.support.workers import Workers, eventually_in, workers_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

_SOON = 20.0  # seconds; a worker that is stopped waits for six of them at most

workers = pytest.fixture(workers_in)


def test_a_run_whose_workers_are_killed_and_stopped_asks_nothing_again_that_was_answered(
    alice: User, workers: Workers, tmp_path: Path, settings: Settings
) -> None:
    settings.RUN_WIDTH = 3
    settings.RESEND = 2  # seconds: a worker may be killed when it has nothing but the message
    log = tmp_path / "log.jsonl"
    release = passkeys(tmp_path, 60)
    behaviour = ("--latency", "0.3", "--faults", "500=0.05", "--key", KEY, "--log", str(log))
    with served("--window", "8K", *behaviour) as endpoint:
        variables = {"ENDPOINT_LOOPBACK_PORTS": str(endpoint.port)}
        run = start_run(drafted(alice, release, *at(endpoint), concurrency=6), alice, KEY)
        assert [one.width for one in run.slices.all()] == [3, 3]
        kept: list[tuple[float, set[str]]] = []
        for least in (15, 30, 45):
            pair = [workers.start(None, variables=variables, queue="runs") for _ in range(2)]
            swept_until_answered(run, least)
            assert keepers_of_the_key() == []
            for worker in pair:
                worker.send(signal.SIGTERM) if least == 45 else worker.kill()
            for worker in pair:
                worker.process.wait(_SOON)
            answered = run.questions.ended().values_list("example__key", flat=True)
            kept.append((time.time(), set(answered)))
        assert not run.slices.exclude(lease_until=None).exists()  # given back, not lost
        workers.start(None, variables=variables, queue="runs,imports,scoring")
        swept(lambda: EndpointRun.objects.get(pk=run.pk).handed_in)
    assert keepers_of_the_key() == []
    found = EndpointRun.objects.get(pk=run.pk)
    assert (found.state, found.ending, found.key) == (RunState.ENDED, "finished", "")
    assert outcomes(run) == {Outcome.ANSWERED: 60}
    hashes = {key: question_hash(text) for key, text in prompts(run).items()}
    asked = rows(log)
    for killed, before in kept:
        assert len(before) >= 15
        later = {line["question"] for line in asked if line["from"] > killed}
        assert not later & {hashes[key] for key in before}
    times = Counter(line["question"] for line in asked if line["ended"] == "answered")
    assert set(times) == set(hashes.values())
    lost = found.failures.filter(kind="broken off").count()
    assert times.total() - 60 <= lost <= 3 * 6  # what was in flight when they were stopped
    failed = found.failures.exclude(kind="broken off").count()
    assert found.requests == 60 + failed + lost
    assert found.reserved_requests == found.reserved_input == 0
    places = run.questions.values_list("slice", flat=True)
    assert set(places) == {None}
    assert found.submission
    evaluation = eventually_in(found.submission, EvaluationState.SCORED)
    assert {score.mean for score in evaluation.task_scores.all()} == {100.0}
    assert all(KEY not in worker.log.read_text() for worker in workers.all)


def test_two_runs_in_a_worker_that_is_killed_ask_nothing_again_that_was_answered(
    alice: User, bob: User, workers: Workers, tmp_path: Path
) -> None:
    release = passkeys(tmp_path, 30)
    with served("--window", "8K", "--latency", "0.3") as endpoint:
        variables = {"ENDPOINT_LOOPBACK_PORTS": str(endpoint.port)}
        runs = [
            start_run(drafted(owner, release, *at(endpoint), concurrency=3), owner)
            for owner in (alice, bob)
        ]
        worker = workers.start(None, variables=variables, queue="runs")
        swept(lambda: all(outcomes(run).total() >= 8 for run in runs))
        worker.kill()
        ended = RunQuestion.objects.ended().values_list("pk", "attempts", "ended_at")
        before = set(ended)
        workers.start(None, variables=variables, queue="runs")
        swept(lambda: all(outcomes(run).total() == 30 for run in runs))
    assert before <= set(ended.all())
    for run in EndpointRun.objects.all():
        lost = run.failures.filter(kind="broken off").count()
        assert lost <= 3
        assert run.requests == 30 + lost


def swept_until_answered(run: EndpointRun, least: int) -> None:
    swept(lambda: outcomes(run).total() >= least)


def swept(until: Callable[[], object]) -> None:
    """Sweep until it has come about, as the sweeper does."""

    def turn() -> object:
        sweep_runs()
        return until()

    eventually(turn, "something to sweep", every=0.05)
