"""The examples from which reviewers learn the most."""

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import Example, Release, ScoreVector, SubmissionState, User
from portal.scores.estimates import pack_scores
from tests.portal.review.conftest import GOLD, SIZE, answered
from tests.support import html

QA, KEYS = "longbook_qa_eng", "passkey"


def page(user: User, **query: str) -> BeautifulSoup:
    client = Client()
    client.force_login(user)
    response = client.get("/review/examples/", query)
    assert response.status_code == 200
    return html.page(response)


def queued(page: BeautifulSoup) -> list[str]:
    return [str(row["data-queued"]) for row in page.select("[data-queued]")]


def right_in(*indices: int) -> dict[str, list[str]]:
    return {KEYS: [one if index in indices else "0" for index, one in enumerate(GOLD[KEYS])]}


@pytest.fixture
def entries(alice: User, bob: User, adam: User, tasks_of_text: Release) -> None:
    """Question 3 tells strong entries from weak ones; question 4 does so the wrong way round."""
    easy = range(8, SIZE)
    answered(alice, tasks_of_text, "Strong", right_in(0, 1, 2, 3, *easy))
    answered(bob, tasks_of_text, "Also strong", right_in(0, 1, 2, 3, *easy))
    answered(adam, tasks_of_text, "Weak", right_in(4, *easy))
    answered(adam, tasks_of_text, "Also weak", right_in(4, *easy))


@pytest.mark.usefixtures("entries")
def test_questions_that_tell_entries_apart_come_first(rita: User) -> None:
    found = queued(page(rita, release="texts", task=KEYS))
    assert set(found[:5]) == {f"{KEYS}/{index}" for index in range(5)}
    assert len(found) == SIZE


@pytest.mark.usefixtures("entries")
def test_questions_on_which_the_metrics_disagree_come_first_if_asked(rita: User) -> None:
    of_strict = ScoreVector.objects.filter(task_score__task=KEYS, task_score__metric_set="strict")
    of_strict.update(scores=pack_scores([0.0] * 19 + [1.0]))
    found = queued(page(rita, release="texts", task=KEYS, order="disagreement"))
    assert found[-1] == f"{KEYS}/19"
    assert found[0] == f"{KEYS}/8"


@pytest.mark.usefixtures("entries")
def test_a_row_leads_to_the_example(rita: User) -> None:
    link = page(rita, release="texts", task=KEYS).select("[data-queued] a")[0]
    client = Client()
    client.force_login(rita)
    assert client.get(str(link["href"])).status_code == 200


@pytest.mark.usefixtures("entries")
def test_questions_are_shown_where_they_are_known(rita: User) -> None:
    assert page(rita, release="texts", task=KEYS).select("[data-question]")
    Example.objects.update(question="")
    assert not page(rita, release="texts", task=KEYS).select("[data-question]")


@pytest.mark.usefixtures("entries")
def test_what_there_is_not_is_answered_with_what_there_is(rita: User) -> None:
    found = page(rita, release="none", task="none", order="none")
    assert queued(found)
    assert queued(page(rita, task=QA)) == []


def test_without_releases_there_is_no_queue(db: None, rita: User) -> None:
    assert page(rita).select("[data-empty=releases]")


@pytest.mark.usefixtures("entries")
def test_of_a_hidden_release_the_reviewers_own_entries_do_not_count(
    rita: User, tasks_of_text: Release
) -> None:
    Release.objects.update(hidden=True)
    answered(rita, tasks_of_text, "Own", right_in(5))
    found = page(rita, release="texts", task=KEYS)
    assert found.select("[data-entries]")[0]["data-entries"] == "4"


@pytest.mark.usefixtures("entries")
def test_the_number_of_queries_is_fixed(alice: User, rita: User, tasks_of_text: Release) -> None:
    client = Client()
    client.force_login(rita)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/review/examples/", {"release": "texts", "task": KEYS})
        return len(captured)

    few = queries()
    for number in range(3):
        answered(alice, tasks_of_text, f"More {number}", right_in(number))
    answered(alice, tasks_of_text, "Private", right_in(1), SubmissionState.PRIVATE)
    assert queries() == few


@pytest.mark.usefixtures("entries")
def test_a_gold_answer_that_is_not_in_the_context_comes_first(rita: User) -> None:
    Example.objects.filter(key=f"{KEYS}/9").update(answer_in_context=False)
    Example.objects.filter(key=f"{KEYS}/2").update(answer_in_context=True)
    found = page(rita, release="texts", task=KEYS, order="gold")
    assert queued(found)[0] == f"{KEYS}/9"
    assert len(found.select("[data-gold-missing]")) == 1
    found = page(rita, release="texts", task=KEYS)
    assert f"{KEYS}/9" in queued(found)[:6]


def test_it_is_found_before_anybody_has_answered(rita: User, tasks_of_text: Release) -> None:
    assert queued(page(rita, release="texts", task=KEYS)) == []
    Example.objects.filter(key=f"{KEYS}/9").update(answer_in_context=False)
    assert queued(page(rita, release="texts", task=KEYS)) == [f"{KEYS}/9"]
