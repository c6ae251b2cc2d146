"""A run from its start to its submission, in this process, against the reference endpoint."""

import json
import zipfile
from pathlib import Path
from threading import Event

import pytest
from django.db import connection
from pytest_django import Settings

from portal.audit.chain import verify_log
from portal.endpoint_runs.asking.slices import claim_slice
from portal.endpoint_runs.services import (
    pause_run,
    resume_run,
    start_run,
)
from portal.endpoint_runs.submissions import submit_run
from portal.endpoint_runs.sweeper import sweep_runs
from portal.endpoint_runs.worker import work
from portal.errors import StateError
from portal.models import (
    AuditEntry,
    CountedUpload,
    EndpointRun,
    Example,
    Release,
    RunAction,
    RunFailure,
    RunQuestion,
    RunSlice,
    RunState,
    Submission,
    User,
)
from scoring.endpoint.run.records import Outcome
from scoring.endpoint.templates import Strategy
from tests.support.asked_runs import KEY, at, drafted, outcomes, reachable, rows
from tests.support.factories import end_question, failed_attempt
from tests.support.processes import eventually
from tests.support.run_workers import (
    COUNT,
    apart,
    ask,
    claimed,
    now,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]


def test_a_run_asks_every_question_once_and_becomes_a_submission(
    alice: User, keys: Release, settings: Settings, tmp_path: Path, messages: Path
) -> None:
    log = tmp_path / "log.jsonl"
    with reachable(settings, "--key", KEY, "--log", str(log)) as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint)), alice, KEY)
        assert KEY not in run.key != ""
        assert [file.name.split(".")[1] for file in messages.iterdir()] == ["runs"]
        ask()
    ended = now(run)
    assert (ended.state, ended.ending, ended.key) == (RunState.ENDED, "finished", "")
    assert outcomes(run) == {Outcome.ANSWERED: COUNT}
    asked = rows(log)
    assert len({one["question"] for one in asked}) == 8
    assert len(asked) == COUNT == ended.requests
    questions = run.questions.all()
    assert ended.input_tokens == sum(one.input_tokens for one in questions) > 0
    assert ended.reserved_requests == ended.reserved_input == ended.reserved_output == 0
    assert all(one.attempts == 1 and one.first_token and one.sight == "whole" for one in questions)
    for _ in range(2):
        submit_run(run.pk)
    assert not sweep_runs()
    submission = Submission.objects.get()
    assert now(run).submission == submission
    assert (submission.truncation, submission.input_limit) == ("middle", 8_000)
    assert not CountedUpload.objects.exists()
    stored = submission.files.get().original.file
    with stored.open("rb") as file, zipfile.ZipFile(file) as packed:
        assert packed.namelist() == ["preds_passkey.jsonl"]
        lines = [json.loads(line) for line in packed.read("preds_passkey.jsonl").splitlines()]
    right = {int(one.key): one.label for one in Example.objects.all()}
    assert {one["id"]: one["prediction"] for one in lines} == right
    actions = AuditEntry.objects.history().filter(subject__startswith=f"run:{run.pk}")
    assert [one.action for one in actions] == [RunAction.START, RunAction.END]
    verify_log()


def test_a_run_without_contexts_is_no_submission_with_the_middle_removed(
    alice: User, keys: Release, settings: Settings
) -> None:
    with reachable(settings) as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint), strategy=Strategy.CLOSED_BOOK), alice)
        ask()
    submit_run(run.pk)
    submission = Submission.objects.get()
    assert (submission.prompt_strategy, submission.truncation) == ("closed-book", "none")


def test_a_run_is_paused_gets_another_concurrency_and_goes_on_where_it_was(
    alice: User, keys: Release, tmp_path: Path, settings: Settings
) -> None:
    settings.HEARTBEAT = 0.05
    log = tmp_path / "log.jsonl"
    with reachable(settings, "--latency", "0.15", "--log", str(log)) as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint), concurrency=2), alice)

        worker = apart(ask)
        eventually(lambda: outcomes(run).total() >= 4, "answers")
        pause_run(run, alice)
        worker.join()
        paused = now(run)
        before = outcomes(run).total()
        assert (paused.state, paused.reason) == (RunState.PAUSED, "by_owner")
        assert before < COUNT
        assert len(rows(log)) == before  # what was in flight was answered, and stored
        assert not RunQuestion.objects.taken().exists()
        assert claim_slice() is None
        with pytest.raises(StateError):
            pause_run(run, alice)
        resume_run(run, alice, concurrency=7)
        assert [one.width for one in RunSlice.objects.all()] == [7]
        ask()
    assert now(run).ending == "finished"
    assert len(rows(log)) == now(run).requests == COUNT
    assert 0 < paused.active_seconds < now(run).active_seconds


def test_a_storm_of_429_pauses_the_run_with_a_sentence(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.RUN_SILENCE = 0.5
    settings.HEARTBEAT = 0.05
    with reachable(settings, "--faults", "429=1") as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint), attempts=3), alice)
        ask()
    paused = now(run)
    assert (paused.state, paused.reason) == (RunState.PAUSED, "failures")
    assert "The last: The endpoint asks for fewer requests. 429" in paused.reason_details
    logged = AuditEntry.objects.get(subject__startswith=f"run:{run.pk}", action=RunAction.PAUSE)
    assert logged.reason == "failures"  # and nothing of what the endpoint has said
    assert paused.requests == RunFailure.objects.filter(kind="busy").count() >= 20
    assert paused.input_tokens == 0 == paused.reserved_requests
    with reachable(settings) as endpoint:
        EndpointRun.objects.update(settings=paused.settings | {"url": endpoint.url})
        resume_run(run, alice)
        ask()
    assert outcomes(run) == {Outcome.ANSWERED: COUNT}  # including those that had failed


def test_turns_do_not_hide_that_nothing_but_failures_comes(
    alice: User, keys: Release, settings: Settings
) -> None:
    """Otherwise a run with short turns would go on for ever, as long as others wait."""
    settings.RUN_SILENCE = 0
    settings.HEARTBEAT = 0.05
    with reachable(settings, "--faults", "429=1") as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint), concurrency=1, attempts=1), alice)
        question = run.questions.get(place=COUNT - 1)
        for kind in (*["busy"] * 15, *["server"] * 4, *["broken off", "too long"] * 9):
            failed_attempt(question, kind)
        ask()
        assert (now(run).state, now(run).reason) == (RunState.PAUSED, "failures")
        assert now(run).requests == 1
        end_question(run, question.place, text="42")
        resume_run(run, alice)
        RunFailure.objects.update(at=now(run).resumed)
        end_question(run, question.place, text="42")
        ask()
    assert now(run).requests == 1 + 20  # an answer ends the silence


def test_a_worker_that_is_stopped_gives_its_part_back_and_counts_what_it_leaves(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.HEARTBEAT, settings.RUN_GRACE = 0.05, 0.1
    with reachable(settings, "--delay", "2") as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint), concurrency=3), alice)
        stopping = Event()
        worker = apart(lambda: work(stopping.is_set))
        eventually(lambda: now(run).reserved_requests == 3, "requests in flight")
        stopping.set()
        worker.join()
    left = now(run)
    assert (left.state, left.requests, left.reserved_requests) == (RunState.RUNNING, 3, 0)
    assert left.input_tokens > 0
    assert RunFailure.objects.filter(kind="broken off").count() == 3
    assert RunQuestion.objects.waiting().count() == COUNT
    assert claimed().width == 3


def test_answers_in_flight_have_until_the_timeout_that_the_site_allows(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.HEARTBEAT = 0.05
    with reachable(settings, "--delay", "2") as endpoint:
        draft = drafted(alice, keys, *at(endpoint), concurrency=3, timeout=86_400, attempts=1)
        run = start_run(draft, alice)
        worker = apart(ask)
        eventually(lambda: now(run).reserved_requests == 3, "requests in flight")
        pause_run(run, alice)
        worker.join()
        assert (now(run).requests, now(run).reserved_requests) == (3, 0)
        assert outcomes(run) == {Outcome.ANSWERED: 3}
        settings.RUN_TIMEOUT = 1
        RunQuestion.objects.filter(place__gte=6).delete()
        resume_run(run, alice)
        ask()
    assert RunFailure.objects.filter(kind="timeout", detail="after 1 s").count() == 3


def test_answers_survive_a_database_that_drops_its_connections(
    alice: User, keys: Release, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.HEARTBEAT = 0.05
    with reachable(settings, "--latency", "0.1") as endpoint:
        run = start_run(drafted(alice, keys, *at(endpoint), concurrency=4), alice)
        worker = apart(ask)
        for least in (3, 9):
            eventually(lambda least=least: outcomes(run).total() >= least, "answers")  # type: ignore[misc]
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        worker.join()
    found = now(run)
    assert outcomes(run) == {Outcome.ANSWERED: COUNT}
    assert (found.requests, found.reserved_requests, found.ending) == (COUNT, 0, "finished")
    assert caplog.text.count("the database is tried again") >= 2


# Without a network
