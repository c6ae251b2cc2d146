"""What admins see of the site, and others do not."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from portal.heartbeats import beat, count_lost_leases, forget_old_heartbeats
from portal.models import Evaluation, Heartbeat, HeartbeatKind, Release, User
from tests.support.factories import make_submission


@pytest.fixture
def page(client: Client, adam: User) -> "Page":
    client.force_login(adam)
    return Page(client)


class Page:
    def __init__(self, client: Client) -> None:
        self._client = client

    def read(self) -> BeautifulSoup:
        answer = self._client.get("/review/status/")
        assert answer.status_code == 200
        return BeautifulSoup(answer.content, "html.parser")


def values(page: BeautifulSoup, attribute: str) -> list[str]:
    return [str(one[attribute]) for one in page.select(f"[{attribute}]")]


@pytest.mark.django_db
def test_a_new_site_has_no_workers_no_sweep_and_no_backup(page: Page) -> None:
    found = page.read()
    assert values(found, "data-silent") == ["imports", "mail", "runs", "scoring"]
    assert values(found, "data-worker") == values(found, "data-failure") == []
    assert all(found.select_one(f"[data-fact={one}] strong") for one in ("sweeper", "backup"))


def test_workers_are_listed_with_what_they_do(page: Page) -> None:
    beat(
        HeartbeatKind.WORKER,
        "one@here",
        queues=["scoring", "mail", "imports"],
        job="a.task",
        sandbox="strong",
    )
    beat(HeartbeatKind.WORKER, "two@here", queues=["runs"])
    found = page.read()
    assert values(found, "data-worker") == ["one@here", "two@here"]
    assert values(found, "data-silent") == values(found, "data-gone") == []
    Heartbeat.objects.filter(pk="two@here").update(at=Now() - timedelta(seconds=61))
    found = page.read()
    assert (values(found, "data-silent"), len(found.select("[data-gone]"))) == (["runs"], 1)


def test_queues_and_failures_are_counted(page: Page, alice: User, release: Release) -> None:
    for upload, failure in ((b"{}", "worker_lost"), (b"[]", "worker_lost"), (b"1", "")):
        ended = {"state": "failed", "failure": failure, "finished": Now()}
        make_submission(alice, release, upload).evaluations.update(**(ended if failure else {}))
    count_lost_leases(4)
    found = page.read()
    scoring = found.select_one("[data-queue=scoring]")
    assert scoring
    assert "1" in scoring.text
    assert values(found, "data-failure") == ["worker_lost"]
    assert found.select("[data-fact=lost]")[0].text == "4"
    Evaluation.objects.update(finished=Now() - timedelta(hours=25))
    assert values(page.read(), "data-failure") == []


def test_what_waits_too_long_is_marked(
    page: Page, alice: User, release: Release, settings: Settings
) -> None:
    make_submission(alice, release, b"{}")
    assert not page.read().select("[data-queue] [data-late]")
    Evaluation.objects.update(due=Now() - timedelta(seconds=settings.MAX_WAIT + 1))
    assert len(page.read().select("[data-queue] [data-late]")) == 1


@pytest.mark.django_db
def test_signs_of_processes_that_are_gone_are_forgotten_but_not_the_last_backup() -> None:
    beat(HeartbeatKind.WORKER, "one@here")
    beat(HeartbeatKind.BACKUP, "backup")
    beat(HeartbeatKind.SWEEPER)
    Heartbeat.objects.exclude(kind="sweeper").update(at=Now() - timedelta(days=3))
    assert forget_old_heartbeats() == 1
    assert set(Heartbeat.objects.values_list("kind", flat=True)) == {"backup", "sweeper"}
