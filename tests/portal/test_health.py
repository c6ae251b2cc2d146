"""What the health pages say, also when the database is down."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from portal import health
from portal.evaluations import sandbox as portal_sandbox
from portal.evaluations.sandbox import sandbox
from portal.models import Evaluation, Release, User
from scoring.sandbox.preflight import Preflight
from scoring.sandbox.run import Level
from tests.support.factories import make_submission


@pytest.mark.django_db
def test_ready_means_a_database_and_a_sandbox(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "database": "up",
        "sandbox": {"level": sandbox().level, "reason": sandbox().reason},
        "oldest_waits_seconds": None,
    }


def test_it_reports_how_long_the_oldest_evaluation_has_waited(
    client: Client, alice: User, release: Release
) -> None:
    make_submission(alice, release, b"{}")
    Evaluation.objects.update(created=Now() - timedelta(minutes=5))
    assert 300 <= client.get("/readyz").json()["oldest_waits_seconds"] < 360


@pytest.mark.django_db
def test_without_a_sandbox_it_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_holds = Preflight(Level.NONE, "Nothing holds here.", ())
    for module in (portal_sandbox, health):
        monkeypatch.setattr(module, "sandbox", lambda: nothing_holds)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["sandbox"]["reason"] == "Nothing holds here."


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_database")
def test_without_a_database_the_site_is_alive_but_not_ready(client: Client) -> None:
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "down")
