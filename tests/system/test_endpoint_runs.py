"""Endpoint runs with real workers that are killed: the endpoint's own log is the witness."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from portal.demo.openai_behaviour import question_hash
from portal.endpoint_runs.services import start_run
from portal.endpoint_runs.sweeper import sweep_runs
from portal.models import EndpointRun, RunState, User
from scoring.endpoint.records import Outcome
from tests.support.asked_runs import KEY, at, drafted, outcomes, passkeys, prompts, rows
from tests.support.processes import eventually
from tests.support.reference_endpoint import served
from tests.support.workers import Workers, workers_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)


def test_a_run_whose_workers_are_killed_twice_asks_nothing_again_that_was_answered(
    alice: User, workers: Workers, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    release = passkeys(tmp_path, 60)
    behaviour = ("--latency", "0.3", "--faults", "500=0.05", "--key", KEY, "--log", str(log))
    with served("--window", "8K", *behaviour) as endpoint:
        variables = {"RUN_WIDTH": "3", "ENDPOINT_LOOPBACK_PORTS": str(endpoint.port)}
        run = start_run(drafted(alice, release, *at(endpoint), concurrency=6), KEY, alice)
        kept: list[tuple[float, set[str]]] = []
        for least in (15, 35, 60):
            pair = [workers.start(None, variables=variables, queue="runs") for _ in range(2)]
            swept_until_ended(run, least)
            if least == 60:
                break
            for worker in pair:
                worker.kill()
            answered = run.questions.ended().values_list("example__key", flat=True)
            kept.append((time.time(), set(answered)))
        swept(lambda: EndpointRun.objects.get(pk=run.pk).handed_in)
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
    assert times.total() - 60 <= lost <= 2 * 6  # what was in flight when they were killed
    failed = found.failures.exclude(kind="broken off").count()
    assert found.requests == 60 + failed + lost
    assert found.reserved_requests == found.reserved_input == 0
    places = run.questions.values_list("slice", flat=True)
    assert set(places) == {None}
    assert found.submission
    assert found.submission.files.get().original.size
    assert all(KEY not in worker.log.read_text() for worker in workers.all)


def swept_until_ended(run: EndpointRun, least: int) -> None:
    swept(lambda: outcomes(run).total() >= least)


def swept(until: Callable[[], object]) -> None:
    """Sweep until it has come about, as the sweeper does."""

    def turn() -> object:
        sweep_runs()
        return until()

    eventually(turn, "something to sweep", every=0.05)
