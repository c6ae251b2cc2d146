"""The scores of a submission next to those of other entries."""

import pytest
from django.test import Client

from portal.models import Example, Submission, User
from portal.scores.comparison.differences import Verdict
from tests.support import html
from tests.support.factories import (
    ALL,
    add_scores,
    published,
    release_of_all_tasks,
    reported,
)
from tests.support.kept_pages import forget_kept_pages

pytestmark = pytest.mark.django_db
TITLE = "Retrieve.PassKey"


@pytest.fixture
def mine(alice: User) -> Submission:
    return published(alice, release_of_all_tasks("hf"), "Mine", ALL | {"passkey": 100.0})


def cells(user: User, submission: Submission, beside: object = "") -> list[tuple[str, str]]:
    """The other scores of Retrieve.PassKey, with what is said about the differences."""
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


def test_scores_from_before_a_new_scoring_can_be_chosen(mine: Submission, rita: User) -> None:
    add_scores(mine, ALL | {"passkey": 30.0})
    earlier = mine.evaluations.scored().last()
    assert earlier
    assert [score for score, _ in cells(rita, mine, f"scores-{earlier.pk}")] == ["100.00"]
    client = Client()
    client.force_login(rita)
    page = html.page(client.get(f"/review/{mine.pk}/"))
    assert page.select(f"[data-beside] option[value='scores-{earlier.pk}']")


def test_each_task_has_its_rank_and_what_guessing_scores(
    mine: Submission, bob: User, rita: User
) -> None:
    published(bob, mine.release, "Better", ALL | {"code_run": 99.0})
    forget_kept_pages()
    data_set = mine.release.data_sets.get(task="code_run")
    data_set.labels_hash = "sevens"
    data_set.save()
    Example.objects.bulk_create(
        Example(data_set=data_set, index=index, key=str(index), label=7) for index in range(4)
    )
    client = Client()
    client.force_login(rita)

    def rows() -> dict[str, str]:
        found = html.page(client.get(f"/review/{mine.pk}/")).select("[data-standing]")
        return {str(row["data-standing"]): html.text(row) for row in found}

    assert rows()["code_run"].endswith("100.0 . The score is no better than guessing. 2 / 2")
    assert rows()["passkey"].endswith("– 1 / 2")
    mine.release.hidden = True
    mine.release.save()
    assert rows()["code_run"].endswith("– –")
