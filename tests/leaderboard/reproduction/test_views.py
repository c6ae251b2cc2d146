"""The page of reproduced results and its files."""

import csv
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.board_version import raise_board_version
from portal.models import Submission, SubmissionState
from tests.support.factories import published, release_of_all_tasks

PAGE, CSV, JSON = "/reproduction/", "/reproduction/tables.csv", "/reproduction/tables.json"


@pytest.fixture
def claude(db: None) -> Submission:
    """A historical entry, with one number of the paper and one of its own."""
    files = release_of_all_tasks("historical-claude-2", official=False)
    scores = {"passkey": 97.8, "code_run": 7.25}
    historical = Submission.Origin.HISTORICAL
    return published(None, files, "Claude 2", scores, origin=historical)


def test_equal_and_different_numbers_stand_side_by_side(claude: Submission, client: Client) -> None:
    body = client.get(PAGE).content.decode()
    assert 'data-equal="1" data-checked="2"' in body
    assert "<del>2.50</del> <ins>7.25</ins>" in body
    assert f'href="/entries/{claude.entry_id}/"' in body


def test_without_released_files_the_page_says_so(db: None, client: Client) -> None:
    body = client.get(PAGE).content.decode()
    assert "<ins>" not in body
    assert 'data-checked="0"' in body


def test_the_files_say_what_the_page_says(claude: Submission, client: Client) -> None:
    text = client.get(CSV).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    checked = [row for row in rows if row["state"] != "no-files" and row["table"] == "acl-2024"]
    assert {(row["task"], row["published"], row["state"]) for row in checked} == {
        ("passkey", "97.80", "equal"),
        ("code_run", "2.50", "unexplained"),
    }
    numbers = client.get(JSON).json()["numbers"]
    assert len(numbers) == len(rows)
    (found,) = [one for one in numbers if one["task"] == "code_run" and one["entry"]][:1]
    assert (found["recomputed"], found["difference"]) == (7.25, 4.75)


def test_a_withdrawn_entry_is_no_longer_compared(claude: Submission, client: Client) -> None:
    Submission.objects.update(state=SubmissionState.HIDDEN)
    assert 'data-checked="0"' in client.get(PAGE).content.decode()


def test_other_models_cost_no_queries(claude: Submission, client: Client) -> None:
    with CaptureQueriesContext(connection) as before:
        client.get(PAGE)
    for number in range(3):
        other = release_of_all_tasks(f"historical-{number}", official=False)
        published(None, other, f"Model {number}", {"passkey": 1.0}, origin="historical")
    raise_board_version()
    with CaptureQueriesContext(connection) as after:
        assert client.get(PAGE).status_code == 200
    assert len(after) <= len(before)
