"""The run itself, against the reference endpoint with its faults and one without a network."""

import asyncio
import gc
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scoring.endpoint.budget import Budget, Spent
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.book import FileBook
from scoring.endpoint.run.records import Ended, Failed, Outcome, Sent, history_of
from scoring.endpoint.run.runner import Asks, End, Patience, Run, RunEnd, RunState, outcome_of
from scoring.endpoint.settings import Caps
from scoring.endpoint.transport.client import Endpoint, Exchange
from scoring.endpoint.transport.failures import EndpointError, Kind
from scoring.endpoint.transport.pacing import Backoff, Breaker, BrokenError, Pace
from scoring.endpoint.transport.wire import Reply
from tests.support.endpoint_runs import Memory, passkey_questions, settings
from tests.support.reference_endpoint import served_here

QUICK = Patience(Backoff(0.001, 0.002), failures=8, seconds=0.0)
PATIENT = Patience(Backoff(0.001, 0.002))


class Scripted:
    """An endpoint without a network: a function answers, and concurrent requests are counted."""

    def __init__(self, script: Any) -> None:
        self._script = script
        self.asked = 0
        self.most = 0
        self._now = 0

    async def ask(self, body: bytes, output_tokens: int) -> Exchange:
        self.asked += 1
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            answer = self._script(self.asked, json.loads(body))
            if asyncio.iscoroutine(answer):
                answer = await answer
            else:
                await asyncio.sleep(0)
        finally:
            self._now -= 1
        return answer if isinstance(answer, Exchange) else exchange(answer)


def exchange(text: str = "42", finish: str = "stop", usage: Spent | None = None) -> Exchange:
    return Exchange(Reply(text, "", finish, is_refused=False, usage=usage), 0.5)


def run(
    questions: list[ReleaseQuestion],
    endpoint: Asks,
    store: Memory,
    patience: Patience = QUICK,
    **more: Any,
) -> tuple[RunEnd, RunState]:
    wanted = settings(**more)
    before = history_of(store.read())
    left = [one for one in questions if not before.is_settled(one.task, one.key)]
    state = RunState(len(questions), 0)
    budget = Budget(wanted.caps, wanted.prices, before.spent, before.ratio)

    async def go() -> RunEnd:
        book = FileBook(store, budget, left)
        return await Run(wanted, endpoint, book, state, patience=patience).ask_all()

    end = asyncio.run(go())
    assert history_of(store.read()).spent == budget.spent
    return end, state


def run_at(
    url: str, model: str, questions: list[ReleaseQuestion], store: Memory, **more: Any
) -> Any:
    wanted = settings(url, model, **more)
    state = RunState(len(questions), 0)

    async def go() -> RunEnd:
        book = FileBook(store, Budget(wanted.caps, wanted.prices), questions)
        async with Endpoint(wanted) as endpoint:
            return await Run(wanted, endpoint, book, state, patience=PATIENT).ask_all()

    return asyncio.run(go()), state


def spent(store: Memory) -> Spent:
    return history_of(store.read()).spent


def ends(store: Memory) -> dict[Any, Ended]:
    return {record.key: record for record in store.records if isinstance(record, Ended)}


# With the reference endpoint


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("api", ["chat", "completions"])
def test_every_question_is_answered_and_everything_about_it_is_stored(
    tmp_path: Path, stream: bool, api: str
) -> None:
    questions, store = passkey_questions(tmp_path), Memory()
    with served_here("--window", "8K") as endpoint:
        end, state = run_at(endpoint.url, endpoint.model, questions, store, stream=stream, api=api)
    assert end == RunEnd(End.FINISHED)
    assert state.outcomes == {Outcome.ANSWERED: len(questions)}
    for question in questions:
        record = ends(store)[question.key]
        assert record.text == question.example.label
        assert record.reported
        assert record.spent.input == record.counted
        assert (record.first_token is not None) is stream
        assert record.seconds is not None
        assert record.sight == "whole"


def test_a_storm_of_faults_changes_no_answer(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 40), Memory()
    faults = "429=0.1,500=0.15,drop=0.1,half=0.05,not-json=0.05,wrong-types=0.05"
    log = tmp_path / "log.jsonl"
    with served_here("--window", "8K", "--faults", faults, "--log", str(log)) as endpoint:
        end, state = run_at(endpoint.url, endpoint.model, questions, store, attempts=20)
    assert end == RunEnd(End.FINISHED)
    assert {key: one.text for key, one in ends(store).items()} == {
        question.key: question.example.label for question in questions
    }
    logged = Counter(json.loads(line)["ended"] for line in log.read_text().splitlines())
    assert logged["answered"] == 40
    attempts = [record for record in store.records if isinstance(record, Sent)]
    assert len(attempts) == state.failures.total() + 40
    # A connection that is just being dropped may lose the next request before it is read.
    assert len(attempts) >= logged.total() > 60


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("empty", Outcome.EMPTY),
        ("refused", Outcome.REFUSED),
        ("cut", Outcome.CUT),
        ("reasoning", Outcome.ANSWERED),
    ],
)
def test_answers_are_of_several_kinds(tmp_path: Path, fault: str, outcome: Outcome) -> None:
    questions, store = passkey_questions(tmp_path, 3), Memory()
    with served_here("--window", "8K", "--faults", f"{fault}=1") as endpoint:
        end, state = run_at(endpoint.url, endpoint.model, questions, store)
    assert end.kind is End.FINISHED
    assert state.outcomes == {outcome: 3}
    is_thoughtful = fault == "reasoning"
    assert all(bool(record.reasoning) is is_thoughtful for record in ends(store).values())
    assert not any("question is read" in record.text for record in ends(store).values())


def test_a_wrong_key_pauses_the_run_after_the_first_answer_to_it(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 30), Memory()
    with served_here("--window", "8K", "--key", "right") as endpoint:
        end, state = run_at(endpoint.url, endpoint.model, questions, store, concurrency=4)
    assert end.kind is End.PAUSED
    assert end.sentence.startswith("The endpoint does not accept the key.")
    assert ends(store) == {}
    assert state.failures.total() <= 4


def test_a_prompt_that_the_endpoint_finds_too_long_is_our_failure(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 3, noise=100), Memory()
    with served_here("--window", "1K", "--over", "refuse") as endpoint:
        end, state = run_at(endpoint.url, endpoint.model, questions, store)
    assert end.kind is End.FINISHED
    assert state.outcomes == {Outcome.OUR_FAILURE: 3}
    assert "maximum context length is 1000" in ends(store)[0].detail


# Without a network


def test_no_more_than_the_bound_are_in_flight_and_places_are_filled_at_once(
    tmp_path: Path,
) -> None:
    """A slow answer occupies one slot; the others go on until nothing is left."""
    questions, store = passkey_questions(tmp_path, 30), Memory()
    all_places_are_taken, others_are_done = asyncio.Event(), asyncio.Event()

    async def slow_first(number: int) -> str:
        if number == 5:
            all_places_are_taken.set()
        await all_places_are_taken.wait()
        if number == 30:
            others_are_done.set()
        if number == 1:
            await others_are_done.wait()
        return "42"

    endpoint = Scripted(lambda number, _: slow_first(number))
    end, _ = run(questions, endpoint, store, concurrency=5)
    assert end.kind is End.FINISHED
    assert (endpoint.asked, endpoint.most) == (30, 5)
    assert [one.key for one in store.records if isinstance(one, Ended)][-1] == questions[0].key


def test_questions_leave_in_their_order(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 20), Memory()
    run(questions, Scripted(lambda *_: "42"), store, concurrency=4)
    sent = [record.key for record in store.records if isinstance(record, Sent)]
    assert sent == [question.key for question in questions]


def test_an_answer_is_entered_before_the_next_request_leaves(tmp_path: Path) -> None:
    store = Memory()
    run(passkey_questions(tmp_path, 4), Scripted(lambda nth, body: "42"), store, concurrency=1)
    entries = [one for one in store.read() if isinstance(one, Sent | Ended)]
    assert [type(one) for one in entries] == [Sent, Ended] * 4


def test_an_endpoint_that_only_fails_pauses_the_run_and_says_why(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 30), Memory()

    def broken(*_: object) -> None:
        raise EndpointError(Kind.SERVER, "500 Oops")

    endpoint = Scripted(broken)
    end, state = run(questions, endpoint, store, concurrency=3)
    assert end.kind is End.PAUSED
    assert "none was answered. The last: The endpoint has failed. 500 Oops" in end.sentence
    assert endpoint.asked == state.failures.total() < 15


def test_an_endpoint_that_asks_to_come_back_in_an_hour_is_left_alone(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 30), Memory()

    def busy(*_: object) -> None:
        raise EndpointError(Kind.BUSY, "429", retry_after=3_600)

    endpoint = Scripted(busy)
    end, _ = run(questions, endpoint, store, concurrency=1)
    assert end == RunEnd(
        End.PAUSED, "The endpoint asks us to come again in 60 minutes.", "retry_later"
    )
    assert endpoint.asked == 1


def test_an_endpoint_that_refuses_whatever_is_sent_pauses_the_run(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 40), Memory()

    def refuses(*_: object) -> None:
        raise EndpointError(Kind.REQUEST, "400 unknown field")

    endpoint = Scripted(refuses)
    end, _ = run(questions, endpoint, store, concurrency=3)
    assert end.kind is End.PAUSED
    assert "refused 8 requests and answered none" in end.sentence
    assert "400 unknown field" in end.sentence
    assert endpoint.asked <= 10


def test_an_endpoint_that_has_answered_may_refuse_questions(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 20), Memory()

    def script(number: int, _: object) -> str:
        if number > 1:
            raise EndpointError(Kind.REQUEST, "400 not this one")
        return "42"

    end, state = run(questions, Scripted(script), store, concurrency=1)
    assert end.kind is End.FINISHED
    assert state.outcomes == {Outcome.ANSWERED: 1, Outcome.OUR_FAILURE: 19}


@pytest.mark.parametrize(("failing", "kind", "asked"), [(1, End.PAUSED, 1), (3, End.FINISHED, 6)])
def test_a_name_that_is_not_known_for_a_moment_pauses_only_a_run_without_an_answer(
    tmp_path: Path, failing: int, kind: End, asked: int
) -> None:
    questions, store = passkey_questions(tmp_path, 5), Memory()

    def script(number: int, _: object) -> str:
        if number == failing:
            raise EndpointError(Kind.NAME)
        return "42"

    endpoint = Scripted(script)
    end, _ = run(questions, endpoint, store, concurrency=1)
    assert (end.kind, endpoint.asked) == (kind, asked)


def test_a_cap_on_time_ends_a_wait_too(tmp_path: Path) -> None:
    """If it did not, this test would take ten minutes."""
    questions, store = passkey_questions(tmp_path, 3), Memory()

    def busy(*_: object) -> None:
        raise EndpointError(Kind.BUSY, "429", retry_after=600)

    end, _ = run(questions, Scripted(busy), store, caps=Caps(seconds=1))
    assert end == RunEnd(End.CAP, "The cap of 1 seconds is reached.", "seconds")
    assert ends(store) == {}


def test_requests_that_wait_for_the_first_count_do_not_leave_at_once_after_it(
    tmp_path: Path,
) -> None:
    questions, store = passkey_questions(tmp_path, 5), Memory()
    times: list[float] = []

    async def late_first(number: int) -> Exchange:
        loop = asyncio.get_running_loop()
        times.append(loop.time())
        while number == 1 and loop.time() < times[0] + 0.8:
            await asyncio.sleep(0.05)
        return exchange(usage=Spent(1, 100, 0, 5))

    run(
        questions, Scripted(lambda number, _: late_first(number)), store, concurrency=5,
        requests_per_minute=300, caps=Caps(tokens=1_000_000),
    )  # fmt: skip
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) > 0.15  # 0.2 s each


def test_who_waits_to_try_again_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """If it did, this test would take minutes: the first request waits as long as it is told."""
    questions, store = passkey_questions(tmp_path, 10), Memory()

    def script(number: int, _: object) -> str:
        if number == 1:
            raise EndpointError(Kind.BUSY, "429", retry_after=600)
        raise EndpointError(Kind.KEY, "401")

    end, _ = run(questions, Scripted(script), store, concurrency=2)
    assert end.kind is End.PAUSED
    assert "key" in end.sentence


def test_a_question_that_keeps_failing_is_failed_by_the_endpoint_and_asked_again_later(
    tmp_path: Path,
) -> None:
    questions, store = passkey_questions(tmp_path, 10), Memory()
    poison = str(questions[3].example.label)

    def script(_: int, body: dict[str, Any]) -> str:
        if poison in body["messages"][0]["content"]:
            raise EndpointError(Kind.SERVER, "500")
        return "42"

    end, state = run(questions, Scripted(script), store, PATIENT, attempts=3)
    assert end.kind is End.FINISHED
    assert state.outcomes == {Outcome.ANSWERED: 9, Outcome.ENDPOINT_FAILED: 1}
    assert ends(store)[3].attempts == 3
    again = Scripted(lambda *_: "43")
    run(questions, again, store)
    assert again.asked == 1
    assert ends(store)[3].text == "43"


def test_a_cap_ends_the_run_where_the_next_request_does_not_fit(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 30), Memory()
    endpoint = Scripted(lambda *_: "42")
    end, _ = run(questions, endpoint, store, concurrency=4, caps=Caps(requests=7))
    assert end == RunEnd(End.CAP, "The cap of 7 requests is reached.", "requests")
    assert endpoint.asked == 7
    assert len(ends(store)) == 7
    assert [one.key for one in questions[:7]] == sorted(ends(store))
    more = Scripted(lambda *_: "42")
    run(questions, more, store, caps=Caps(requests=10))
    assert more.asked == 3


def test_a_cap_on_tokens_holds_for_an_endpoint_that_counts_more(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 60), Memory()

    def script(*_: object) -> Exchange:
        return exchange(usage=Spent(1, round(1.4 * sent_of(store)), 0, 2))

    def sent_of(memory: Memory) -> int:
        return next(one.input for one in reversed(memory.records) if isinstance(one, Sent))

    limits = {"passkey": 16}
    end, _ = run(
        questions, Scripted(script), store, concurrency=8, output_tokens=limits,
        caps=Caps(tokens=20_000),
    )  # fmt: skip
    assert end.kind is End.CAP
    assert 15_000 < spent(store).tokens <= 20_200


def test_a_cap_on_time_ends_the_run(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 30), Memory()

    async def late(_: int) -> str:
        loop = asyncio.get_running_loop()
        wake = loop.time() + 0.4
        while loop.time() < wake:
            await asyncio.sleep(0.05)
        return "42"

    endpoint = Scripted(lambda number, _: late(number))
    end, _ = run(questions, endpoint, store, concurrency=1, caps=Caps(seconds=1))
    assert end == RunEnd(End.CAP, "The cap of 1 seconds is reached.", "seconds")
    assert 1 < len(ends(store)) == endpoint.asked < 6


def test_what_does_not_fit_is_recorded_as_skipped(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 3, noise=100), Memory()
    limits: dict[str, Any] = {"window": 600, "output_tokens": {"passkey": 16}, "truncation": "skip"}
    end, state = run(questions, Scripted(lambda *_: "42"), store, **limits)
    assert end.kind is End.FINISHED
    assert state.outcomes == {Outcome.SKIPPED: 3}


def test_an_error_of_ours_stops_the_run_and_is_raised(tmp_path: Path) -> None:
    class Full(Memory):
        def append(self, record: object) -> None:
            raise OSError(28, "No space left on device")

    questions = passkey_questions(tmp_path, 3)
    with pytest.raises(OSError, match="No space left"):
        run(questions, Scripted(lambda *_: "42"), Full())


def test_a_release_that_goes_away_stops_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    questions = passkey_questions(tmp_path, 3)
    (tmp_path / "passkey.jsonl").unlink()
    with pytest.raises(FileNotFoundError):
        run(questions, Scripted(lambda *_: "42"), Memory())
    gc.collect()
    assert "never retrieved" not in caplog.text  # the prompts that were being made


def test_failed_attempts_are_recorded_with_their_kind(tmp_path: Path) -> None:
    questions, store = passkey_questions(tmp_path, 1), Memory()

    def script(number: int, _: object) -> str:
        if number < 4:
            raise EndpointError([Kind.TIMEOUT, Kind.BUSY, Kind.REPORTED][number - 1], "x")
        return "42"

    run(questions, Scripted(script), store)
    failures = [record for record in store.records if isinstance(record, Failed)]
    assert [one.kind for one in failures] == ["timeout", "busy", "reported"]
    assert failures[0].spent.tokens == failures[2].spent.tokens > 0 == failures[1].spent.tokens
    assert spent(store).requests == 4
    reserved = sum(one.input + one.output for one in store.records if isinstance(one, Sent))
    assert spent(store).tokens == reserved * 3 // 4


@pytest.mark.parametrize(
    ("text", "finish", "refused", "outcome"),
    [
        ("42", "stop", False, Outcome.ANSWERED),
        ("42", "", False, Outcome.ANSWERED),
        (" \n", "stop", False, Outcome.EMPTY),
        ("", "length", False, Outcome.CUT),
        ("4", "length", False, Outcome.CUT),
        ("4", "content_filter", True, Outcome.REFUSED),
    ],
)
def test_outcomes(text: str, finish: str, refused: bool, outcome: Outcome) -> None:
    assert outcome_of(Reply(text, "", finish, refused, None)) is outcome


# Pacing


class Fixed:
    def __init__(self, share: float) -> None:
        self._share = share

    def uniform(self, low: float, high: float) -> float:
        return low + self._share * (high - low)


def test_back_off_doubles_up_to_its_longest_and_obeys_the_endpoint() -> None:
    backoff = Backoff(1, 20)
    most = [backoff.wait(attempt, Fixed(1.0)) for attempt in range(1, 8)]  # type: ignore[arg-type]
    assert most == [1, 2, 4, 8, 16, 20, 20]
    assert backoff.wait(3, Fixed(0.0)) == 2  # type: ignore[arg-type]
    assert backoff.wait(1, Fixed(1.0), retry_after=7) == 7  # type: ignore[arg-type]


def test_the_breaker_needs_many_failures_and_a_long_silence() -> None:
    breaker = Breaker(3, 10, now=0)
    for now in (1, 2, 3, 9):
        breaker.note_failure("x", now)
    breaker.note_answer(9)
    breaker.note_failure("x", 20)
    breaker.note_failure("x", 21)
    with pytest.raises(BrokenError):
        breaker.note_failure("x", 22)


def test_a_rate_spreads_requests_over_the_minute() -> None:
    pace = Pace(120)
    assert [pace.wait(now) for now in (10.0, 10.0, 10.0, 13.0)] == [0, 0.5, 1.0, 0]
    assert [Pace(None).wait(5.0) for _ in range(3)] == [0, 0, 0]
