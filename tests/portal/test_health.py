"""What the health pages say, also when the database is down."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from portal import health
from portal.evaluations import sandbox as portal_sandbox
from portal.evaluations.leases import claim_evaluation
from portal.evaluations.results import store_failure, store_outcome
from portal.evaluations.sandbox import sandbox
from portal.mail import outbox
from portal.mail.outbox import send_notice
from portal.models import (
    EndpointRun,
    Evaluation,
    Notice,
    Release,
    RunSlice,
    User,
)
from portal.review.services import publish_submission
from portal.submissions.services import answer_question
from scoring.sandbox.preflight import Preflight
from scoring.sandbox.run import Level
from tests.support.factories import (
    as_if_scored,
    endpoint_run,
    make_submission,
    only_evaluation,
    release_of_all_tasks,
    whole_release,
)
from tests.support.notices import WHY, asked_for, reachable

QUESTION = {"tasks": {}, "problems": [], "alignment": [{"task": "code_run"}]}


@pytest.mark.django_db
def test_ready_means_a_database_and_a_sandbox(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "reasons": [],
        "database": "up",
        "sandbox": {"level": sandbox().level, "reason": sandbox().reason},
        "oldest_waits_seconds": None,
        "oldest_mail_waits_seconds": None,
        "oldest_run_waits_seconds": None,
        "oldest_import_waits_seconds": None,
    }


def test_it_reports_how_long_the_oldest_evaluation_has_waited(
    client: Client, alice: User, release: Release
) -> None:
    make_submission(alice, release, b"{}")
    Evaluation.objects.update(due=Now() - timedelta(minutes=5))
    answer = client.get("/readyz")
    assert 300 <= answer.json()["oldest_waits_seconds"] < 360
    assert answer.status_code == 200


def reasons(client: Client) -> tuple[int, list[str]]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()["reasons"]


@pytest.fixture
def long_ago(settings: Settings) -> object:
    return Now() - timedelta(seconds=settings.MAX_WAIT + 1)


def test_an_evaluation_that_no_worker_takes_makes_it_not_ready(
    client: Client, alice: User, release: Release, long_ago: object
) -> None:
    submission = make_submission(alice, release, b"{}")
    Evaluation.objects.update(due=long_ago)
    assert reasons(client) == (503, ["evaluations_wait"])
    as_if_scored(submission)
    assert reasons(client) == (200, [])


def test_waiting_for_the_author_or_for_another_attempt_is_no_fault(
    client: Client, alice: User, release: Release, long_ago: object
) -> None:
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    lease = claim_evaluation(evaluation.pk)
    assert lease
    store_outcome(lease, QUESTION, [], level="strong")
    Evaluation.objects.update(due=long_ago, created=long_ago)
    assert reasons(client) == (200, [])
    answer_question(evaluation, by=alice, align="id")
    assert reasons(client) == (200, [])
    lease = claim_evaluation(evaluation.pk)
    assert lease
    Evaluation.objects.update(due=long_ago)
    store_failure(lease, "scorer_disk")
    assert reasons(client) == (200, [])


def test_mail_that_no_worker_takes_makes_it_not_ready(
    client: Client, alice: User, rita: User, long_ago: object
) -> None:
    asked = asked_for(reachable(alice), whole_release())
    publish_submission(asked, by=rita, reason=WHY)
    assert reasons(client) == (200, [])
    Notice.objects.update(due=long_ago)
    assert reasons(client) == (503, ["mail_waits"])
    send_notice(Notice.objects.get().pk)
    assert reasons(client) == (200, [])


def test_a_mail_server_that_fails_is_no_lack_of_workers(
    client: Client, alice: User, rita: User, long_ago: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise OSError

    monkeypatch.setattr(outbox, "build_email", fails)
    publish_submission(asked_for(reachable(alice), whole_release()), by=rita, reason=WHY)
    Notice.objects.update(due=long_ago)
    send_notice(Notice.objects.get().pk)
    assert reasons(client) == (200, [])


def test_what_no_worker_of_runs_takes_makes_it_not_ready(
    client: Client, alice: User, long_ago: Any
) -> None:
    ready: object = (200, [])
    waits = (503, ["runs_wait"])
    release = release_of_all_tasks("keys")
    run = endpoint_run(alice, release, state="running", resumed=long_ago)
    for number in range(2):
        RunSlice.objects.create(run=run, number=number, width=4)
    first = RunSlice.objects.filter(number=0)
    assert reasons(client) == waits
    first.update(lease_until=Now() + timedelta(minutes=1))
    assert reasons(client) == ready  # the other part has time
    first.update(lease_until=long_ago)
    assert reasons(client) == waits  # its worker was lost
    first.update(lease_until=None, freed=Now())
    assert reasons(client) == ready
    row = EndpointRun.objects.filter(pk=run.pk)
    row.update(state="draft", connection_at=long_ago)
    assert reasons(client) == waits
    row.update(connection_until=Now())
    assert reasons(client) == ready


@pytest.mark.django_db
def test_without_a_sandbox_it_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_holds = Preflight(Level.NONE, "Nothing holds here.", ())
    for module in (portal_sandbox, health):
        monkeypatch.setattr(module, "sandbox", lambda: nothing_holds)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["sandbox"]["reason"] == "Nothing holds here."
    assert answer.json()["reasons"] == ["no_sandbox"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_database")
def test_without_a_database_the_site_is_alive_but_not_ready(client: Client) -> None:
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "down")
    assert answer.json()["reasons"] == ["database_down"]
