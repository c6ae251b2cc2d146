"""Several runs side by side in one worker, some of them at an endpoint that never answers."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple

import pytest
from django.urls import reverse
from pytest_django import Settings

from portal.endpoint_runs.configuration.drafts import start_connection_test
from portal.endpoint_runs.services import start_run, stop_run
from portal.endpoint_runs.worker import fair_shares, work
from portal.models import EndpointRun, Release, RunSlice, RunState, User
from scoring.endpoint.run.records import Outcome
from tests.support import html
from tests.support.asked_runs import at, drafted, outcomes
from tests.support.clients import signed_in
from tests.support.processes import eventually
from tests.support.raw_server import raw_server
from tests.support.reference_endpoint import served_here
from tests.support.run_workers import COUNT, apart, ask, now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]


class Dripping:
    """A stream of comments without an end."""

    def __iter__(self) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        while True:
            yield b": still thinking\n\n"
            time.sleep(0.05)  # sets the pace of the server, not of the test


class Endpoints(NamedTuple):
    """Addresses and models."""

    quick: tuple[str, str]
    dripping: tuple[str, str]


@pytest.fixture
def endpoints(settings: Settings) -> Iterator[Endpoints]:
    settings.HEARTBEAT, settings.RUN_GRACE = 0.05, 0.1
    with served_here("--window", "8K") as quick, raw_server(Dripping()) as dripping:
        port = int(dripping.url.removesuffix("/v1").rpartition(":")[2])
        settings.ENDPOINT_LOOPBACK_PORTS = frozenset({quick.port, port})
        yield Endpoints(at(quick), (dripping.url, "model"))


@contextmanager
def working() -> Iterator[None]:
    """A worker, until nothing is left to do or the test ends."""
    stopping = Event()
    worker = apart(lambda: work(stopping.is_set))
    try:
        yield
    finally:
        stopping.set()
        worker.join()


def started(
    owner: User, release: Release, endpoint: tuple[str, str], **settings: Any
) -> EndpointRun:
    return start_run(drafted(owner, release, *endpoint, **settings), owner)


def eventually_in_flight(*expected: tuple[EndpointRun, int]) -> None:
    for run, count in expected:
        eventually(
            lambda run=run, count=count: now(run).reserved_requests == count,  # type: ignore[misc]
            f"{count} requests in flight",
        )


def standing(user: User, run: EndpointRun) -> tuple[str, str]:
    """What the page of a run says, and the list of runs."""
    browser = signed_in(user)
    [card] = html.page(browser.get(reverse("endpoint_run", args=[run.pk]))).select("#standing")
    [row] = html.page(browser.get(reverse("endpoint_runs"))).select(f'[data-run="{run.pk}"]')
    return card.select("[role=status]")[0].text.strip(), row.select("[data-state]")[0].text.strip()


@pytest.mark.parametrize(
    ("total", "wanted", "shares"),
    [
        (32, {"a": 64}, {"a": 32}),
        (32, {"a": 64, "b": 64}, {"a": 16, "b": 16}),
        (32, {"a": 64, "b": 4}, {"a": 28, "b": 4}),
        (32, {"a": 64, "b": 12, "c": 64}, {"a": 11, "b": 10, "c": 11}),
        (2, {"a": 8, "b": 8, "c": 8}, {"a": 1, "b": 1, "c": 1}),
        (32, {}, {}),
    ],
)
def test_shares_are_even_and_what_one_leaves_goes_to_the_others(
    total: int, wanted: Mapping[str, int], shares: Mapping[str, int]
) -> None:
    assert fair_shares(total, wanted) == shares


def test_a_run_ends_while_the_endpoint_of_another_drips(
    alice: User, bob: User, keys: Release, endpoints: Endpoints
) -> None:
    slow = started(alice, keys, endpoints.dripping)
    with working():
        eventually_in_flight((slow, 8))
        quick = started(bob, keys, endpoints.quick)
        eventually(lambda: now(quick).state == RunState.ENDED, "the end of the other run")
        assert outcomes(quick) == {Outcome.ANSWERED: COUNT}
        assert now(slow).reserved_requests == 8
        assert standing(alice, slow) == ("Running.", "running")


def test_a_run_that_joins_has_its_share_though_no_request_of_the_others_ends(
    alice: User,
    bob: User,
    keys: Release,
    endpoints: Endpoints,
    settings: Settings,
) -> None:
    settings.RUN_WIDTH = 8
    first = started(alice, keys, endpoints.dripping)
    with working():
        eventually_in_flight((first, 8))
        other = started(bob, keys, endpoints.dripping)
        eventually_in_flight((other, 4))
        second = started(alice, keys, endpoints.dripping)
        eventually_in_flight((second, 2), (other, 4), (first, 8))


def test_an_account_with_five_runs_leaves_room_for_another(
    alice: User,
    bob: User,
    keys: Release,
    endpoints: Endpoints,
    settings: Settings,
) -> None:
    settings.RUNS_AT_ONCE, settings.MAX_RUNS = 4, 5
    slow = [started(alice, keys, endpoints.dripping) for _ in range(5)]
    with working():
        eventually_in_flight((slow[0], 8), (slow[1], 8))
        quick = started(bob, keys, endpoints.quick)
        eventually(lambda: now(quick).state == RunState.ENDED, "the end of the other run")
        assert list(EndpointRun.objects.waiting().order_by("created")) == slow[2:]
        assert standing(alice, slow[2]) == ("Waiting for its turn.", "waiting for its turn")
        stop_run(slow[0], alice)
        eventually_in_flight((slow[2], 8))
        assert standing(alice, slow[2]) == ("Running.", "running")


def test_where_all_places_are_taken_a_run_that_had_its_turn_makes_way(
    alice: User, bob: User, keys: Release, endpoints: Endpoints, settings: Settings
) -> None:
    settings.RUNS_AT_ONCE, settings.RUN_TURN = 1, 0.5
    runs = [
        started(owner, keys, endpoints.quick, requests_per_minute=600) for owner in (alice, bob)
    ]
    with working():
        eventually(lambda: all(outcomes(run) for run in runs), "answers to both")
        assert {now(run).state for run in runs} == {RunState.RUNNING}
        eventually(lambda: all(now(run).ended for run in runs), "the end of both")
    assert [outcomes(run) for run in runs] == [{Outcome.ANSWERED: COUNT}] * 2
    assert [now(run).requests for run in runs] == [COUNT] * 2  # nothing was asked twice


def test_a_worker_that_is_stopped_gives_all_of_its_runs_back(
    alice: User, bob: User, keys: Release, endpoints: Endpoints
) -> None:
    runs = [started(owner, keys, endpoints.dripping) for owner in (alice, bob)]
    with working():
        eventually_in_flight(*((run, 8) for run in runs))
    assert not RunSlice.objects.exclude(lease_until=None).exists()
    for run in map(now, runs):
        assert (run.state, run.requests, run.reserved_requests) == (RunState.RUNNING, 8, 0)
        assert run.is_waiting


def test_a_connection_is_tested_while_a_run_goes_on(
    alice: User, bob: User, keys: Release, endpoints: Endpoints
) -> None:
    slow = started(alice, keys, endpoints.dripping)
    with working():
        eventually_in_flight((slow, 8))
        draft = drafted(bob, keys, *endpoints.quick)
        start_connection_test(draft)
        eventually(lambda: now(draft).connection, "the report")
        assert now(slow).reserved_requests == 8


def test_blanks_buy_no_more_than_the_timeout_of_a_request(
    alice: User, keys: Release, endpoints: Endpoints, settings: Settings
) -> None:
    settings.RUN_SILENCE = 0
    slow = started(alice, keys, endpoints.dripping, timeout=1, attempts=1)
    ask()
    assert (now(slow).state, now(slow).reason) == (RunState.PAUSED, "failures")
    assert set(slow.failures.values_list("kind", "detail")) == {("timeout", "after 1 s")}
