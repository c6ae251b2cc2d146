"""Wrong answers that a submission shares with others, and what tells honest from dishonest ones."""

from random import Random

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import Release, Submission, SubmissionState, User
from portal.review.answers.checks import update_answer_checks
from tests.portal.review.conftest import GOLD, PLACES, SIZE, answered
from tests.support import html

QA = "longbook_qa_eng"
WAITING = SubmissionState.IN_REVIEW


def sentences(seed: int, share: float = 0.3) -> list[str]:
    """The answers, in its own words, of a model that is right in this share of the questions."""
    random = Random(seed)
    return [
        f"{gold} indeed" if random.random() < share else f"It was the {place} of {who}"
        for gold in GOLD[QA]
        for place, who in [(random.choice(PLACES), random.choice("ABCD"))]
    ]


@pytest.fixture
def published(bob: User, adam: User, tasks_of_text: Release) -> list[Submission]:
    return [
        answered(owner, tasks_of_text, f"Model {seed}", {QA: sentences(seed)})
        for seed, owner in enumerate((bob, adam, bob, adam))
    ]


def page(user: User, submission: Submission, rest: str = "shared/") -> BeautifulSoup:
    client = Client()
    client.force_login(user)
    response = client.get(f"/review/{submission.pk}/{rest}")
    assert response.status_code == 200
    return html.page(response)


def verdicts(page: BeautifulSoup) -> dict[str, str]:
    """The verdicts that are shown, by the id of the other submission."""
    return {
        str(row["data-shared"]): str(row["data-verdict"])
        for row in page.select("[data-shared][data-verdict]")
    }


def copied(texts: list[str]) -> list[str]:
    """A copy, changed to have another hash, with a few of the copier's own answers."""
    changed = [f" {text.upper()}. " for text in texts]
    return [*changed[:-2], *sentences(99)[-2:]]


def test_reviewers_can_tell_honest_from_dishonest_submissions(
    alice: User, rita: User, tasks_of_text: Release, published: list[Submission]
) -> None:
    """From what the pages show, without knowing anything else."""
    source = published[1]
    texts = {
        "honest": sentences(50),
        "copied": copied(sentences(1)),
        "labels pasted": GOLD[QA],
        "empty": [""] * SIZE,
    }
    found = {}
    for name, answers in texts.items():
        one = answered(alice, tasks_of_text, name, {QA: answers}, WAITING)
        update_answer_checks()
        flags = {str(flag["data-flag"]) for flag in page(rita, one, "").select("[data-flag]")}
        found[name] = flags, verdicts(page(rita, one))
        one.delete()
    assert found == {
        "honest": (set(), {}),
        "copied": ({"copied"}, {str(source.pk): "copied"}),
        "labels pasted": ({"gold"}, {}),
        "empty": ({"empty"}, {}),
    }


def test_counts_and_examples_of_a_copy(
    alice: User, rita: User, tasks_of_text: Release, published: list[Submission]
) -> None:
    one = answered(alice, tasks_of_text, "Copy", {QA: copied(sentences(1))}, WAITING)
    shown = page(rita, one)
    first = shown.select("[data-shared]")[0]
    wrong = sum("indeed" not in text for text in sentences(1)[:-2])
    assert first["data-shared"] == str(published[1].pk)
    assert int(str(first["data-same"])) >= wrong
    listed = shown.select("[data-answer] a")
    assert 0 < len(listed) <= 10
    client = Client()
    client.force_login(rita)
    opened = html.page(client.get(str(listed[0]["href"])))
    answers = {str(answer["data-answer"]) for answer in opened.select("[data-answer]")}
    assert answers == {str(one.pk), published[1].entry_id}


@pytest.mark.parametrize(
    ("missed", "same", "is_copy"), [(10, 5, True), (10, 4, False), (9, 9, False)]
)
def test_half_of_ten_wrong_answers_are_a_copy_even_of_the_only_other_entry(
    alice: User, bob: User, rita: User, tasks_of_text: Release, *, missed: int, same: int,
    is_copy: bool,
) -> None:  # fmt: skip
    wrong = [f"It was {letter}" for letter in "ABCDEFGHIJ"[:missed]]
    own = [*wrong[:same], *(f"{text}, no" for text in wrong[same:])]
    source, copy = (
        answered(owner, tasks_of_text, name, {QA: [*texts, *GOLD[QA][missed:]]}, state)
        for owner, name, texts, state in (
            (bob, "Source", wrong, SubmissionState.PUBLISHED), (alice, "Copy", own, WAITING),
        )
    )  # fmt: skip
    update_answer_checks()
    flagged = page(rita, copy, "").select("[data-copy-of]")
    assert [str(one["data-copy-of"]) for one in flagged] == [str(source.pk)] * is_copy
    assert verdicts(page(rita, copy)) == ({str(source.pk): "copied"} if is_copy else {})


def test_versions_of_one_author_are_not_called_copies(
    bob: User, rita: User, tasks_of_text: Release, published: list[Submission]
) -> None:
    one = answered(bob, tasks_of_text, "Again", {QA: copied(sentences(0))}, WAITING)
    shown = page(rita, one)
    assert shown.select("[data-shared]")[0]["data-shared"] == str(published[0].pk)
    assert verdicts(shown) == {}


def test_private_submissions_are_left_out(
    alice: User, rita: User, tasks_of_text: Release, published: list[Submission]
) -> None:
    published[1].state, published[1].slug = SubmissionState.PRIVATE, None
    published[1].save()
    one = answered(alice, tasks_of_text, "Copy", {QA: copied(sentences(1))}, WAITING)
    assert str(published[1].pk) not in str(page(rita, one).select("[data-shared]"))


def test_the_number_of_queries_does_not_depend_on_the_number_of_entries(
    alice: User, rita: User, tasks_of_text: Release, published: list[Submission]
) -> None:
    client = Client()
    client.force_login(rita)

    def queries(name: str) -> int:
        one = answered(alice, tasks_of_text, name, {QA: copied(sentences(1))}, WAITING)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/review/{one.pk}/shared/")
        return len(captured)

    few = queries("One")
    for seed in range(60, 64):
        answered(alice, tasks_of_text, f"Model {seed}", {QA: sentences(seed)})
    assert queries("Two") == few


def test_reviewers_learn_nothing_of_their_own_predictions_on_a_hidden_release(
    alice: User, rita: User, tasks_of_text: Release, published: list[Submission]
) -> None:
    Release.objects.update(hidden=True)
    own = answered(rita, tasks_of_text, "Own", {QA: sentences(7)})
    other = answered(alice, tasks_of_text, "Other", {QA: sentences(8)})
    shown = page(rita, own)
    assert shown.select("[data-code='no verdicts']")
    assert not shown.select("[data-shared], [data-missed]")
    compared = {str(row["data-shared"]) for row in page(rita, other).select("[data-shared]")}
    assert compared == {str(one.pk) for one in published}


def test_without_scores_nothing_is_compared(
    alice: User, rita: User, tasks_of_text: Release
) -> None:
    one = answered(alice, tasks_of_text, "One", {QA: sentences(1)})
    assert page(rita, one).select("[data-empty=entries]")
    one.evaluations.all().delete()
    assert page(rita, one).select("[data-code='no scores']")
