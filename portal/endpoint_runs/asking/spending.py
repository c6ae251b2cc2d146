"""What a run has spent and reserved, in the columns of its row, which the caller has locked.

``save_counts`` stores what the other functions have changed.
"""

from collections.abc import Iterable

from portal.models import EndpointRun
from scoring.endpoint.budget import LARGEST_COUNT, Spent, ratio_of, spent_on


def spent_by(run: EndpointRun) -> Spent:
    return Spent(run.requests, run.input_tokens, run.cached_tokens, run.output_tokens)


def held_by(run: EndpointRun) -> Spent:
    """By requests in flight, as we count."""
    return Spent(run.reserved_requests, run.reserved_input, 0, run.reserved_output)


def hold(run: EndpointRun, wanted: Spent) -> None:
    """Reserve it for a request."""
    run.reserved_requests += wanted.requests
    run.reserved_input += wanted.input
    run.reserved_output += wanted.output


def let_go(run: EndpointRun, held: Spent) -> None:
    """Drop the reservation of a request that has ended or counts as not sent."""
    run.reserved_requests -= held.requests
    run.reserved_input -= held.input
    run.reserved_output -= held.output


def hold_only(run: EndpointRun, in_flight: Iterable[tuple[int | None, int | None]]) -> None:
    """Replace all reservations by these. ``in_flight``: input and output of each request."""
    rows = [(wanted or 0, most or 0) for wanted, most in in_flight]
    run.reserved_requests = len(rows)
    run.reserved_input = min(sum(wanted for wanted, _ in rows), LARGEST_COUNT)
    run.reserved_output = min(sum(most for _, most in rows), LARGEST_COUNT)


def settle(
    run: EndpointRun, held: Spent, reported: Spent | None = None, *, is_free: bool = False
) -> Spent:
    """Count a request that has ended, and drop its reservation, ``held``. Returns what was spent on
    it (``spent_on``)."""
    if reported:
        run.ratio = max(run.ratio or 1.0, ratio_of(held, reported))
    spent = spent_on(held, reported, run.ratio or 1.0, is_free=is_free)
    let_go(run, held)
    run.requests += spent.requests
    # The figures are the endpoint's own: their sums must still fit into the columns.
    run.input_tokens = min(run.input_tokens + spent.input, LARGEST_COUNT)
    run.cached_tokens = min(run.cached_tokens + spent.cached, LARGEST_COUNT)
    run.output_tokens = min(run.output_tokens + spent.output, LARGEST_COUNT)
    return spent


def note_answer(run: EndpointRun) -> None:
    """Also from an endpoint that reports no tokens: then our counts are all there is."""
    run.answered, run.ratio = True, run.ratio or 1.0


def counts_of(run: EndpointRun) -> tuple[object, ...]:
    """All columns that this module changes."""
    return tuple(getattr(run, name) for name in _COUNTS)


def save_counts(run: EndpointRun) -> None:
    run.save(update_fields=_COUNTS)


_COUNTS = (
    "requests", "input_tokens", "cached_tokens", "output_tokens", "reserved_requests",
    "reserved_input", "reserved_output", "ratio", "answered",
)  # fmt: skip
