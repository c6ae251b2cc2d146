"""The run: a rolling window of requests under one bound.

A producer takes questions from the book and prepares requests a few ahead, in threads; as many
workers as requests may be in flight take one after the other, so that a slow answer delays nothing
but its own place. Everything is entered in the book before the next request of its worker leaves,
where possible together with that request.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from typing import NamedTuple, Protocol

from scoring.endpoint.budget import NOTHING_SPENT, CapReachedError
from scoring.endpoint.prompts import SentPrompt, SkippedError, prompt_for
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.book import Book
from scoring.endpoint.run.records import ANSWERS, Ended, Failed, Outcome, Sent
from scoring.endpoint.scored_text import scored_text
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.client import Exchange
from scoring.endpoint.transport.failures import EndpointError, Kind
from scoring.endpoint.transport.pacing import (
    NO_SILENCE,
    Backoff,
    Breaker,
    BrokenError,
    Pace,
    Places,
    Refusals,
    Silence,
)
from scoring.endpoint.transport.wire import Reply, request_body

_THREADS = 2  # that prepare requests: tiktoken leaves the processor to others meanwhile
_AHEAD = 2  # requests that wait for a worker


class Asks(Protocol):
    """The endpoint, as the run needs it."""

    async def ask(self, body: bytes, output_tokens: int) -> Exchange: ...


class End(StrEnum):
    FINISHED = "finished"
    CAP = "cap reached"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class RunEnd:
    kind: End
    sentence: str = ""
    code: str = ""  # of a cap, or why the run has paused


@dataclass(slots=True)
class RunState:
    """How far a run is; ``outcomes`` are those since it was started or resumed."""

    questions: int
    settled_before: int
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)  # of attempts, by kind
    in_flight: int = 0

    @property
    def settled(self) -> int:
        return self.settled_before + self.outcomes.total()


class Patience(NamedTuple):
    backoff: Backoff = Backoff()
    failures: int = 20  # in a row, and …
    seconds: float = 120.0  # … for so long, until the run pauses
    refusals: int = 8  # of the first requests, until it does
    longest_wait: float = 900.0  # seconds; an endpoint that asks for more pauses the run


PATIENCE = Patience()
_now = time.monotonic
_LOOK = 0.5  # seconds until a request that has to wait asks again: others may share the book


class _Request(NamedTuple):
    prompt: SentPrompt  # without its text, which may have millions of characters
    body: bytes


class Run:
    """``places``: how many questions it may ask at once, if others decide that. ``has_answered``:
    whether the endpoint has in an earlier part of the run, which took ``seconds_before`` and ended
    with this ``silence``."""

    def __init__(
        self,
        settings: RunSettings,
        endpoint: Asks,
        book: Book,
        state: RunState,
        *,
        patience: Patience = PATIENCE,
        places: Places | None = None,
        progress: Callable[[RunState], None] = lambda state: None,
        has_answered: bool = False,
        seconds_before: float = 0.0,
        silence: Silence = NO_SILENCE,
    ) -> None:
        self.state = state
        self._settings = settings
        self._endpoint = endpoint
        self._book = book
        self._patience = patience
        self._places = places or Places(settings.concurrency)
        self._progress = progress
        self._random = Random()  # noqa: S311 - only spreads retries
        self._pace = Pace(settings.requests_per_minute)
        self._turn = asyncio.Lock()
        self._tasks = asyncio.TaskGroup()
        self._settled = asyncio.Event()
        self._over = asyncio.Event()
        self._end = RunEnd(End.FINISHED)
        self._breaker = Breaker(patience.failures, patience.seconds, _now(), silence)
        self._refusals = Refusals(patience.refusals, has_answered=has_answered)
        self._deadline = _now() + (settings.caps.seconds or math.inf) - seconds_before

    async def ask_all(self) -> RunEnd:
        """Ask until nothing is left, a cap is reached, or the endpoint cannot go on. What is in
        flight then is still answered, except when the run is cancelled."""
        ahead: asyncio.Queue[_Request | None] = asyncio.Queue(_AHEAD)
        threads = ThreadPoolExecutor(_THREADS)
        try:
            async with self._tasks as tasks:
                tasks.create_task(self._prepare_requests(ahead, threads))
                for _ in range(self._settings.concurrency):
                    tasks.create_task(self._work(ahead))
        except ExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:  # without waiting, which would halt other runs in the same loop
            threads.shutdown(wait=False, cancel_futures=True)
        return self._end

    @property
    def end(self) -> RunEnd | None:
        """Why no more requests are sent; None while they are."""
        return self._end if self._over.is_set() else None

    def stop(self, end: RunEnd) -> None:
        """No more requests; who waits to try again does not. The first reason counts."""
        if not self._over.is_set():
            self._end = end
            self._over.set()
            self._settled.set()

    async def _prepare_requests(
        self, ahead: asyncio.Queue[_Request | None], threads: ThreadPoolExecutor
    ) -> None:
        """Put the requests into the queue in their order, and then an end for each worker."""
        loop = asyncio.get_running_loop()
        making: list[tuple[ReleaseQuestion, asyncio.Future[_Request]]] = []
        try:
            while not self._over.is_set():
                while len(making) <= _THREADS and (taken := await self._book.next()):
                    making.append(
                        (taken, loop.run_in_executor(threads, self._prepare_request, taken))
                    )
                if not making:
                    break
                question, work = making.pop(0)
                try:
                    await ahead.put(await work)
                except SkippedError as error:
                    await self._note_end(self._ended(question, Outcome.SKIPPED, detail=str(error)))
        finally:  # also where a request cannot be prepared, or this task is cancelled
            for _, work in making:
                if not work.cancel():  # it is done …
                    work.exception()  # … and asyncio would log an error that nobody has looked at
        for _ in range(self._settings.concurrency):
            await ahead.put(None)

    def _prepare_request(self, question: ReleaseQuestion) -> _Request:
        """Raises ``SkippedError``."""
        prompt = prompt_for(question, self._settings)
        return _Request(replace(prompt, text=""), request_body(self._settings, prompt))

    async def _work(self, ahead: asyncio.Queue[_Request | None]) -> None:
        is_left = True
        while is_left:
            async with self._places:
                is_left = await self._ask_next(ahead)

    async def _ask_next(self, ahead: asyncio.Queue[_Request | None]) -> bool:
        """Returns whether there was a next one. After the end of the run the queue is emptied, so
        that nobody waits for room in it."""
        request = await ahead.get()
        if request and not self._over.is_set():
            try:
                await self._ask(*request)
            except CapReachedError as error:
                self.stop(RunEnd(End.CAP, str(error), error.code))
            except BrokenError as error:
                self.stop(RunEnd(End.PAUSED, str(error), error.code))
        return request is not None

    async def _ask(self, prompt: SentPrompt, body: bytes) -> None:
        """Ask one question until it is answered. Raises ``CapReachedError`` and ``BrokenError``."""
        settings, question = self._settings, prompt.question
        for attempt in range(1, settings.attempts + 1):
            try:
                await self._send(prompt, body, attempt)
            except EndpointError as error:
                if error.rule.is_retried and attempt < settings.attempts:
                    backoff = self._patience.backoff
                    await self._sleep(backoff.wait(attempt, self._random, error.retry_after))
                    continue
                ours = error.rule.is_ours
                outcome = Outcome.OUR_FAILURE if ours else Outcome.ENDPOINT_FAILED
                await self._note_end(
                    self._ended(question, outcome, prompt, attempts=attempt, detail=str(error))
                )
            return

    async def _send(self, prompt: SentPrompt, body: bytes, attempt: int) -> None:
        """One request. Raises ``EndpointError``, and what ``_ask`` raises."""
        question = prompt.question
        limit = self._settings.output_limit(question.task)
        await self._reserve(
            Sent(question.task, question.key, attempt, prompt.count.value, limit, time.time())
        )
        self.state.in_flight += 1
        try:
            exchange = await self._endpoint.ask(body, limit)
        except EndpointError as error:
            await self._note_failure(prompt, attempt, error)
            raise
        else:
            self._breaker.note_answer(_now())
            self._refusals.note_answer()
            # Not awaited, so that a book can enter the next reservation in the same transaction …
            self._tasks.create_task(self._note_end(self._answer(prompt, attempt, exchange)))
            await asyncio.sleep(0)  # … which it is given after this
        finally:
            self.state.in_flight -= 1
            self._settled.set()

    async def _reserve(self, sent: Sent) -> None:
        """Wait for the turn of a request, one after the other. Raises ``CapReachedError``, and
        ``BrokenError`` where the run has ended meanwhile."""
        async with self._turn:
            await self._sleep(self._pace.wait(_now()))
            self._settled.clear()
            while not await self._book.reserve(sent):
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK):
                        await self._settled.wait()
                await self._sleep(0)
                self._settled.clear()
            self._pace.note_leaving(_now())

    async def _sleep(self, seconds: float) -> None:
        """Until the cap on time at most. Raises ``CapReachedError`` there, and ``BrokenError``
        where the run has ended before or meanwhile."""
        left = self._deadline - _now()
        with suppress(TimeoutError):
            if seconds > 0:
                async with asyncio.timeout(min(seconds, left)):
                    await self._over.wait()
        if self._over.is_set():
            raise BrokenError(self._end.sentence, self._end.code)
        if seconds >= left:
            cap = self._settings.caps.seconds
            raise CapReachedError(f"The cap of {cap:,} seconds is reached.", "seconds")

    async def _note_failure(self, prompt: SentPrompt, attempt: int, error: EndpointError) -> None:
        """Raises ``BrokenError`` if asking on is pointless."""
        question = prompt.question
        self.state.failures[error.kind] += 1
        await self._book.fail(
            Failed(
                question.task,
                question.key,
                attempt,
                error.kind,
                error.detail,
                NOTHING_SPENT,
                time.time(),
            ),
            is_free=error.rule.is_free,
        )
        self._progress(self.state)
        stops_now = error.rule.stops_first and not self._refusals.has_answered
        if error.rule.stops or stops_now:
            raise BrokenError(str(error), error.kind)
        if error.kind is Kind.REQUEST:
            self._refusals.note_refusal(str(error))
        if (error.retry_after or 0) > self._patience.longest_wait:
            minutes = round((error.retry_after or 0) / 60)
            raise BrokenError(
                f"The endpoint asks us to come again in {minutes} minutes.", "retry_later"
            )
        if error.rule.is_retried:
            self._breaker.note_failure(str(error), _now())

    def _answer(self, prompt: SentPrompt, attempt: int, exchange: Exchange) -> Ended:
        reply, question = exchange.reply, prompt.question
        text = scored_text(self._settings, question.task, reply.text)
        return Ended(
            question.task,
            question.key,
            outcome_of(reply),
            text,
            time.time(),
            whole_text=reply.text if reply.text != text else "",
            reasoning=reply.reasoning,
            finish=reply.finish,
            attempts=attempt,
            counted=prompt.count.value,
            estimated=prompt.count.estimated,
            spent=reply.usage or NOTHING_SPENT,
            reported=reply.usage is not None,
            seconds=round(exchange.seconds, 6),
            first_token=None if reply.first_token is None else round(reply.first_token, 6),
            sight=prompt.sight,
            lost=prompt.lost,
        )

    def _ended(
        self,
        question: ReleaseQuestion,
        outcome: Outcome,
        prompt: SentPrompt | None = None,
        attempts: int = 0,
        *,
        detail: str,
    ) -> Ended:
        """A question without an answer."""
        return Ended(
            question.task,
            question.key,
            outcome,
            "",
            time.time(),
            detail=detail,
            attempts=attempts,
            counted=prompt.count.value if prompt else 0,
            estimated=prompt.count.estimated if prompt else False,
            sight=prompt.sight if prompt else None,
            lost=prompt.lost if prompt else None,
        )

    async def _note_end(self, record: Ended) -> None:
        await self._book.end(record)
        self._settled.set()
        self.state.outcomes[record.outcome] += 1
        self._progress(self.state)


def outcome_of(reply: Reply) -> Outcome:
    """The outcome of a question that the endpoint has replied to; always one of ``ANSWERS``."""
    if reply.is_refused:
        outcome = Outcome.REFUSED
    elif reply.finish == "length":
        outcome = Outcome.CUT
    else:
        outcome = Outcome.ANSWERED if reply.text.strip() else Outcome.EMPTY
    assert outcome in ANSWERS  # noqa: S101 - else it would be asked again
    return outcome
