"""A run from its start to its submission, in this process: against the reference endpoint, and
against one without a wire."""

import asyncio
import json
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import DataError, connection
from django.db.models.functions import Now
from django.urls import reverse
from pytest_django import Settings

from portal.audit.chain import verify_log
from portal.endpoint_runs import handing_in
from portal.endpoint_runs.asking.book import RunBook
from portal.endpoint_runs.asking.slices import (
    Claim,
    LeaseLostError,
    announce,
    claim_slice,
    give_back,
    is_awaited,
    reclaim_lost,
    renew,
)
from portal.endpoint_runs.asking.turns import ask_slice
from portal.endpoint_runs.configuration.drafts import start_connection_test
from portal.endpoint_runs.handing_in import _packed as packed
from portal.endpoint_runs.handing_in import hand_in_run
from portal.endpoint_runs.keys import decrypt_key
from portal.endpoint_runs.progress.sentences import standing_sentence
from portal.endpoint_runs.questions import settings_of_run
from portal.endpoint_runs.services import (
    pause_run,
    resume_run,
    slice_widths,
    start_run,
    stop_run,
    stop_run_as_admin,
    why_not,
)
from portal.endpoint_runs.sweeper import sweep_runs
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.evaluations.tasks import score_evaluation
from portal.models import (
    AuditEntry,
    CountedUpload,
    EndpointRun,
    Example,
    QuestionState,
    Release,
    RunAction,
    RunFailure,
    RunQuestion,
    RunSlice,
    RunState,
    Submission,
    User,
)
from portal.submissions.originals import Upload
from portal.submissions.services import (
    EditableSettings,
    SubmissionSettings,
    edit_settings,
    submit_predictions,
)
from scoring.endpoint.budget import CapReachedError, Spent
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import Ended, Failed, Outcome, Sent
from scoring.endpoint.run.runner import End, Run, RunEnd
from scoring.endpoint.run.runner import RunState as Progress
from scoring.endpoint.templates import Strategy
from scoring.endpoint.transport.client import Exchange
from scoring.endpoint.transport.pacing import BrokenError
from scoring.endpoint.transport.wire import Reply
from scoring.limits import LIMITS
from scoring.metrics import PAPER_SET
from scoring.predictions.reader import read_predictions
from tests.support import html
from tests.support.asked_runs import KEY, at, drafted, outcomes, passkeys, reachable, rows
from tests.support.clients import signed_in
from tests.support.factories import end_question, failed_attempt, fetch_for
from tests.support.processes import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]
COUNT = 24
NOWHERE = ("http://127.0.0.1:9/v1", "model")


@pytest.fixture
def keys(db: None, tmp_path: Path) -> Release:
    return passkeys(tmp_path, COUNT, texts=8)


def never() -> bool:
    return False


def ask() -> None:
    """As a worker does that was woken."""
    claim = claim_slice()
    assert claim
    ask_slice(claim, never)


def claimed() -> Claim:
    claim = claim_slice()
    assert claim
    return claim


def apart(work: Callable[[], None]) -> Thread:
    """In a thread, with a connection of its own."""

    def do() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=do)
    thread.start()
    return thread


def now(run: EndpointRun) -> EndpointRun:
    return EndpointRun.objects.get(pk=run.pk)


# With the reference endpoint


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
        hand_in_run(run.pk)
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
    assert logged.reason == "failures"  # and nothing that the endpoint has said
    assert paused.requests == RunFailure.objects.filter(kind="busy").count() >= 20
    assert paused.input_tokens == 0 == paused.reserved_requests
    with reachable(settings) as endpoint:
        EndpointRun.objects.update(settings=paused.settings | {"url": endpoint.url})
        resume_run(run, alice)
        ask()
    assert outcomes(run) == {Outcome.ANSWERED: COUNT}  # those that had failed too


def test_turns_do_not_hide_that_nothing_but_failures_comes(
    alice: User, keys: Release, settings: Settings
) -> None:
    """Else a run whose turns are short would go on for ever, as long as others wait."""
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
        worker = apart(lambda: ask_slice(claimed(), stopping.is_set))
        eventually(lambda: now(run).reserved_requests == 3, "requests in flight")
        stopping.set()
        worker.join()
    left = now(run)
    assert (left.state, left.requests, left.reserved_requests) == (RunState.RUNNING, 3, 0)
    assert left.input_tokens > 0
    assert RunFailure.objects.filter(kind="broken off").count() == 3
    assert RunQuestion.objects.waiting().count() == COUNT
    assert claimed().width == 3


def test_a_slow_endpoint_holds_a_worker_no_longer_than_the_site_allows(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.HEARTBEAT, settings.RUN_TURN = 0.05, 0.1
    with reachable(settings, "--delay", "2") as endpoint:
        draft = drafted(alice, keys, *at(endpoint), concurrency=3, timeout=86_400, attempts=1)
        run = start_run(draft, alice)
        worker = apart(ask)
        eventually(lambda: now(run).reserved_requests == 3, "requests in flight")
        pause_run(run, alice)
        worker.join()
        assert (now(run).requests, now(run).reserved_requests) == (3, 0)
        assert RunFailure.objects.filter(kind="broken off").count() == 3
        settings.RUN_TIMEOUT = 1
        RunQuestion.objects.filter(place__gte=3).delete()
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


# Without a wire


class Scripted:
    """Answers what a function says, of the tokens that were counted for the request."""

    def __init__(self, script: Callable[[], Awaitable[Reply]]) -> None:
        self._script = script

    async def ask(self, body: bytes, output_tokens: int) -> Exchange:
        return Exchange(await self._script(), 0.5)


def reply(text: str = "42", usage: Spent | None = None) -> Reply:
    return Reply(text, "", "stop", is_refused=False, usage=usage)


async def answering_at_once() -> Reply:
    return reply()


def ask_together(run: EndpointRun, workers: int, script: Callable[[], Awaitable[Reply]]) -> None:
    """Several workers at once on the book in the database."""
    settings = settings_of_run(run)

    async def work(claim: Claim) -> RunEnd:
        async with RunBook(claim.lease, settings) as book:
            return await Run(settings, Scripted(script), book, Progress(0, 0)).ask_all()

    async def all_of_them(claims: list[Claim]) -> list[RunEnd]:
        return await asyncio.gather(*map(work, claims))

    claims = [claimed() for _ in range(workers)]
    for claim, end in zip(claims, asyncio.run(all_of_them(claims)), strict=True):
        give_back(claim, end)


@pytest.mark.parametrize(
    "caps",
    [{"tokens": 26_000}, {"money": 0.026}, {"requests": 17}],
    ids=lambda caps: next(iter(caps)),
)
def test_two_workers_end_a_run_at_its_cap_with_an_endpoint_that_counts_1_4_times_as_we_do(
    alice: User, tmp_path: Path, settings: Settings, caps: dict[str, Any]
) -> None:
    settings.RUN_WIDTH = 4
    release = passkeys(tmp_path, 60, texts=12)
    prices = {"prices": {"input": 1.0, "output": 1.0}}
    draft = drafted(alice, release, *NOWHERE, concurrency=8, output_tokens={"passkey": 16})
    draft.settings |= {"caps": caps, **prices}
    draft.save()
    run = start_run(draft, alice)

    async def script() -> Reply:
        await asyncio.sleep(0.002)
        return reply(usage=Spent(1, 1_000, 0, 3))

    ask_together(run, 2, script)
    ended = now(run)
    assert (ended.state, ended.ending, ended.reason) == (RunState.ENDED, "cap", next(iter(caps)))
    assert ended.ratio is not None
    assert ended.ratio > 1.3
    spent = ended.input_tokens + ended.output_tokens
    if "requests" in caps:
        assert ended.requests == 17
    else:
        assert 23_000 < spent <= 26_260
    assert outcomes(run).total() == ended.requests
    assert ended.reserved_requests == ended.reserved_input == 0


def entries(claim: Claim, run: EndpointRun) -> RunBook:
    return RunBook(claim.lease, settings_of_run(run))


def sent(question: ReleaseQuestion, tokens: int = 100) -> Sent:
    return Sent(question.task, question.key, 1, tokens, 10, 0.0)


def ended(question: ReleaseQuestion, text: str = "42", **more: Any) -> Ended:
    return Ended(question.task, question.key, Outcome.ANSWERED, text, 0.0, **more)


def failed(question: ReleaseQuestion) -> Failed:
    return Failed(question.task, question.key, 1, "busy", "\0", Spent(), 0.0)


async def taken(book: RunBook) -> ReleaseQuestion:
    question = await book.next()
    assert question
    return question


def test_a_worker_that_has_lost_its_part_is_refused_and_what_it_left_is_counted_and_asked_again(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=3), alice)
    lost = claimed()

    book = entries(lost, run)

    async def leave() -> ReleaseQuestion:
        first, second, third = [await taken(book) for _ in range(3)]
        assert await book.reserve(sent(first))
        assert await book.reserve(sent(second))
        await book.end(ended(second, "kept \0 \ud800", spent=Spent(1, 150, 20, 4), reported=True))
        assert await book.reserve(sent(third))
        await book.fail(failed(third), is_free=True)
        return first

    left = asyncio.run(leave())
    assert not reclaim_lost()
    RunSlice.objects.update(lease_until="2026-01-01T00:00Z")
    assert reclaim_lost() == 1
    assert not reclaim_lost()
    found = now(run)
    assert (found.requests, found.input_tokens, found.cached_tokens) == (3, 300, 20)  # 100 × 1.5
    assert (found.output_tokens, found.reserved_requests, found.reserved_input) == (19, 0, 0)
    assert RunQuestion.objects.waiting().count() == COUNT - 1
    assert RunQuestion.objects.ended().get().text == "kept \N{REPLACEMENT CHARACTER} ?"
    kinds = RunFailure.objects.order_by("kind").values_list("kind", flat=True)
    assert list(kinds) == ["broken off", "busy"]
    new = claimed()
    assert new.lease.fence > lost.lease.fence

    async def come_late() -> None:
        async with book, entries(new, run) as fresh:
            again = await taken(fresh)
            assert again.key == left.key
            assert await fresh.reserve(sent(again))
            for late in (book.end(ended(left)), book.reserve(sent(left))):
                with pytest.raises(LeaseLostError):
                    await late

    asyncio.run(come_late())
    assert (now(run).requests, now(run).reserved_requests) == (3, 1)


def test_an_endpoint_that_reports_absurd_counts_is_not_believed_and_stops_no_other_run(
    alice: User, bob: User, rita: User, keys: Release, caplog: pytest.LogCaptureFixture
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=3), alice)
    lost = claimed()
    absurd = Spent(1, (1 << 40) - 1, 0, (1 << 40) - 1)

    async def leave() -> None:
        async with entries(lost, run) as book:
            first, second, third = [await taken(book) for _ in range(3)]
            assert await book.reserve(sent(first))
            assert await book.reserve(sent(second))
            refused = ended(first, spent=absurd, reported=True, counted=1 << 63)
            kept = ended(second, spent=absurd, reported=True)
            results = await asyncio.gather(
                book.end(refused), book.end(kept), return_exceptions=True
            )
            assert [type(result) for result in results] == [DataError, type(None)]
            await book.end(ended(first, spent=Spent(1, 900, 0, 32_000), reported=True))
            assert await book.reserve(sent(third, 1 << 62))

    asyncio.run(leave())
    found = now(run)
    assert (found.input_tokens, found.output_tokens, found.ratio) == (1_000, 32_010, 3_200)
    assert sorted(run.questions.ended().values_list("reported", flat=True)) == [False, True]
    broken = start_run(drafted(bob, keys, *NOWHERE), bob)
    left = claimed()

    async def leave_another() -> None:
        async with entries(left, broken) as book:
            assert await book.reserve(sent(await taken(book)))

    asyncio.run(leave_another())
    full = (1 << 63) - 1  # as no code of ours does
    EndpointRun.objects.filter(pk=broken.pk).update(requests=full)
    RunSlice.objects.filter(run=broken).update(lease_until="2026-01-01T00:00Z")
    RunSlice.objects.filter(run=run).update(lease_until="2026-01-02T00:00Z")
    # One that cannot be had back in any way: it can have no higher fence.
    stuck = start_run(drafted(rita, keys, *NOWHERE), rita)
    RunSlice.objects.filter(run=stuck).update(fence=(1 << 31) - 1, lease_until="2025-01-01T00:00Z")
    assert reclaim_lost() == 2
    assert not reclaim_lost()
    assert "a slice cannot be taken back" in caplog.text
    assert (now(broken).state, now(broken).reason) == (RunState.PAUSED, "our_fault")
    assert (now(broken).requests, now(broken).reserved_requests) == (full, 0)
    assert "a slice cannot be counted" in caplog.text
    assert stop_run(broken, bob).state == RunState.ENDED
    assert now(run).input_tokens == (1 << 63) - 1
    assert claimed().lease.run_id == run.pk


def test_a_lost_part_comes_back_in_every_state_and_nothing_is_asked_again_that_was_answered(
    alice: User, settings: Settings, tmp_path: Path
) -> None:
    """Also where the sums of what is reserved are wrong, as no code of ours leaves them."""
    settings.MAX_RUNS = 9
    few = passkeys(tmp_path, 4)
    after: dict[tuple[str, bool], EndpointRun] = {}
    for state in ("running", "paused", "stopped"):
        for is_wrong in (False, True):
            run = start_run(drafted(alice, few, *NOWHERE, concurrency=3), alice, KEY)
            lost = claimed()

            async def leave(lost: Claim = lost, run: EndpointRun = run) -> None:
                async with entries(lost, run) as book:
                    first, second, _ = [await taken(book) for _ in range(3)]
                    assert await book.reserve(sent(first))
                    await book.end(ended(first))
                    assert await book.reserve(sent(second))

            asyncio.run(leave())
            if state != "running":
                (pause_run if state == "paused" else stop_run)(run, alice)
            row = EndpointRun.objects.filter(pk=run.pk)
            if is_wrong:
                row.update(reserved_input=0, reserved_requests=7)
            RunSlice.objects.filter(run=run).update(lease_until="2026-01-01T00:00Z")
            assert reclaim_lost() == 1
            found = after[state, is_wrong] = now(run)
            assert (found.requests, found.input_tokens) == (2, 200), state  # what was in flight too
            assert (found.reserved_requests, found.reserved_input) == (0, 0)
            row.exclude(state=RunState.ENDED).update(state=RunState.PAUSED, key_until=Now())
    assert {(*one, run.state) for one, run in after.items()} == {
        ("running", False, "running"), ("running", True, "running"),
        ("paused", False, "paused"), ("paused", True, "paused"),
        ("stopped", False, "ended"), ("stopped", True, "ended"),
    }  # fmt: skip
    assert [run.key for (state, _), run in after.items() if state == "stopped"] == ["", ""]
    for (state, _), run in after.items():
        assert not RunQuestion.objects.taken().exists()
        if state != "stopped":
            resume_run(run, alice)
            ask_together(run, 1, answering_at_once)
            assert now(run).requests == 4 + 1
            assert run.questions.get(place=0).attempts == 1


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_run_pauses_where_one_question_is_broken_off_three_times(
    alice: User, keys: Release, is_lost: bool
) -> None:
    """Its worker dies of it, or stops before it: each time it may cost something."""
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=2), alice)

    async def leave(claim: Claim) -> None:
        async with entries(claim, run) as book:
            assert await book.reserve(sent(await taken(book)))

    def break_off() -> str:
        claim = claimed()
        asyncio.run(leave(claim))
        if is_lost:
            RunSlice.objects.update(lease_until="2026-01-01T00:00Z")
            reclaim_lost()
        else:
            give_back(claim, RunEnd(End.PAUSED))
        return now(run).reason

    assert [break_off() for _ in range(3)] == ["", "", "broken_off"]
    paused = now(run)
    assert (paused.state, paused.requests, paused.reserved_requests) == (RunState.PAUSED, 3, 0)
    assert claim_slice() is None
    resume_run(run, alice)
    assert [break_off() for _ in range(3)] == ["", "", "broken_off"]
    assert AuditEntry.objects.filter(action=RunAction.PAUSE, reason="broken_off").count() == 2


def test_the_book_takes_an_entry_twice_and_counts_it_once(alice: User, keys: Release) -> None:
    """As after a connection that was lost at the commit."""
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=2), alice)
    claim = claimed()

    async def twice() -> None:
        async with entries(claim, run) as book:
            first, second, third = [await taken(book) for _ in range(3)]
            for _ in range(2):
                assert await book.reserve(sent(first))
            assert await book.reserve(sent(second))
            assert not await book.reserve(sent(third))  # two at once
            held = dict(book._held)
            for _ in range(2):
                book._held.update(held)
                await book.end(ended(first))
                await book.fail(failed(second), is_free=False)

    asyncio.run(twice())
    found = now(run)
    assert (found.requests, found.input_tokens, found.reserved_requests) == (2, 200, 0)
    assert RunFailure.objects.count() == 1


def test_nothing_leaves_before_the_first_count_and_nothing_after_a_pause(
    alice: User, keys: Release
) -> None:
    draft = drafted(alice, keys, *NOWHERE)
    draft.settings |= {"caps": {"tokens": 10_000}}
    draft.save()
    run = start_run(draft, alice)
    claim = claimed()

    async def go() -> None:
        async with entries(claim, run) as book:
            first, second, third = [await taken(book) for _ in range(3)]
            assert await book.reserve(sent(first))
            assert not await book.reserve(sent(second))
            await book.end(ended(first))  # without a count: ours holds
            assert await book.reserve(sent(second))
            with pytest.raises(CapReachedError):
                await book.reserve(sent(third, 10_000))
            with pytest.raises(BrokenError):
                await book.reserve(sent(third))
            assert await book.next()  # was taken before
            assert await book.next() is None
            await book.end(ended(second))

    asyncio.run(go())
    give_back(claim, RunEnd(End.CAP, "A cap.", "tokens"))
    assert (now(run).ending, now(run).reason) == ("cap", "tokens")
    assert "10,000 tokens" in now(run).reason_details
    assert RunQuestion.objects.waiting().count() == COUNT - 2


def test_a_worker_from_before_a_pause_does_not_pause_the_run_that_was_resumed(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    slow = claimed()
    refused = RunEnd(End.PAUSED, "The endpoint does not accept the key.", "key")
    announce(slow, refused)
    assert (now(run).state, now(run).reason) == (RunState.PAUSED, "key")
    assert not renew(slow).is_going_on
    resume_run(run, alice, KEY, concurrency=3)
    assert not renew(slow).is_going_on
    assert claim_slice() is None  # it still has an answer in flight
    give_back(slow, refused)
    assert (now(run).state, now(run).reason) == (RunState.RUNNING, "")
    assert claimed().width == 3


# Who may do what, and whose turn it is


def test_who_may_do_what_in_which_state(alice: User, bob: User, adam: User, keys: Release) -> None:
    run = drafted(alice, keys, *NOWHERE)
    allowed = {
        "draft": {RunAction.START: "alice"},
        "running": {RunAction.PAUSE: "alice adam", RunAction.STOP: "alice adam"},
        "paused": {RunAction.RESUME: "alice", RunAction.STOP: "alice adam"},
        "ended": {},
    }
    for state, actions in allowed.items():
        run.state = state
        for action in RunAction:
            may = {who.username for who in (alice, bob, adam) if not why_not(run, action, who)}
            assert may == set(actions.get(action, "").split()), (state, action)
    with pytest.raises(NotAllowedError):
        start_run(drafted(alice, keys, *NOWHERE), bob)
    keys.hidden = True
    keys.save()
    with pytest.raises(StateError, match="evidence is secret"):
        start_run(drafted(alice, keys, *NOWHERE, strategy=Strategy.EVIDENCE_ONLY), alice)
    assert not RunQuestion.objects.exists()


def test_a_run_that_is_stopped_ends_when_its_last_part_is_back_and_has_no_key_then(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice, KEY)
    claim = claimed()
    stop_run(run, alice)
    assert (now(run).state, now(run).ending) == (RunState.RUNNING, "stopped")
    assert now(run).key
    with pytest.raises(StateError):
        pause_run(run, alice)
    with pytest.raises(StateError):
        stop_run(run, alice)
    assert claim_slice() is None
    give_back(claim, RunEnd(End.PAUSED))
    assert (now(run).state, now(run).key) == (RunState.ENDED, "")
    assert sweep_runs().handed_in == 1  # nothing was answered, so there is nothing to submit
    assert not Submission.objects.exists()
    assert not sweep_runs()
    assert standing_sentence(now(run)) == "Stopped."


@pytest.mark.parametrize("by", ["author", "admin", "bytes"])
def test_a_run_that_is_interrupted_while_its_last_answers_come_has_asked_everything(
    alice: User, adam: User, keys: Release, settings: Settings, by: str
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=1), alice)
    RunQuestion.objects.exclude(place=0).delete()
    claim = claimed()
    settings.DAILY_BYTES = 1 if by == "bytes" else 1_000

    async def answer() -> None:
        async with entries(claim, run) as book:
            last = await taken(book)
            assert await book.reserve(sent(last))
            if by == "author":
                await book.do(lambda: stop_run(run, alice))
            elif by == "admin":
                await book.do(lambda: stop_run_as_admin(run, adam, "It is enough."))
            await book.end(ended(last))

    asyncio.run(answer())
    give_back(claim, RunEnd(End.PAUSED))
    found = now(run)
    assert (found.state, found.ending) == (RunState.ENDED, "finished")
    assert found.reason == ("stopped_by_admin" if by == "admin" else "")


def test_a_run_is_submitted_though_its_release_was_closed_after_its_start(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    claim = claimed()

    async def answer_one() -> None:
        async with entries(claim, run) as book:
            question = await taken(book)
            assert await book.reserve(sent(question))
            await book.end(ended(question))

    asyncio.run(answer_one())
    Release.objects.update(accepts_submissions=False)
    with pytest.raises(StateError, match="closed"):
        start_run(drafted(alice, keys, *NOWHERE), alice)
    stop_run(run, alice)
    give_back(claim, RunEnd(End.PAUSED))
    sweep_runs()
    assert now(run).submission == Submission.objects.get()


def test_the_same_answer_to_every_question_is_taken_for_no_zip_bomb(tmp_path: Path) -> None:
    rows = (json.dumps({"id": n, "prediction": "the " * 300}) + "\n" for n in range(3_946))
    file = tmp_path / "endpoint-run.zip"
    file.write_bytes(packed({"preds_kv_retrieval.jsonl": "".join(rows).encode()}))
    assert len(read_predictions(file).tasks["kv_retrieval"].rows) == 3_946


def test_a_run_whose_answers_are_too_large_for_any_upload_is_not_submitted(
    alice: User, keys: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    ask_together(run, 1, answering_at_once)
    limits = replace(LIMITS, bytes_in=COUNT * 20)
    monkeypatch.setattr(handing_in, "LIMITS", limits)
    assert sweep_runs().handed_in == 1
    assert (now(run).reason, now(run).submission) == ("not submitted", None)
    assert not sweep_runs()


def test_a_run_ends_when_its_answers_fill_what_it_may_store(
    alice: User, keys: Release, settings: Settings
) -> None:
    """As much as a person may upload in a day, wherever an answer has its text."""
    settings.DAILY_BYTES = 10_000
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=1), alice)

    async def long() -> Reply:
        return Reply("深" * 300, "x" * 100, "stop", is_refused=False, usage=None)

    ask_together(run, 1, long)
    ended = now(run)
    assert (ended.state, ended.ending, ended.reason) == (RunState.ENDED, "cap", "bytes")
    assert outcomes(run) == {Outcome.ANSWERED: 11}
    resumed = start_run(drafted(alice, keys, *NOWHERE, concurrency=1), alice)
    resumed.questions.filter(place=5).update(text="x" * 10_000)  # of an earlier turn
    ask_together(resumed, 1, answering_at_once)
    assert (now(resumed).reason, outcomes(resumed).total()) == ("bytes", 1)


def test_no_run_starts_with_a_cap_on_money_that_it_can_never_reach(
    alice: User, keys: Release
) -> None:
    """One that was configured before there had to be prices."""
    draft = drafted(alice, keys, *NOWHERE)
    draft.settings |= {"caps": {"money": 5}}
    draft.save()
    with pytest.raises(StateError, match="needs prices"):
        start_run(draft, alice)
    assert now(draft).state == RunState.DRAFT


def test_a_paused_run_has_its_key_for_a_week_and_goes_on_with_a_new_one(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice, KEY)
    row, alices = EndpointRun.objects.filter(pk=run.pk), signed_in(alice)
    page = reverse("endpoint_run", args=[run.pk])

    def key_on_page() -> list[str]:
        return [str(one["data-key"]) for one in html.page(alices.get(page)).select("[data-key]")]

    assert run.key_until is None
    pause_run(run, alice)
    assert row.filter(key_until__gt=Now() + timedelta(days=6.9)).exists()
    assert (sweep_runs().keys_deleted, key_on_page()) == (0, ["stored"])
    row.update(key_until=Now())
    assert (sweep_runs().keys_deleted, sweep_runs().keys_deleted) == (1, 0)
    assert (now(run).state, now(run).key, key_on_page()) == (RunState.PAUSED, "", ["deleted"])
    with pytest.raises(StateError) as refused:
        resume_run(run, alice)
    assert refused.value.code == "key_deleted"
    assert alices.post(f"{page}resume/").status_code == 422
    assert alices.post(f"{page}resume/", {"key": KEY, "concurrency": "3"}).status_code == 302
    resumed = now(run)
    assert (resumed.state, resumed.key_until, key_on_page()) == (RunState.RUNNING, None, [])
    assert decrypt_key(resumed.key, run_id=run.pk, host="127.0.0.1:9") == KEY


def test_runs_take_turns_and_an_account_has_only_so_many(
    alice: User, bob: User, keys: Release, settings: Settings
) -> None:
    settings.RUN_WIDTH, settings.MAX_RUNS = 4, 1
    wide = start_run(drafted(alice, keys, *NOWHERE, concurrency=8), alice)
    with pytest.raises(QuotaError):
        start_run(drafted(alice, keys, *NOWHERE), alice)
    first, second = claimed(), claimed()
    assert (first.width, second.width) == (4, 4)
    assert claim_slice() is None
    assert not is_awaited(first.lease)
    other = start_run(drafted(bob, keys, *NOWHERE, concurrency=2), bob)
    assert is_awaited(first.lease)
    give_back(first, RunEnd(End.PAUSED))
    third = claimed()
    assert third.lease.run_id == other.pk
    assert not is_awaited(second.lease)  # each has one
    assert not is_awaited(third.lease)
    fetch = fetch_for(alice, keys)
    assert is_awaited(third.lease)
    fetch.delete()
    assert not is_awaited(third.lease)
    start_connection_test(drafted(alice, keys, *NOWHERE))
    assert is_awaited(third.lease)
    assert claimed().lease.run_id == wide.pk


@pytest.mark.parametrize(
    ("concurrency", "rate", "widths"),
    [(1, None, [1]), (32, None, [32]), (33, None, [32, 1]), (200, None, [32, 32]), (64, 1, [32])],
)
def test_a_run_is_divided_into_as_few_parts_as_possible(
    concurrency: int, rate: int | None, widths: list[int]
) -> None:
    assert slice_widths(concurrency, rate) == widths


def test_questions_that_failed_by_us_keep_their_task_out_of_the_submission(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    ended_at = "2026-11-23T00:00Z"
    run.questions.update(state=QuestionState.ENDED, outcome="answered", ended_at=ended_at)
    run.questions.filter(place=3).update(outcome=Outcome.OUR_FAILURE)
    stop_run(run, alice)
    hand_in_run(run.pk)
    assert now(run).handed_in
    assert now(run).submission is None


def answered(run: EndpointRun) -> EndpointRun:
    """Every question, and stopped."""
    ended_at = "2026-11-23T00:00Z"
    run.questions.update(
        state=QuestionState.ENDED, outcome="answered", text="12345", ended_at=ended_at
    )
    stop_run(run, run.owner)
    return run


def test_a_stopped_run_is_scored_by_what_it_has_asked(alice: User, keys: Release) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    ended = {"state": QuestionState.ENDED, "ended_at": "2026-11-23T00:00Z"}
    right = run.questions.select_related("example").order_by("place").first()
    assert right
    run.questions.filter(pk=right.pk).update(
        outcome=Outcome.ANSWERED, text=right.example.label, **ended
    )
    run.questions.filter(place=1).update(outcome=Outcome.ENDPOINT_FAILED, **ended)
    stop_run(run, alice)
    hand_in_run(run.pk)
    made = now(run).submission
    assert made
    evaluation = made.evaluations.get()
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    row = evaluation.task_scores.get(metric_set=PAPER_SET)
    assert (row.mean, row.asked, row.answered, row.size) == (50.0, 2, 1, COUNT)
    # What is said of files that leave questions out would be wrong here, and of null as well.
    assert [one["code"] for one in evaluation.problems] == []


def test_files_that_its_author_uploads_are_not_its_answers(alice: User, keys: Release) -> None:
    """Not even under its own id, which they know."""
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    uploaded = submit_predictions(
        owner=alice,
        language_model=run.language_model,
        release=keys,
        settings=SubmissionSettings(),
        upload=Upload(ContentFile(b"{}"), "preds_passkey.jsonl"),
        submission_id=run.pk,
    )
    hand_in_run(answered(run).pk)
    made = now(run).submission
    assert made
    assert made != uploaded
    assert [one.original.name for one in made.files.all()] == ["endpoint-run.zip"]


def test_what_the_site_has_asked_with_is_not_for_its_author_to_change(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    hand_in_run(answered(run).pk)
    made = now(run).submission
    assert made
    told = {"note": "seed 3", "prompt_strategy": "none", "input_limit": "4000", "method": "RAG"}
    signed_in(alice).post(f"/submissions/{made.pk}/edit/", {**told, "truncation": "none"})
    edited = Submission.objects.get(pk=made.pk)
    assert (edited.note, edited.prompt_strategy, edited.method) == ("seed 3", "direct", "")
    assert (edited.input_limit, edited.truncation) == (made.input_limit, made.truncation)
    with pytest.raises(StateError):
        edit_settings(made, EditableSettings(method="RAG"), by=alice)


def test_an_account_starts_only_so_many_runs_a_day_and_on_hidden_releases_they_count_as_uploads(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.MAX_DAILY_RUNS = 2
    Release.objects.update(hidden=True)
    for _ in range(2):
        answered(start_run(drafted(alice, keys, *NOWHERE), alice))
    assert CountedUpload.objects.count() == 2
    with pytest.raises(QuotaError) as refused:
        start_run(drafted(alice, keys, *NOWHERE), alice)
    assert refused.value.code == "too_many_runs_today"
