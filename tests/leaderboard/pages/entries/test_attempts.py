"""What an entry was chosen from, on its page, in the API and in files."""

import csv
import io

import pytest
from django.test import Client

from portal.models import Submission, User
from tests.support import html
from tests.support.attempts import published, scored
from tests.support.factories import whole_release


@pytest.fixture
def entry(alice: User, rita: User) -> Submission:
    """One of three."""
    whole = whole_release()
    entry = scored(alice, whole, "a")
    for predictions in ("b", "c"):
        scored(alice, whole, predictions)
    return published(entry, by=rita)


def test_an_entry_says_what_it_was_chosen_from(client: Client, entry: Submission) -> None:
    section = html.one(client.get(f"/entries/{entry.entry_id}/"), "[data-attempts]")
    assert (section["data-attempts"], "One of 3 scored submissions" in section.text) == ("3", True)
    attempts = client.get(f"/api/v1/entries/{entry.entry_id}/").json()["attempts"]
    assert attempts == {"scored": 3, "luck": None}  # a single question has no error


def test_boards_and_comparisons_say_it_too(
    client: Client, entry: Submission, bob: User, rita: User
) -> None:
    other = published(scored(bob, entry.release, "z", "Other model"), by=rita)
    text = client.get("/board/whole/board.csv").text.removeprefix("\ufeff")
    table = {row["entry"]: row["attempts"] for row in csv.DictReader(io.StringIO(text))}
    lines = client.get("/board/whole/board.json").json()["entries"]
    numbers = {line["entry"]: line["attempts"] for line in lines}
    assert numbers == {entry.entry_id: 3, other.entry_id: 1}
    assert table == {pk: str(number) for pk, number in numbers.items()}
    for name in ("board.tex", "board.md"):
        file = client.get(f"/board/whole/{name}").text.replace("\\", "")
        assert "Chosen from variants scored here: Model from 3." in file
    compared = f"a={entry.entry_id}&b={other.entry_id}"
    answer = client.get(f"/api/v1/compare/?{compared}").json()
    assert (answer["attempts_a"], answer["attempts_b"]) == (3, 1)
    [shown] = html.all_of(client.get(f"/compare/?{compared}"), "[data-attempts]")
    assert shown["data-attempts"] == "3"
