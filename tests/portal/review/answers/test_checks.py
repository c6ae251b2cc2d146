"""Flags that the sweeper raises about the answers of submissions that wait for review."""

from datetime import timedelta
from random import Random

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import (
    AnswerCheck,
    Evaluation,
    Release,
    Submission,
    SubmissionState,
    User,
)
from portal.review.answers import checks
from portal.review.answers.checks import update_answer_checks
from portal.review.answers.shares import AnswerShares, answer_shares
from tests.portal.review.conftest import SIZE, answered
from tests.support import html

QA = "longbook_qa_eng"
FRAME = "Having read the whole of the text with care, I think that the answer to this is"
LETTERS = "abdefgiklmnoprstuvwz"
WAITING = SubmissionState.IN_REVIEW


def stories(seed: int) -> list[str]:
    """Long wrong answers in a model's own words, phrased around the same frame as all others'."""
    random = Random(seed)

    def word() -> str:
        return "".join(random.choices(LETTERS, k=6))

    return [f"{FRAME} {' '.join(word() for _ in range(7))}." for _ in range(SIZE)]


def changed(texts: list[str]) -> list[str]:
    return [f"{text[:3]}x{text[3:-9]}x{text[-8:]}" for text in texts]


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
    """What the review page says it copies; checks that the list of reviews says the same."""
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
    assert copies(rita, version) == [str(copy.pk)]  # but not of its own author's submissions
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
    pairs = [
        tuple(html.text(row.select(side)[0]) for side in ("[data-own]", "[data-theirs]"))
        for row in page(rita, f"/review/{one.pk}/shared/").select("tr[data-answer]")
    ]
    assert pairs == list(zip(changed(stories(3)), stories(3), strict=True))[:10]
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


def test_what_others_have_made_before_and_show_later_is_compared_too(
    alice: User, bob: User, rita: User, tasks_of_text: Release, source: Submission
) -> None:
    private = SubmissionState.PRIVATE
    older = answered(bob, tasks_of_text, "Older", {QA: stories(3)}, private)
    copy = answered(alice, tasks_of_text, "Copy", {QA: changed(stories(3))}, WAITING)
    assert update_answer_checks() == 1
    assert copies(rita, copy) == []
    Submission.objects.filter(pk=older.pk).update(state=WAITING)
    assert update_answer_checks() == 2
    assert copies(rita, copy) == [str(older.pk)]


def test_checks_that_fail_hold_up_no_others_and_are_tried_again_later_and_later(
    alice: User,
    rita: User,
    tasks_of_text: Release,
    source: Submission,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = [
        answered(alice, tasks_of_text, f"Broken {n}", {QA: stories(n)}, WAITING) for n in range(5)
    ]
    answered(alice, tasks_of_text, "Late", {QA: stories(9)}, WAITING)
    ids = {one.pk for one in broken}

    def fail_for_some(evaluation: Evaluation, *, verdicts: bool) -> list[AnswerShares]:
        if evaluation.submission_id in ids:
            raise ArithmeticError
        return answer_shares(evaluation, verdicts=verdicts)

    monkeypatch.setattr(checks, "answer_shares", fail_for_some)
    with pytest.raises(ExceptionGroup) as failed:
        update_answer_checks()
    assert len(failed.value.exceptions) == 5
    assert update_answer_checks() == 1  # the others are left alone
    assert update_answer_checks() == 0
    assert page(rita, f"/review/{broken[0].pk}/").select("[data-code='not compared']")
    AnswerCheck.objects.filter(failures=1).update(tried=Now() - timedelta(minutes=3))
    with pytest.raises(ExceptionGroup):
        update_answer_checks()
    AnswerCheck.objects.filter(failures=2).update(tried=Now() - timedelta(minutes=3))
    assert update_answer_checks() == 0
    ids.clear()
    AnswerCheck.objects.filter(failures=2).update(tried=Now() - timedelta(minutes=5))
    assert update_answer_checks() == 5
    assert not AnswerCheck.objects.exclude(failures=0)


def test_refusals_in_the_same_words_are_no_copy(
    alice: User, rita: User, tasks_of_text: Release, source: Submission
) -> None:
    refusal = "I am sorry, but I cannot find the answer to this question in the text."
    others = [
        answered(owner, tasks_of_text, f"Honest {n}", {QA: [refusal] * 15 + stories(n)[15:]}, state)
        for n, (owner, state) in enumerate(
            [(rita, SubmissionState.PUBLISHED), (alice, WAITING)], start=5
        )
    ]
    assert update_answer_checks() == 1
    assert copies(rita, others[1]) == []
