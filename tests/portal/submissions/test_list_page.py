"""The list of a user's submissions."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from portal.models import EvaluationState, Release, Submission, User
from tests.support.clients import html_of, scored_submission, waiting_submission
from tests.support.factories import as_if_scored, make_submission

pytestmark = pytest.mark.django_db
waiting = pytest.fixture(waiting_submission)
scored = pytest.fixture(scored_submission)


def listed(client: Client, user: User, **query: str) -> str:
    client.force_login(user)
    return html_of(client.get(reverse("submissions"), query))


def test_an_empty_list_leads_on(client: Client, bob: User, scored: Submission) -> None:
    html = listed(client, bob)
    assert 'class="empty"' in html
    assert str(scored.pk) not in html


def test_the_list_shows_the_state_of_each(
    client: Client, alice: User, release: Release, scored: Submission
) -> None:
    waits = make_submission(alice, release, b"x")
    html = listed(client, alice)
    assert html.index(str(waits.pk)) < html.index(str(scored.pk))
    assert f"/submit/?from={scored.pk}" in html


def test_the_list_can_be_narrowed(
    client: Client, alice: User, release: Release, scored: Submission
) -> None:
    waits = make_submission(alice, release, b"x")
    for state, shown, not_shown in (
        (EvaluationState.QUEUED, waits, scored),
        (EvaluationState.SCORED, scored, waits),
    ):
        html = listed(client, alice, state=state)
        assert str(shown.pk) in html
        assert str(not_shown.pk) not in html
    assert 'class="empty"' in listed(client, alice, state="published")
    assert str(waits.pk) in listed(client, alice, model="model-of-alice", state="private")


@pytest.mark.parametrize("query", [{"state": "x"}, {"model": "x"}, {"page": "x"}, {"page": "999"}])
def test_a_wrong_address_shows_all(
    client: Client, alice: User, scored: Submission, query: dict[str, str]
) -> None:
    assert str(scored.pk) in listed(client, alice, **query)


def test_a_long_list_has_pages(client: Client, alice: User, release: Release) -> None:
    for _ in range(26):
        make_submission(alice, release, b"x")
    first, second = listed(client, alice, state="queued"), listed(client, alice, page="2")
    assert first.count("New version") == 25
    assert 'href="?state=queued&amp;page=2"' in first
    assert second.count("New version") == 1


def test_more_rows_need_no_more_questions_to_the_database(
    client: Client, alice: User, release: Release, scored: Submission
) -> None:
    few = questions(client, alice)
    for _ in range(10):
        as_if_scored(make_submission(alice, release, b"x"))
    assert questions(client, alice) == few


def questions(client: Client, user: User) -> int:
    client.force_login(user)
    with CaptureQueriesContext(connection) as captured:
        client.get(reverse("submissions"))
    return len(captured)
