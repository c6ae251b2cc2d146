"""The book of a run in the database: caps, answers, and what lost workers leave behind."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from django.db import DataError
from django.db.models.functions import Now
from pytest_django import Settings

from portal.endpoint_runs.asking.slices import (
    Claim,
    LeaseLostError,
    announce,
    claim_slice,
    give_back,
    reclaim_lost,
    renew,
)
from portal.endpoint_runs.services import (
    pause_run,
    resume_run,
    start_run,
    stop_run,
)
from portal.models import (
    AuditEntry,
    EndpointRun,
    Release,
    RunAction,
    RunFailure,
    RunQuestion,
    RunSlice,
    RunState,
    User,
)
from scoring.endpoint.budget import CapReachedError, Spent
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import Outcome
from scoring.endpoint.run.runner import End, RunEnd
from scoring.endpoint.transport.failures import EndpointError, Kind
from scoring.endpoint.transport.pacing import BrokenError
from scoring.endpoint.transport.wire import Reply
from tests.support.asked_runs import KEY, drafted, outcomes, passkeys
from tests.support.run_workers import (
    COUNT,
    NOWHERE,
    answering_at_once,
    ask_together,
    claimed,
    ended,
    entries,
    failed,
    now,
    reply,
    sent,
    taken,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]


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


def test_what_was_refused_for_its_key_counts_as_not_sent(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.RUN_WIDTH = 2
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=4), alice)

    async def script() -> Reply:
        raise EndpointError(Kind.KEY)

    ask_together(run, 2, script)
    paused = now(run)
    assert (paused.state, paused.reason) == (RunState.PAUSED, "key")
    assert (paused.requests, paused.reserved_requests, paused.reserved_input) == (0, 0, 0)
    assert paused.failures.filter(kind="key").exists()


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
    full = (1 << 63) - 1  # none of our code does this
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
    """Even if the sums of what is reserved are wrong, although none of our code leaves them so."""
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
            assert (found.requests, found.input_tokens) == (2, 200), state  # and what was in flight
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
    """It crashes its worker, or the worker stops before its end: each attempt may cost money."""
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
    """As after a connection that was lost during the commit."""
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
            assert await book.next()  # was accepted before
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
    run.refresh_from_db()
    changes = [change for _when, *change in run.concurrency_changes or []]
    assert (changes, run.settings["concurrency"]) == ([[8, 3]], 3)
    assert not renew(slow).is_going_on
    assert claim_slice() is None  # it still has an answer in flight
    give_back(slow, refused)
    assert (now(run).state, now(run).reason) == (RunState.RUNNING, "")
    assert claimed().width == 3


# Who may do what, and whose turn it is


def test_a_run_ends_when_its_answers_fill_what_it_may_store(
    alice: User, keys: Release, settings: Settings
) -> None:
    """The limit is what a person may upload in a day, wherever the text of an answer is."""
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
