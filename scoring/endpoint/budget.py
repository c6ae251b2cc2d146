"""Caps on requests, tokens and money: a request is sent only if it fits in even at its worst.

Each one reserves its input and its longest output before it is sent. Endpoints count otherwise than
we do: all reservations are scaled by the largest ratio of reported to counted tokens so far. Until
one is known, requests go one at a time.

An endpoint that counts honestly first and otherwise later passes a cap by what is in flight then,
and by no more than is believed of it: a fourfold count, and some tokens besides, for each request.
"""

from dataclasses import dataclass

from scoring.endpoint.settings import Caps, Prices

LARGEST_COUNT = (1 << 63) - 1  # that a database stores
# A count that is larger than so many times what was reserved, and so many tokens besides, is not
# believed. Some endpoints think without regard to the limit, and report it: that has to be paid.
_TIMES = 4
_INPUT_BESIDES = 500
_OUTPUT_BESIDES = 32_768


@dataclass(frozen=True, slots=True)
class Spent:
    requests: int = 0
    input: int = 0  # tokens, the cached ones among them
    cached: int = 0
    output: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.requests + other.requests,
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
        )

    def scaled(self, ratio: float) -> "Spent":
        """Tokens as an endpoint would count them."""
        counts = (
            min(round(ratio * each), LARGEST_COUNT)
            for each in (self.input, self.cached, self.output)
        )
        return Spent(self.requests, *counts)

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def cost(self, prices: Prices) -> float:
        cached_price = prices.input if prices.cached_input is None else prices.cached_input
        uncached = self.input - self.cached
        total = uncached * prices.input + self.cached * cached_price + self.output * prices.output
        return total / 1_000_000


NOTHING_SPENT = Spent()


class CapReachedError(Exception):
    """The next request does not fit in; the message is a sentence that says where, ``code`` the
    name of the cap."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def believed(reserved: Spent, reported: Spent | None) -> Spent | None:
    """What an endpoint reported; None if it reported nothing, or something impossible."""
    if reported is None:
        return None
    is_plausible = (
        reported.input <= _TIMES * reserved.input + _INPUT_BESIDES
        and reported.output <= _TIMES * reserved.output + _OUTPUT_BESIDES
    )
    return reported if is_plausible else None


def ratio_of(reserved: Spent, reported: Spent) -> float:
    """How much more an endpoint reported than was reserved; below 1: less."""
    return max(reported.input / max(1, reserved.input), reported.output / max(1, reserved.output))


def check_room(caps: Caps, prices: Prices, spent: Spent, held: Spent, ratio: float) -> None:
    """Raises ``CapReachedError`` if what is reserved, including the next request, does not fit
    beside what is spent."""
    if caps.requests is not None and spent.requests + held.requests > caps.requests:
        raise CapReachedError(f"The cap of {caps.requests:,} requests is reached.", "requests")
    if caps.tokens is not None and spent.tokens + ratio * held.tokens > caps.tokens:
        raise CapReachedError(
            f"The cap of {caps.tokens:,} tokens has no room for another request.", "tokens"
        )
    if caps.money is not None and spent.cost(prices) + ratio * held.cost(prices) > caps.money:
        raise CapReachedError(
            f"The cap of {caps.money:g} on money has no room for another request.", "money"
        )


def needs_ratio(caps: Caps) -> bool:
    """Whether the caps depend on how the endpoint counts."""
    return caps.tokens is not None or caps.money is not None


def spent_on(held: Spent, reported: Spent | None, ratio: float, *, is_free: bool = False) -> Spent:
    """The cost of a request: what the endpoint reported, otherwise what was reserved, scaled; only
    the request itself if it ``is_free``."""
    if reported:
        return reported
    return Spent(requests=held.requests) if is_free else held.scaled(ratio)


class Budget:
    """``spent``, ``ratio``: of an earlier part of the run; no ratio: nothing was answered."""

    def __init__(
        self,
        caps: Caps,
        prices: Prices,
        spent: Spent = NOTHING_SPENT,
        ratio: float | None = None,
    ) -> None:
        self.caps = caps
        self.prices = prices
        self.spent = spent
        self.ratio = ratio or 1.0
        self._is_measured = ratio is not None or not needs_ratio(caps)
        self._open: dict[int, Spent] = {}
        self._last = 0

    @property
    def must_wait(self) -> bool:
        """Whether another request has to show first how the endpoint counts."""
        return not self._is_measured and bool(self._open)

    def reserve(self, input_tokens: int, output_tokens: int) -> int:
        """A ticket for a request, to be settled when it has ended. Raises ``CapReachedError``."""
        wanted = Spent(1, input_tokens, 0, output_tokens)
        held = sum(self._open.values(), wanted)
        check_room(self.caps, self.prices, self.spent, held, self.ratio)
        self._last += 1
        self._open[self._last] = wanted
        return self._last

    def reserved(self, ticket: int) -> Spent:
        return self._open[ticket]

    def settle(self, ticket: int, reported: Spent | None = None, *, is_free: bool = False) -> Spent:
        """The end of a request. Returns what was added (``spent_on``)."""
        wanted = self._open.pop(ticket)
        if reported:
            self._is_measured = True
            self.ratio = max(self.ratio, ratio_of(wanted, reported))
        added = spent_on(wanted, reported, self.ratio, is_free=is_free)
        self.spent += added
        return added

    def cancel(self, ticket: int) -> None:
        """A request that was turned away at the door: as if it had not been sent."""
        del self._open[ticket]

    def assume_own_count(self) -> None:
        """An endpoint that answers and reports no tokens: ours are all there is."""
        self._is_measured = True
