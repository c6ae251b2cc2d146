"""Which examples have notes, as shown in the reviewers' list."""

import pytest
from django.test import Client

from portal.models import Example, Submission, User
from portal.review.notes.services import write_note
from tests.leaderboard.examples.conftest import KEYS, TASK
from tests.support import html
from tests.support.clients import signed_in

LIST = f"/examples/hf/{TASK}"


@pytest.fixture
def noted(good: Submission, bad: Submission, fair: Submission, adam: User) -> None:
    """``fair`` is the reviewer's own."""
    first, second, third, _last = Example.objects.filter(data_set__task=TASK).order_by("index")
    write_note(first, "a", by=adam)
    write_note(first, "b", by=adam, submission=good)
    write_note(second, "c", by=adam, submission=bad)
    write_note(third, "d", by=adam, submission=fair)


def found(client: Client, query: str) -> list[str]:
    examples = client.get(f"{LIST}.json?{query}").json()["examples"]
    return [one["key"] for one in examples]


@pytest.mark.usefixtures("noted")
def test_reviewers_find_what_has_notes_that_they_may_see(rita: User, adam: User) -> None:
    assert found(signed_in(rita), "is=noted") == KEYS[:2]
    assert found(signed_in(adam), "is=noted") == KEYS[:3]
    assert found(signed_in(adam), "is=noted&tokens_from=100K") == KEYS[1:3]


@pytest.mark.usefixtures("noted")
def test_reviewers_see_how_many_notes_there_are(rita: User) -> None:
    rows = html.page(signed_in(rita).get(f"{LIST}/")).select("tr [data-notes]")
    assert [row["data-notes"] for row in rows] == ["2", "1"]


@pytest.mark.usefixtures("noted")
def test_others_can_neither_see_nor_filter_them(alice: User) -> None:
    for client in (Client(), signed_in(alice)):
        page = client.get(f"{LIST}/")
        assert not html.page(page).select("[data-notes]")
        assert "noted" not in html.text_of(page)
        refused = client.get(f"{LIST}.json?is=noted").json()
        assert refused["code"] == "invalid_choice"
        assert "noted" not in refused["detail"]
        assert client.get(f"{LIST}/?is=noted").status_code == 400


@pytest.mark.usefixtures("noted")
def test_the_next_noted_example_is_the_neighbour(rita: User) -> None:
    page = html.page(signed_in(rita).get(f"{LIST}/{KEYS[0]}/", {"list": "is=noted"}))
    assert "a%2Fb" in str(page.select("a[rel=next]")[0]["href"])


@pytest.mark.usefixtures("good")
def test_one_of_several_examples_is_counted_among_them(client: Client) -> None:
    found = html.one(client.get(f"{LIST}/", {"kind": "two words"}), "[data-count]")
    assert html.text(found).startswith("1 of 4 examples")
