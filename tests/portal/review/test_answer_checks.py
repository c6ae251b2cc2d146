"""Flags that the sweeper finds in the answers of submissions that wait for review."""

from random import Random

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import Release, Submission, SubmissionState, User
from portal.review.answer_checks import update_answer_checks
from tests.portal.review.conftest import SIZE, answered
from tests.support import html

QA = "longbook_qa_eng"
WORDS = [
    "amber",
    "basin",
    "cellar",
    "drover",
    "ember",
    "ferry",
    "gorge",
    "hollow",
    "inlet",
    "jetty",
    "kiln",
    "larder",
]
WAITING = SubmissionState.IN_REVIEW


def stories(seed: int) -> list[str]:
    """Long wrong answers in a model's own words."""
    random = Random(seed)
    return [f"I think it was the {' '.join(random.sample(WORDS, 7))}" for _ in range(SIZE)]


def changed(texts: list[str]) -> list[str]:
    return [text.replace("think", "thimk", 1).replace("er ", "ar ", 1) for text in texts]


@pytest.fixture
def source(bob: User, tasks_of_text: Release) -> Submission:
    return answered(bob, tasks_of_text, "Source", {QA: stories(1)})


def page(user: User, address: str) -> BeautifulSoup:
    client = Client()
    client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200
    return html.page(response)


def copies(user: User, submission: Submission) -> list[str]:
    """What the review page calls it a copy of; the same on the list of reviews."""
    found = page(user, f"/review/{submission.pk}/").select("[data-copy-of]")
    listed = page(user, "/review/").select(f"[data-submission='{submission.pk}'] [data-copy-of]")
    ids = [str(one["data-copy-of"]) for one in found]
    assert [str(one["data-copy-of"]) for one in listed] == ids
    return ids


def test_copies_with_changed_characters_are_flagged_and_honest_answers_are_not(
    alice: User, bob: User, rita: User, tasks_of_text: Release, source: Submission
) -> None:
    copy = answered(alice, tasks_of_text, "Copy", {QA: changed(stories(1))}, WAITING)
    version = answered(bob, tasks_of_text, "Version", {QA: changed(stories(1))}, WAITING)
    honest = answered(alice, tasks_of_text, "Honest", {QA: stories(2)}, WAITING)
    assert page(rita, f"/review/{copy.pk}/").select("[data-code='not compared']")
    assert update_answer_checks() == 3
    assert update_answer_checks() == 0
    assert copies(rita, copy) == [str(source.pk), str(version.pk)]
    assert copies(rita, version) == [str(copy.pk)]  # and not of what its own author has
    assert copies(rita, honest) == []
    assert not page(rita, f"/review/{copy.pk}/").select("[data-code='not compared']")
    link = page(rita, f"/review/{copy.pk}/").select("[data-copy-of] a")[0]
    table = page(rita, str(link["href"]))
    assert table.select(f"tbody[data-copy-of='{source.pk}']")


def test_newer_scores_of_others_are_compared_and_what_is_withdrawn_is_not_named(
    alice: User, bob: User, rita: User, tasks_of_text: Release, source: Submission
) -> None:
    one = answered(alice, tasks_of_text, "Early", {QA: changed(stories(3))}, WAITING)
    update_answer_checks()
    assert copies(rita, one) == []
    later = answered(bob, tasks_of_text, "Later", {QA: stories(3)})
    assert update_answer_checks() == 1
    assert copies(rita, one) == [str(later.pk)]
    Submission.objects.filter(pk=later.pk).update(state=SubmissionState.WITHDRAWN)
    assert copies(rita, one) == []


def test_on_a_hidden_release_nobody_learns_of_their_own_predictions(
    alice: User, rita: User, tasks_of_text: Release, source: Submission
) -> None:
    own = answered(rita, tasks_of_text, "Own", {QA: changed(stories(1))}, WAITING)
    other = answered(alice, tasks_of_text, "Other", {QA: changed(stories(1))}, WAITING)
    update_answer_checks()
    assert copies(rita, own) == [str(source.pk), str(other.pk)]
    Release.objects.update(hidden=True)
    assert copies(rita, own) == []
    assert copies(rita, other) == [str(source.pk)]


def test_the_list_of_reviews_needs_no_more_queries_for_more_copies(
    alice: User, rita: User, tasks_of_text: Release, source: Submission
) -> None:
    client = Client()
    client.force_login(rita)

    def queries(name: str) -> int:
        answered(alice, tasks_of_text, name, {QA: changed(stories(1))}, WAITING)
        update_answer_checks()
        with CaptureQueriesContext(connection) as captured:
            client.get("/review/")
        return len(captured)

    assert queries("One") == queries("Two")
