"""Admins oversee the runs of all authors."""

import pytest
from django.db.models.functions import Now
from django.test import Client

from portal.endpoint_runs.services import stop_run
from portal.models import AuditEntry, EndpointRun, Release, User
from scoring.endpoint.settings import Prices
from tests.support.clients import signed_in
from tests.support.factories import (
    add_examples,
    end_question,
    endpoint_run,
    failed_attempt,
    release_of_all_tasks,
)
from tests.support.html import page, text

REASON = "It asks an endpoint whose owner has complained."


@pytest.fixture
def release(db: None) -> Release:
    release = release_of_all_tasks()
    add_examples(release)
    return release


@pytest.fixture
def running(release: Release, alice: User) -> EndpointRun:
    settings = {"tasks": ("passkey",), "prices": Prices(10.0, 1.0, 30.0)}
    run = endpoint_run(
        alice, release, "Busy", settings=settings, state="running", key="sealed-key", resumed=Now(),
        requests=3, input_tokens=100_000, output_tokens=1_000,
    )  # fmt: skip
    end_question(run, 0, text="a secret answer")
    failed_attempt(end_question(run, 1, "failed by the endpoint"), "server", "its own words")
    return run


def test_admins_see_what_runs_take_and_nothing_of_what_they_ask(
    running: EndpointRun, release: Release, alice: User, adam: User
) -> None:
    endpoint_run(alice, release, "Draft")
    found = page(signed_in(adam).get("/review/runs/"))
    [row] = found.select("[data-run]")
    cells = [text(one) for one in row.select("td")]
    assert cells[:3] == ["waiting for its turn", "endpoint.example", "2 / 4"]
    assert cells[4:8] == ["3", "101,000", "1.03", "1"]
    assert "alice" in text(row.select("th")[0])
    for secret in ("sealed-key", "a secret answer", "its own words"):
        assert secret not in str(found)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"state": "paused", "reason": "by_owner"}, "Its author has paused it."),
        (
            {"state": "paused", "reason": "by_admin", "reason_details": REASON},
            f"An admin has paused it. Their reason: {REASON}",
        ),
        (
            {"state": "paused", "reason": "key", "reason_details": "its own words"},
            "The site has paused it. The endpoint does not accept the key.",
        ),
        ({"ending": "stopped"}, "Its author has stopped it."),
        ({"ending": "stopped", "reason": "by_owner"}, "Its author has stopped it."),
        ({"ending": "cap", "reason": "by_admin"}, "Ended: a cap was reached."),
        (
            {"ending": "stopped", "reason": "stopped_by_admin", "reason_details": REASON},
            f"An admin has stopped it. Their reason: {REASON}",
        ),
        ({"ending": "cap", "reason": "tokens"}, "Ended: a cap was reached."),
    ],
)
def test_admins_read_who_or_what_has_interrupted_a_run(
    running: EndpointRun, adam: User, columns: dict[str, str], sentence: str
) -> None:
    ended = {"state": "ended", "key": "", "ended": Now()}
    rows = EndpointRun.objects.filter(pk=running.pk)
    rows.update(key_until=Now(), **(columns if "state" in columns else ended | columns))
    found = page(signed_in(adam).get("/review/runs/"))
    assert [text(one) for one in found.select("[data-sentence]")] == [sentence]
    assert "its own words" not in str(found)


@pytest.mark.parametrize(("action", "state"), [("pause", "paused"), ("stop", "ended")])
def test_an_admin_interferes_with_a_reason_that_the_author_and_the_log_have(
    running: EndpointRun, alice: User, adam: User, action: str, state: str
) -> None:
    address = f"/review/runs/{running.pk}/{action}/"
    door = signed_in(adam)
    assert door.get(address).status_code == 200
    assert door.post(address, {"reason": "no"}).status_code == 422
    assert door.post(address, {"reason": REASON}).status_code == 302
    running.refresh_from_db()
    assert running.state == state
    entry = AuditEntry.objects.get(action=f"{action} run")
    assert (entry.actor, entry.reason) == (adam, REASON)
    seen = page(signed_in(alice).get(f"/runs/{running.pk}/"))
    assert text(seen.select("[data-details]")[0]) == REASON
    assert "An admin has" in text(seen.select(".card-title")[0])
    again = door.post(address, {"reason": REASON}, follow=True)
    assert "wrong_state" in again.content.decode()


def test_reviewers_and_authors_do_not(
    running: EndpointRun, alice: User, rita: User, client: Client
) -> None:
    for person in (alice, rita):
        for part in ("", f"{running.pk}/pause/", f"{running.pk}/stop/"):
            assert signed_in(person).post(f"/review/runs/{part}").status_code in (403, 405)
    running.refresh_from_db()
    assert running.state == "running"


def test_a_run_that_is_stopped_says_no_more_why_it_had_paused(
    running: EndpointRun, alice: User
) -> None:
    paused = {"state": "paused", "reason": "key", "reason_details": "401 Unknown"}
    EndpointRun.objects.filter(pk=running.pk).update(key_until=Now(), **paused)
    stopped = stop_run(running, alice)
    assert (stopped.state, stopped.reason, stopped.reason_details) == ("ended", "", "")
