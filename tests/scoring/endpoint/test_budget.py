"""Caps: a run never spends more than its cap, however the endpoint counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.endpoint.budget import NOTHING_SPENT, Budget, CapReachedError, Spent, believed
from scoring.endpoint.settings import Caps, Prices

# Tokens of a request: as we count its input, its longest output, and the share of it that it uses.
REQUESTS = st.lists(
    st.tuples(st.integers(100, 1_000), st.integers(1, 100), st.floats(0, 1)), min_size=1
)


def spend(budget: Budget, requests: list[tuple[int, int, float]], ratio: float, width: int) -> int:
    """Send them, ``width`` at once, to an endpoint that counts differently. Returns how many."""
    open_requests: list[tuple[int, Spent]] = []
    sent = 0
    for given_tokens, longest, share in requests:
        while open_requests and (len(open_requests) >= width or budget.must_wait):
            budget.settle(*open_requests.pop(0))
        try:
            ticket = budget.reserve(given_tokens, longest)
        except CapReachedError:
            break
        sent += 1
        open_requests.append(
            (ticket, Spent(1, round(given_tokens * ratio), 0, int(longest * share)))
        )
    for ticket, reported in open_requests:
        budget.settle(ticket, reported)
    return sent


@given(REQUESTS, st.floats(0.5, 1.4), st.integers(1, 8), st.integers(1, 100_000))
def test_a_cap_on_tokens_is_passed_by_the_first_request_alone_if_at_all(
    requests: list[tuple[int, int, float]], ratio: float, width: int, cap: int
) -> None:
    budget = Budget(Caps(tokens=cap), Prices())
    spend(budget, requests, ratio, width)
    # Counts are whole numbers: the ratio of one request holds for another to within a token.
    rounding = len(requests) * 10
    first = requests[0][0] * max(0.0, ratio - 1)
    assert budget.spent.tokens <= cap + first + rounding


@given(st.floats(1.0, 1.4), st.integers(1, 8))
def test_an_endpoint_that_counts_1_4_times_as_we_do_gets_at_most_1_percent_over(
    ratio: float, width: int
) -> None:
    budget = Budget(Caps(tokens=1_000_000), Prices())
    sent = spend(budget, [(10_000, 100, 1.0)] * 200, ratio, width)
    assert 0 < sent < 200
    assert 0.9 * 1_000_000 < budget.spent.tokens <= 1_010_000


@given(REQUESTS, st.integers(1, 8), st.integers(1_000, 100_000), st.integers(0, 20))
def test_an_endpoint_that_begins_to_lie_passes_the_cap_by_what_is_in_flight_at_most(
    requests: list[tuple[int, int, float]], width: int, cap: int, honest: int
) -> None:
    """Reports above what is believed count as reserved. So each request in flight when the lie
    begins can use what ``believed`` lets pass, and later ones are sent only if they fit under the
    cap with the ratio seen by then."""
    budget = Budget(Caps(tokens=cap), Prices())
    most = max(4 * (tokens + longest) for tokens, longest, _ in requests) + 500 + 32_768
    flying: list[tuple[int, int, int]] = []

    def settle() -> None:
        ticket, tokens, longest = flying.pop(0)
        is_honest = budget.spent.requests < honest
        lie = Spent(1, 4 * tokens + 500, 0, 4 * longest + 32_768)
        reported = Spent(1, tokens, 0, longest) if is_honest else lie
        budget.settle(ticket, believed(budget.reserved(ticket), reported))

    for tokens, longest, _ in requests:
        while flying and (len(flying) >= width or budget.must_wait):
            settle()
        try:
            flying.append((budget.reserve(tokens, longest), tokens, longest))
        except CapReachedError:
            break
    while flying:
        settle()
    assert budget.spent.tokens <= cap + width * most


@given(REQUESTS, st.integers(1, 8), st.integers(1, 20))
def test_a_cap_on_requests_is_exact(
    requests: list[tuple[int, int, float]], width: int, cap: int
) -> None:
    budget = Budget(Caps(requests=cap), Prices())
    assert spend(budget, requests, 1.0, width) == min(cap, len(requests))


@given(REQUESTS, st.integers(1, 8), st.floats(0.0001, 1))
def test_a_cap_on_money_holds(
    requests: list[tuple[int, int, float]], width: int, cap: float
) -> None:
    prices = Prices(input=2.0, output=8.0)
    budget = Budget(Caps(money=cap), prices)
    spend(budget, requests, 1.0, width)
    assert budget.spent.cost(prices) <= cap + 1e-9


def test_until_the_endpoint_has_reported_requests_go_one_at_a_time() -> None:
    budget = Budget(Caps(tokens=10_000), Prices())
    assert not budget.must_wait
    ticket = budget.reserve(100, 10)
    assert budget.must_wait
    budget.settle(ticket, Spent(1, 140, 0, 5))
    budget.reserve(100, 10)
    assert not budget.must_wait
    assert budget.ratio == 1.4


@pytest.mark.parametrize(
    ("given_tokens", "made", "is_believed"),
    [(1_000, 10, True), (4_500, 32_808, True), (4_501, 10, False), (1_000, 32_809, False)],
)
def test_a_count_far_above_what_was_reserved_is_not_believed(
    given_tokens: int, made: int, is_believed: bool
) -> None:
    reported = Spent(1, given_tokens, 0, made)
    assert (believed(Spent(1, 1_000, 0, 10), reported) is reported) is is_believed


def test_without_a_cap_on_tokens_or_money_nobody_waits() -> None:
    budget = Budget(Caps(requests=5), Prices())
    budget.reserve(100, 10)
    assert not budget.must_wait


def test_a_request_whose_end_is_not_known_has_spent_what_it_reserved() -> None:
    budget = Budget(Caps(tokens=1_000), Prices())
    assert budget.settle(budget.reserve(100, 10)) == Spent(1, 100, 0, 10)
    assert budget.settle(budget.reserve(100, 10), is_free=True) == Spent(1)
    assert budget.spent == Spent(2, 100, 0, 10)


def test_a_request_without_the_right_key_is_none() -> None:
    budget = Budget(Caps(requests=1), Prices())
    budget.cancel(budget.reserve(100, 10))
    assert budget.spent == NOTHING_SPENT
    budget.reserve(100, 10)


def test_what_was_spent_before_counts() -> None:
    budget = Budget(Caps(tokens=1_000), Prices(), Spent(9, 800, 0, 100))
    with pytest.raises(CapReachedError, match="1,000 tokens"):
        budget.reserve(100, 10)


def test_a_cap_on_money_is_not_taken_for_another() -> None:
    budget = Budget(Caps(money=0.6), Prices(input=10.0), Spent(9, 59_999, 0, 0))
    with pytest.raises(CapReachedError, match=r"0\.6 on money") as reached:
        budget.reserve(100, 10)
    assert reached.value.code == "money"


def test_a_ratio_of_an_earlier_part_holds_from_the_first_request() -> None:
    budget = Budget(Caps(tokens=200), Prices(), ratio=2.0)
    budget.reserve(60, 10)
    assert not budget.must_wait
    with pytest.raises(CapReachedError):
        budget.reserve(60, 10)


def test_cached_input_has_its_price() -> None:
    prices = Prices(input=2, cached_input=0.5, output=10)
    assert Spent(1, 1_000_000, 400_000, 100_000).cost(prices) == pytest.approx(1.2 + 0.2 + 1.0)
    assert NOTHING_SPENT.cost(prices) == 0
