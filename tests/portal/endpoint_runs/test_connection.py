"""The connection test of a run is stored with it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from portal.demo.openai_server import Model
from portal.endpoint_runs.asking.connection import claim_connection_test, run_connection_test
from portal.endpoint_runs.configuration.connection_sentences import STATES, TITLES, step_sentence
from portal.endpoint_runs.configuration.drafts import start_connection_test
from portal.endpoint_runs.keys import encrypt_key, host_of
from portal.errors import QuotaError, StateError
from portal.models import EndpointRun, User
from scoring.endpoint.connection.report import State, StepName, read_report
from tests.support import html
from tests.support.clients import signed_in
from tests.support.factories import endpoint_run, release_of_all_tasks
from tests.support.reference_server import Local, local_endpoint
from tests.support.run_workers import ask

KEY = "sk-canary-0123456789"


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Local]:
    with local_endpoint(Model("served-model", 40_000, "cut", KEY)) as found:
        settings.ENDPOINT_LOOPBACK_PORTS = frozenset({found.port})
        yield found


@pytest.fixture
def run(alice: User, endpoint: Local) -> EndpointRun:
    found = endpoint_run(alice, release_of_all_tasks("keys"))
    found.settings |= {"url": endpoint.url, "window": 32_000, "output_tokens": {"math_calc": 99}}
    found.key_until = Now()
    found.key = encrypt_key(KEY, run_id=found.pk, host=host_of(endpoint.url))
    found.save()
    return found


def test_the_report_is_stored_without_the_key(run: EndpointRun) -> None:
    run_connection_test(run)
    run.refresh_from_db()
    assert run.connection_at is not None
    report = read_report(run.connection or {})
    assert report.works
    assert {step.state for step in report.steps} == {State.WORKS, State.UNKNOWN}
    assert KEY not in str(run.connection)
    assert all(map(step_sentence, report.steps))
    assert (set(TITLES), set(STATES)) == (set(StepName), set(State))


def test_what_has_changed_meanwhile_gets_no_old_report_and_a_foreign_key_is_not_sent(
    run: EndpointRun, endpoint: Local
) -> None:
    EndpointRun.objects.filter(pk=run.pk).update(key="another")
    run_connection_test(run)
    run.refresh_from_db()
    assert run.connection is None
    run.key = encrypt_key(KEY, run_id=run.pk, host="other.example.org")
    run.save()
    run_connection_test(run)
    run.refresh_from_db()
    report = read_report(run.connection or {})
    codes = {step.code for step in report.steps}
    assert codes == {"key_unreadable", "not_tried"}
    assert report.spent.requests == 0
    page = html.page(signed_in(run.owner).get(f"/runs/{run.pk}/connection/"))
    [untried] = page.select("[data-untried]")
    assert (
        len(page.select("[data-step]")) == len(report.steps) - int(str(untried["data-untried"])) + 1
    )


@pytest.mark.django_db(transaction=True)
def test_tests_go_to_the_workers_of_runs_one_at_a_time_and_so_many_an_hour(
    run: EndpointRun, alice: User, bob: User, settings: Any, messages: Path
) -> None:
    settings.HOURLY_TESTS = 2
    rows = EndpointRun.objects.filter(pk=run.pk)
    start_connection_test(run)
    assert [file.name.split(".")[1] for file in messages.iterdir()] == ["runs"]
    with pytest.raises(StateError, match="being tested"):
        start_connection_test(run)
    alices = signed_in(alice)

    def said() -> str:
        """What the page says: that it waits, or why it does not."""
        found = html.page(alices.get(reverse("endpoint_run_connection", args=[run.pk])))
        lost = [str(one["data-lost"]) for one in found.select("[data-lost]")]
        return " ".join([*lost, *("waits" for _ in found.select("[data-waiting]"))])

    assert said() == "waits"
    begun = claim_connection_test()
    assert (begun, said()) == (run, "waits")
    assert claim_connection_test() is None  # the message came twice
    rows.update(connection_until=Now())  # its worker was killed
    assert (claim_connection_test(), said()) == (None, "broken off")
    start_connection_test(run)
    rows.update(connection_at=Now() - timedelta(minutes=16))
    assert said() == "not begun"
    ask()  # a worker at last
    assert said() == ""
    ask()
    assert rows.get().connection_until is None
    with pytest.raises(QuotaError, match="2 times in this hour"):
        start_connection_test(run)
    rows.update(owner=bob)
    start_connection_test(rows.get())
    assert len(list(messages.iterdir())) == 3
