"""On a hidden release, no score on any page or in any file reveals a single answer."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from portal.models import Release, Submission, TaskScore, User
from portal.scores.disclosure import rounded_score, visible_facets
from scoring.catalog import TASKS
from tests.support.clients import html_of, submission_html
from tests.support.factories import judged, whole_release, with_slug
from tests.support.kept_pages import forget_kept_pages

pytestmark = pytest.mark.django_db

EXACT = dict.fromkeys(TASKS, 33.3333) | {"passkey": 66.6667}


@pytest.fixture
def hidden(db: None) -> Release:
    release = whole_release("hidden")
    release.hidden = True
    release.save()
    return release


@pytest.fixture
def mine(alice: User, hidden: Release) -> Submission:
    return judged(alice, hidden, EXACT)


def answer(submission: Submission, answered: int, task: str = "passkey") -> None:
    """Mark this many examples as answered, with a score as if one of thirty were right. The release
    really has a single example."""
    rows = TaskScore.objects.filter(evaluation__submission=submission)
    rows.update(stderr=1.2345)
    percent = rounded_score(100 / 30, answered=answered, size=1)
    rows.filter(task=task).update(answered=answered, mean=100 / 30, public_percent=percent)


@pytest.mark.parametrize(("answered", "disclosed"), [(1, None), (26, None), (27, 3), (30, 3)])
def test_a_score_is_rounded_and_only_disclosed_if_nearly_all_is_answered(
    answered: int, disclosed: float | None
) -> None:
    assert rounded_score(100 / 30, answered=answered, size=30) == disclosed


def test_its_author_reads_rounded_scores_without_errors(
    client: Client, alice: User, mine: Submission
) -> None:
    answer(mine, 1)
    shown = submission_html(client, alice, mine)
    assert "33<" in shown
    assert "33.3" not in shown
    assert "1.23" not in shown
    listed = html_of(client.get(reverse("submissions")))
    assert "30.5" in listed  # the mean of eleven times 33, and 3


def test_one_answer_is_not_disclosed_by_any_page_or_file_of_its_author(
    client: Client, alice: User, mine: Submission
) -> None:
    answer(mine, 0)
    shown = submission_html(client, alice, mine)
    assert "33<" in shown
    assert not re.search(r">\s*3\s*<", shown)
    assert 'data-missing="withheld"' in shown
    document = json.loads(client.get(reverse("submission-report", args=[mine.pk])).content)
    assert set(document["tasks"]["passkey"]["scores"].values()) == {None}
    assert set(document["tasks"]["math_find"]["scores"].values()) == {33}
    assert set(document["tasks"]["math_find"]["stderr"].values()) == {None}
    assert set(document["overall"].values()) == set(document["domains"]["retrieval"].values())
    assert set(document["overall"].values()) == {None}


@pytest.mark.parametrize("place", ["/board/hidden/", "/board/hidden/board.json", "entry", "model"])
def test_one_answer_is_not_disclosed_in_public(
    client: Client, mine: Submission, place: str
) -> None:
    forget_kept_pages()
    answer(mine, 0)
    Submission.objects.update(state="published")
    entry = with_slug(Submission.objects.get())
    places = {
        "entry": reverse("entry", args=[entry.entry_id]),
        "model": reverse("language-model", args=[mine.language_model.slug]),
        "/board/hidden/board.json": reverse("board-json", args=["hidden"]),
    }
    shown = html_of(client.get(places.get(place, place)))
    assert "3.3" not in shown
    assert "1.23" not in shown


def test_a_reviewer_reads_the_scores_of_others_exactly_but_not_their_own(
    client: Client, alice: User, rita: User, hidden: Release
) -> None:
    others, own = judged(alice, hidden, EXACT), judged(rita, hidden, EXACT, name="Another")
    Submission.objects.update(state="in review")
    client.force_login(rita)
    for name in ("submission", "review-submission"):
        assert "36.11" in html_of(client.get(reverse(name, args=[others.pk])))
        shown = html_of(client.get(reverse(name, args=[own.pk])))
        assert "35.8<" in shown.replace(" ", "")
        assert "36.1" not in shown


@pytest.mark.parametrize(
    ("hidden", "reviews", "visible"),
    [
        (False, False, {"tokens", "target_tokens", "depth", "hops", "kind", "evidence", "ladder"}),
        (True, True, {"tokens", "target_tokens", "depth", "hops", "kind", "evidence", "ladder"}),
        (True, False, {"tokens", "target_tokens"}),
    ],
)
def test_facets_that_point_at_an_answer_are_for_reviewers(
    hidden: bool, reviews: bool, visible: set[str]
) -> None:
    facets = {"tokens": 4_000, "target_tokens": 4_000, "depth": 0.5, "hops": 2, "kind": "k"}
    found = visible_facets(facets | {"evidence": [], "ladder": 1}, hidden=hidden, reviews=reviews)
    assert set(found) == visible
