"""When to send again, when not to send at all: back-off, the circuit breaker, rate and places."""

import asyncio
from dataclasses import dataclass
from random import Random
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from ``first`` to ``longest`` seconds, each between half of that and all
    of it, so that many who wait do not come again at once."""

    first: float = 1.0
    longest: float = 60.0

    def wait(self, attempt: int, random: Random, retry_after: float | None = None) -> float:
        """Seconds after so many attempts; never less than the endpoint asks for."""
        whole = min(self.longest, self.first * 2.0 ** (attempt - 1))
        return max(whole * random.uniform(0.5, 1.0), retry_after or 0.0)


class BrokenError(Exception):
    """The run pauses; the message is a sentence that says why, ``code`` a name for that."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Silence(NamedTuple):
    """Since the last answer, in an earlier part of the run."""

    failures: int = 0
    seconds: float = 0.0


NO_SILENCE = Silence()


class Breaker:
    """Opens when nothing but failures came for ``seconds``, and at least so many of them."""

    def __init__(
        self, failures: int, seconds: float, now: float, before: Silence = NO_SILENCE
    ) -> None:
        self._failures = failures
        self._seconds = seconds
        self._since = now - before.seconds  # the last answer
        self._count = before.failures

    def note_answer(self, now: float) -> None:
        self._since, self._count = now, 0

    def note_failure(self, sentence: str, now: float) -> None:
        """Raises ``BrokenError``."""
        self._count += 1
        if self._count >= self._failures and now - self._since >= self._seconds:
            raise BrokenError(
                f"{self._count} requests have failed in {now - self._since:.0f} seconds, and none "
                f"was answered. The last: {sentence}",
                "failures",
            )


class Refusals:
    """Pauses a run whose first requests the endpoint all refuses: then it is not the questions."""

    def __init__(self, most: int, *, has_answered: bool = False) -> None:
        self._most = most
        self._count = 0
        self.has_answered = has_answered

    def note_answer(self) -> None:
        self.has_answered = True

    def note_refusal(self, sentence: str) -> None:
        """Raises ``BrokenError``."""
        self._count += 1
        if not self.has_answered and self._count >= self._most:
            raise BrokenError(
                f"The endpoint has refused {self._count} requests and answered none: it does not "
                f"accept something that all of them have. The last: {sentence}",
                "refusals",
            )


class Pace:
    """Spreads requests evenly over a minute. None: as they come."""

    def __init__(self, requests_per_minute: int | None) -> None:
        self._every = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0

    def wait(self, now: float) -> float:
        """Seconds until the request may leave that is announced with this call."""
        start = max(now, self._next)
        self._next = start + self._every
        return start - now

    def note_leaving(self, now: float) -> None:
        """The request leaves later than announced: the next one keeps its distance."""
        self._next = max(self._next, now + self._every)


class Places:
    """Limits how many questions are asked at once, which may change meanwhile."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._taken = 0
        self._changed = asyncio.Event()

    @property
    def taken(self) -> int:
        return self._taken

    def resize(self, count: int) -> None:
        """To fewer than are taken: then none is given away until enough are free."""
        self._count = count
        self._changed.set()

    async def __aenter__(self) -> None:
        while self._taken >= self._count:
            self._changed.clear()
            await self._changed.wait()
        self._taken += 1

    async def __aexit__(self, *_: object) -> None:
        self._taken -= 1
        self._changed.set()
