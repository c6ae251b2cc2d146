"""The connection test: what an endpoint does, step by step, before anything is asked of it in
earnest.

One small request finds what is wrong with address, name, certificate, key and model. Twelve fixed
questions, asked three times each, show how it counts, how long it takes and whether it repeats
itself; then the context that it claims is tried, and halves of it.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median
from types import MappingProxyType

from scoring.endpoint.budget import NOTHING_SPENT, Spent
from scoring.endpoint.connection.report import (
    ConnectionReport,
    Repeats,
    State,
    Step,
    StepName,
)
from scoring.endpoint.connection.texts import FACTS, fact_prompt, is_right, long_prompt
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.addresses import OutboundPolicy
from scoring.endpoint.transport.client import Endpoint, Exchange
from scoring.endpoint.transport.failures import EndpointError, Kind
from scoring.endpoint.transport.outbound import guarded_endpoint
from scoring.endpoint.transport.pacing import Pace
from scoring.endpoint.transport.wire import text_body
from scoring.text.tokens import count_tokens

ASKED = 3  # times each question
MOST_REQUESTS = 60
MOST_SECONDS = 300.0
_AT_ONCE = 8  # requests
_TRIES = 3  # of a request that an endpoint has no time for
_LONGEST_WAIT = 10.0  # seconds that it may ask for
_SHORT = 16  # tokens of an answer that does not matter
_ANSWER = 64  # tokens of an answer that does
_OVERHEAD = 64  # tokens that endpoints add around a message
_SMALLEST_WINDOW, _LARGEST_WINDOW = 1_000, 2_100_000  # tokens that are tried
_ALIKE = 0.05  # by how much two counts may differ
_STEADY = 0.8  # share of equal pairs of answers, from which the endpoint repeats itself


_FAILED_STEPS: dict[Kind, StepName] = {
    Kind.ADDRESS: StepName.ADDRESS,
    Kind.SCHEME: StepName.ADDRESS,
    Kind.PORT: StepName.ADDRESS,
    Kind.NAME: StepName.NAME,
    Kind.PRIVATE: StepName.NAME,
    Kind.CERTIFICATE: StepName.CERTIFICATE,
    Kind.CONNECTION: StepName.CERTIFICATE,
    Kind.KEY: StepName.KEY,
    Kind.CREDIT: StepName.KEY,
}  # all others: the model


async def try_connection(
    settings: RunSettings, key: str, policy: OutboundPolicy, seconds: float = MOST_SECONDS
) -> ConnectionReport:
    """What works, after at most so many seconds and ``MOST_REQUESTS`` requests."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    trial = _Trial(settings, key)
    left = "not_tried"
    try:
        async with asyncio.timeout(seconds):
            limited = replace(
                settings,
                timeout=max(1, min(settings.timeout, int(seconds))),
                concurrency=trial.at_once,
            )
            async with guarded_endpoint(limited, key, policy) as endpoint:
                await trial.run(endpoint)
    except EndpointError as error:
        trial.note_failure(error)
    except TimeoutError:
        left = "no_time"
    except _NoRequestsLeftError:
        left = "no_requests"
    steps = (trial.steps.get(name) or Step(name, State.UNKNOWN, left) for name in StepName)
    return replace(trial.report, steps=tuple(steps), took=round(clock() - begun, 3))


class _NoRequestsLeftError(Exception):
    """The test has sent as many as it may."""


class _Trial:
    def __init__(self, settings: RunSettings, key: str) -> None:
        self.steps: dict[StepName, Step] = {}
        self.report = ConnectionReport((), NOTHING_SPENT, 0.0)
        self.at_once = min(settings.concurrency, _AT_ONCE)
        self._settings = settings
        self._key = key
        self._requests = 0
        self._last_failure = ""  # of the questions
        self._pace = Pace(settings.requests_per_minute)

    async def run(self, endpoint: Endpoint) -> None:
        """Raises ``EndpointError`` if testing any further is pointless."""
        self._note(StepName.ADDRESS, State.WORKS, "address_good")
        await self._greet(endpoint)
        answers = await self._ask_facts(endpoint)
        self._note_usage([one for one in answers if one])
        self._note_repeats(answers)
        await self._try_window(endpoint)

    def note_failure(self, error: EndpointError) -> None:
        """For the first request, or for an address that is not even asked."""
        failed = _FAILED_STEPS.get(error.kind, StepName.MODEL)
        for name in StepName:
            if name is failed:
                break
            self._note_reached(name)
        if failed is StepName.MODEL:
            self._note(StepName.KEY, State.UNKNOWN, "key_unknown")
        self._note(failed, State.FAILS, error.kind.value, detail=error.detail)

    # Steps

    async def _greet(self, endpoint: Endpoint) -> None:
        """A stream is asked for, whatever the settings say, as soon as anything was answered."""
        text = "Reply with the word “ready”, nothing else."
        exchange = await self._send(endpoint, text, _SHORT, self._settings.stream)
        for name in (StepName.NAME, StepName.CERTIFICATE):
            self._note_reached(name)
        code = "key_accepted" if self._key else "no_key"
        self._note(StepName.KEY, State.WORKS if self._key else State.UNKNOWN, code)
        self._note(StepName.MODEL, State.WORKS, "model_answers")
        detail = ""
        if not self._settings.stream:
            try:
                exchange = await self._send(endpoint, text, _SHORT, is_stream=True)
            except EndpointError as error:
                detail = str(error)
        if exchange.reply.first_token is None:
            self._note(StepName.STREAMING, State.FAILS, "not_streamed", detail=detail)
        else:
            self._note(StepName.STREAMING, State.WORKS, "streams")

    async def _ask_facts(self, endpoint: Endpoint) -> list[Exchange | None]:
        """The answers to all questions, to all of them again, and again. None: there is none."""
        free = asyncio.Semaphore(self.at_once)

        async def ask(number: int) -> Exchange | None:
            async with free:
                limit = _ANSWER + self._settings.reasoning_tokens
                try:
                    return await self._send(endpoint, fact_prompt(number), limit)
                except EndpointError as error:
                    self._last_failure = str(error)
                    return None

        answers: list[Exchange | None] = []
        for _ in range(ASKED):
            answers += await asyncio.gather(*map(ask, range(len(FACTS))))
        return answers

    def _note_usage(self, answers: Sequence[Exchange]) -> None:
        if not answers:
            return
        seconds = median(one.seconds for one in answers)
        firsts = [one.reply.first_token for one in answers if one.reply.first_token is not None]
        first = median(firsts) if firsts else None
        self.report = replace(self.report, seconds=seconds, first_token=first)
        values = {"seconds": seconds, "at_once": self.at_once}
        if first is None:
            self._note(StepName.SPEED, State.WORKS, "speed", values)
        else:
            self._note(StepName.SPEED, State.WORKS, "speed_streamed", values | {"first": first})
        reported = [one.reply.usage.input for one in answers if one.reply.usage]
        if not reported:
            self._note(StepName.USAGE, State.FAILS, "usage_missing")
            return
        self._note(StepName.USAGE, State.WORKS, "usage_reported")
        counted = [count_tokens(fact_prompt(n), self._settings.tokenizer).value
                   for n in range(len(FACTS))]  # fmt: skip
        ratio = median(reported) / median(counted)
        if len(set(reported)) == 1 and ratio < 1 - _ALIKE:  # the texts differ in length
            self._note(StepName.COUNTS, State.UNKNOWN, "counts_cut", {"tokens": reported[0]})
            return
        self.report = replace(self.report, ratio=ratio)
        if abs(ratio - 1) <= _ALIKE:
            self._note(StepName.COUNTS, State.WORKS, "counts_agree", {"ratio": ratio})
        else:
            self._note(StepName.COUNTS, State.FAILS, "counts_differ", {"ratio": ratio})

    def _note_repeats(self, answers: Sequence[Exchange | None]) -> None:
        """An answer without a text is none: a limit would cut all of them alike."""
        texts = [one.reply.text.strip() if one else "" for one in answers]
        count = len(FACTS)
        by_question = [[text for text in texts[n::count] if text] for n in range(count)]
        pairs = [pair for given in by_question for pair in combinations(given, 2)]
        repeats = Repeats(
            questions=count,
            answered=sum(map(len, by_question)),
            identical=sum(len(g) == ASKED and len(set(g)) == 1 for g in by_question),
            pairs=len(pairs),
            agreeing=sum(one == other for one, other in pairs),
            right=sum(is_right(n, texts[n]) for n in range(count)),
        )
        self.report = replace(self.report, repeats=repeats)
        if repeats.answered < len(texts):
            cut = sum(one.reply.finish == "length" for one in answers if one)
            values = {"asked": len(texts), "answered": repeats.answered, "cut": cut}
            code = "answers_cut" if cut else "answers_missing"
            self._note(StepName.REPEATS, State.FAILS, code, values, self._last_failure)
            return
        temperature = self._settings.temperature
        is_steady = repeats.agreeing >= _STEADY * repeats.pairs
        shown = {"identical": repeats.identical, "questions": count, "right": repeats.right}
        is_read = 2 * repeats.right >= count  # else it may see another text, or be another model
        code = "repeats_default" if temperature is None else "repeats"
        self._note(
            StepName.REPEATS,
            State.WORKS if is_read and (is_steady or temperature != 0) else State.FAILS,
            code if is_read else f"{code}_wrong",
            shown if temperature is None else {**shown, "temperature": f"{temperature:g}"},
        )

    async def _try_window(self, endpoint: Endpoint) -> None:
        """The claimed window; where it is refused, what the refusal names, then halves."""
        settings = self._settings
        claimed = min(settings.claimed_window or settings.window, _LARGEST_WINDOW)
        cap = settings.caps.tokens
        if cap is not None and claimed > cap:
            self._note(StepName.WINDOW, State.UNKNOWN, "window_capped", {"tried": claimed})
            return
        tried: list[int] = []
        window = claimed
        while window >= _SMALLEST_WINDOW:
            try:
                read = await self._fill(endpoint, window)
            except EndpointError as error:
                if error.kind not in (Kind.TOO_LONG, Kind.REQUEST):
                    self._note(
                        StepName.WINDOW, State.UNKNOWN, error.kind.value, detail=error.detail
                    )
                    return
                tried.append(window)
                named = named_window(error.detail, window)
                window = named if named and len(tried) == 1 else window // 2
            else:
                self._note_window(read, window, tried, claimed)
                return
        smallest = min(tried, default=claimed)
        self._note(StepName.WINDOW, State.FAILS, "window_none", {"tried": smallest})

    def _note_window(self, read: int, window: int, tried: Sequence[int], claimed: int) -> None:
        """``read``: tokens that the endpoint says it has read."""
        self.report = replace(self.report, accepted=read)
        if read < 0.9 * window - _OVERHEAD - _SHORT:
            is_enough = read >= 0.9 * self._settings.window - _OVERHEAD - _SHORT
            self._note(
                StepName.WINDOW,
                State.WORKS if is_enough else State.FAILS,
                "window_cut_enough" if is_enough else "window_cut",
                {"tokens": read, "tried": window},
            )
        elif not tried:
            self._note(StepName.WINDOW, State.WORKS, "window_whole", {"tokens": claimed})
        else:
            is_enough = window >= self._settings.window
            self._note(
                StepName.WINDOW,
                State.WORKS if is_enough else State.FAILS,
                "window_enough" if is_enough else "window_small",
                {"tokens": window, "tried": min(tried)},
            )

    async def _fill(self, endpoint: Endpoint, window: int) -> int:
        """The tokens that were read of a prompt which fills a window, with its answer. Raises
        ``EndpointError``."""
        ratio = self.report.ratio or 1.0
        ours = int((window - _SHORT - _OVERHEAD) / ratio)
        text = await asyncio.to_thread(long_prompt, ours, self._settings.tokenizer)
        exchange = await self._send(endpoint, text, _SHORT)
        usage = exchange.reply.usage
        return usage.input if usage else int(ours * ratio)

    # Requests

    async def _send(
        self, endpoint: Endpoint, text: str, output: int, is_stream: bool | None = None
    ) -> Exchange:
        """Raises ``EndpointError``, and ``_NoRequestsLeftError``."""
        settings = self._settings
        if is_stream is not None:
            settings = replace(settings, stream=is_stream)
        body = text_body(settings, text, output)
        for attempt in range(1, _TRIES + 1):
            if self._requests >= MOST_REQUESTS:
                raise _NoRequestsLeftError
            self._requests += 1
            await asyncio.sleep(self._pace.wait(asyncio.get_running_loop().time()))
            try:
                exchange = await endpoint.ask(body, output)
            except EndpointError as error:
                is_free = error.rule.is_free
                self._spend(Spent(1) if is_free else self._counted(text, output))
                wait = max(float(attempt), error.retry_after or 0.0)
                is_busy = error.kind in (Kind.BUSY, Kind.SERVER) and wait <= _LONGEST_WAIT
                if attempt == _TRIES or not is_busy:
                    raise
                await asyncio.sleep(wait)
            else:
                self._spend(exchange.reply.usage or self._counted(text, output))
                return exchange
        raise AssertionError("the last attempt returns or raises")

    def _counted(self, text: str, output: int) -> Spent:
        return Spent(1, count_tokens(text, self._settings.tokenizer).value, 0, output)

    def _spend(self, spent: Spent) -> None:
        self.report = replace(self.report, spent=self.report.spent + spent)

    # The report

    def _note_reached(self, name: StepName) -> None:
        """Records that a request got as far as this step; steps that it says nothing about stay as
        they are."""
        is_plain = self._settings.url.lower().startswith("http:")
        if name is StepName.ADDRESS:
            self._note(name, State.WORKS, "address_good")
        elif name is StepName.NAME:
            self._note(name, State.WORKS, "name_found")
        elif name is StepName.CERTIFICATE and is_plain:
            self._note(name, State.UNKNOWN, "not_encrypted")
        elif name is StepName.CERTIFICATE:
            self._note(name, State.WORKS, "certificate_valid")

    def _note(
        self,
        name: StepName,
        state: State,
        code: str,
        values: Mapping[str, float | str] = MappingProxyType({}),
        detail: str = "",
    ) -> None:
        self.steps[name] = Step(name, state, code, dict(values), detail)


def named_window(detail: str, window: int) -> int | None:
    """The largest prompt that a refusal names: the smallest of its numbers that can be meant. The
    status stands before them, and numbers inside of names are none."""
    said = re.sub(r"^\d{3}\b", "", detail)
    numbers = re.findall(r"(?<![\w.,-])\d[\d,]*(?![\w-])", said)
    sizes = [int(number.replace(",", "")) for number in numbers if len(number) < 12]
    return min((size for size in sizes if window / 128 <= size < window), default=None)
