"""The rank and the differences on a submission's page, and that hidden releases have none."""

from collections.abc import Mapping

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from portal.models import (
    Release,
    ReleaseAdmission,
    ReportedEntry,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from scoring.catalog import TASKS
from tests.support.clients import submission_html
from tests.support.factories import ALL, add_examples, published, release_of_all_tasks, reported
from tests.support.kept_pages import forget_kept_pages

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def official(db: None) -> Release:
    forget_kept_pages()
    return release_of_all_tasks()


def private(owner: User, release: Release, name: str, scores: Mapping[str, float]) -> Submission:
    made = published(owner, release, name, scores, state=SubmissionState.PRIVATE)
    gold = {task: {"labels": "0", "questions": "0"} for task in scores}
    aligned = dict.fromkeys(scores, "id")
    signature = {"scorer": "1", "input": "0", "gold": gold, "aligned": aligned}
    made.evaluations.update(signature=signature)
    return made


def page(client: Client, user: User, submission: Submission) -> BeautifulSoup:
    return BeautifulSoup(submission_html(client, user, submission), "html.parser")


def test_the_card_shows_the_rank_that_it_would_have(
    client: Client, alice: User, bob: User, official: Release
) -> None:
    for percent in (40.0, 60.0, 70.0):
        published(bob, official, f"Model {percent}", dict.fromkeys(TASKS, percent))
    shown = page(client, alice, private(alice, official, "Mine", ALL))
    [rank] = shown.select("#standing [data-rank]")
    assert (rank["data-rank"], rank["data-ranked"]) == ("3", "4")
    [task] = shown.select("#comparison tr[data-task=passkey] [data-rank]")
    assert task["data-rank"] == "3"


def test_without_all_tasks_there_is_a_rank_in_each(
    client: Client, alice: User, bob: User, official: Release
) -> None:
    published(bob, official, "Another", ALL)
    shown = page(client, alice, private(alice, official, "Mine", {"passkey": 25.0}))
    assert [one["data-rank"] for one in shown.select("#standing [data-rank]")] == [""]
    assert [one["data-rank"] for one in shown.select("#comparison [data-rank]")] == ["2"]


def test_a_new_version_shows_the_difference_to_the_last(
    client: Client, alice: User, official: Release
) -> None:
    add_examples(official)
    first, second = (
        private(alice, official, "Mine", dict.fromkeys(TASKS, percent)) for percent in (25.0, 100.0)
    )
    Submission.objects.filter(pk=second.pk).update(previous=first)
    [overall] = page(client, alice, second).select("#standing [data-difference=previous]")
    [found] = overall.select("[data-verdict]")
    assert (found["data-verdict"], found["data-questions"]) == ("better", "48")


def test_the_number_reported_of_the_same_model_is_compared(
    client: Client, alice: User, official: Release
) -> None:
    reported("Mine", ALL | {"passkey": 99.0})
    reported("Mine and more", ALL)
    mine = private(alice, official, "Mine", ALL)
    TaskScore.objects.filter(evaluation__submission=mine).update(stderr=1.0)
    shown = page(client, alice, mine)
    assert shown.select("#standing [data-difference=reported]")
    rows = shown.select("#comparison [data-difference=reported] [data-verdict]")
    assert [row["data-verdict"] for row in rows].count("worse") == 1
    ReportedEntry.objects.update(method="RAG")
    assert not page(client, alice, mine).select("[data-difference=reported]")


@pytest.mark.parametrize("admitted", [False, True])
def test_on_a_hidden_release_there_is_neither_rank_nor_difference(
    client: Client, alice: User, rita: User, official: Release, admitted: bool
) -> None:
    published(alice, official, "Another", ALL)
    reported("Mine", ALL)
    first, second = (private(alice, official, "Mine", ALL) for _ in range(2))
    Submission.objects.filter(pk=second.pk).update(previous=first)
    Release.objects.update(hidden=True)
    if admitted:
        ReleaseAdmission.objects.create(release=official, account=alice)
        TaskScore.objects.update(public_percent=50)
    for reader in (alice, rita):
        shown = page(client, reader, second)
        assert not shown.select("[data-rank], [data-difference], #comparison")


def test_an_author_of_a_hidden_release_reads_when_scores_are_shown(
    client: Client, alice: User, rita: User, official: Release
) -> None:
    mine = private(alice, official, "Mine", ALL)
    Release.objects.update(hidden=True)
    shown = page(client, alice, mine)
    assert shown.select("#standing [data-code='after review']")
    assert not shown.select("#scores th[data-metric-set]")
    TaskScore.objects.filter(metric_set="strict").update(public_percent=20, public_width=10)
    shown = page(client, alice, mine)
    assert not shown.select("#standing [data-code='after review']")
    assert [one["data-metric-set"] for one in shown.select("#scores th[data-metric-set]")] == [
        "strict"
    ]
    assert shown.select("#scores [data-code=bands]")
    assert not page(client, rita, mine).select("#standing [data-code='after review']")


@pytest.mark.parametrize("state", ["rejected", "hidden", "question"])
def test_the_reason_is_in_the_card(
    client: Client, alice: User, adam: User, official: Release, state: str
) -> None:
    mine = private(alice, official, "Mine", ALL)
    Submission.objects.filter(pk=mine.pk).update(state=state)
    action = {"rejected": "reject", "hidden": "hide", "question": "ask author"}[state]
    mine.audit_entries.create(
        action=action, after=state, actor=adam, reason="First line.\nSecond line."
    )
    [reason] = page(client, alice, mine).select("#standing [data-reason]")
    assert reason.get_text("|", strip=True) == "First line.|Second line."
