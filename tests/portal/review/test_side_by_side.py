"""The scores of a submission next to those of other entries."""

import pytest
from django.test import Client

from portal.models import Submission, User
from portal.scores.differences import Verdict
from tests.support import html
from tests.support.factories import (
    ALL,
    published,
    release_of_all_tasks,
    reported,
)

pytestmark = pytest.mark.django_db
TITLE = "Retrieve.PassKey"


@pytest.fixture
def mine(alice: User) -> Submission:
    return published(alice, release_of_all_tasks("hf"), "Mine", ALL | {"passkey": 100.0})


def cells(user: User, submission: Submission, beside: object = "") -> list[tuple[str, str]]:
    """Of Retrieve.PassKey: the other scores, with what is said of the differences."""
    client = Client()
    client.force_login(user)
    page = html.page(client.get(f"/review/{submission.pk}/", {"beside": str(beside)}))
    rows = page.select("[data-side-by-side] tbody tr")
    found = [row.select("td")[1:] for row in rows if html.text(row).startswith(TITLE)]
    return [
        (html.text(cell).split()[0], str(mark["data-verdict"]) if mark else "")
        for cell in (found[0] if found else [])
        for mark in [cell.select_one("[data-verdict]")]
    ]


def test_other_entries_of_the_language_model_stand_beside_it(
    mine: Submission, bob: User, rita: User
) -> None:
    assert cells(rita, mine) == []
    published(bob, mine.release, "Mine", ALL | {"passkey": 75.0})
    assert [score for score, _ in cells(rita, mine)] == ["75.00"]


def test_differences_beyond_two_standard_errors_are_marked(mine: Submission, rita: User) -> None:
    far = reported("Mine", {"passkey": 40.0}, "Far")
    near = reported("Other", {"passkey": 99.9}, "Near")
    assert cells(rita, mine) == [("40.00", Verdict.BETTER)]
    assert cells(rita, mine, f"reported-{near.pk}")[0] == ("99.90", Verdict.OPEN)
    assert cells(rita, mine, f"reported-{far.pk}")[0] == ("40.00", Verdict.BETTER)


def test_any_submission_can_be_chosen(mine: Submission, bob: User, rita: User) -> None:
    other = published(bob, mine.release, "Other", ALL | {"passkey": 25.0})
    assert [score for score, _ in cells(rita, mine, other.pk)] == ["25.00"]
    client = Client()
    client.force_login(rita)
    offered = html.one(client.get(f"/review/{mine.pk}/"), "[data-beside] select")
    assert str(other.pk) in [option["value"] for option in offered.select("option")]


@pytest.mark.parametrize(
    "name", ["reported-", "reported-0", "reported-x", "x", "00000000-0000-4000-8000-000000000000"]
)
def test_what_there_is_not_is_not_compared(mine: Submission, rita: User, name: str) -> None:
    assert cells(rita, mine, name) == []


def test_of_a_hidden_release_rounded_scores_are_not_compared(
    mine: Submission, bob: User, rita: User
) -> None:
    own = published(rita, mine.release, "Own", ALL)
    mine.release.hidden = True
    mine.release.save()
    assert [verdict for _, verdict in cells(rita, mine, own.pk)] == [""]
