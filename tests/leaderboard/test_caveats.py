"""An unreliable score is marked on every public page."""

import csv
import io
import json
import re

import pytest
from django.test import Client

from portal.models import Release, Submission, User
from tests.support.factories import ALL, doubt, published

CELL = re.compile(r'data-label="([^"]*)"(?: title="([^"]*)")?>(?:<span>)?(.*?)[ <]')
WHY = "made for other data: 4 of 4 labels in the file differ"


@pytest.fixture
def doubtful(alice: User, official: Release) -> Submission:
    found = published(alice, official, "Model A", ALL | {"kv_retrieval": 0.0})
    doubt(found, "kv_retrieval")
    return found


def cells(client: Client, address: str = "/board/hf/") -> dict[str, tuple[str, str]]:
    """The numbers in the first row and the notes on them, by column."""
    found = CELL.findall(client.get(address).content.decode())
    return {column: (note, text) for column, note, text in found[:18]}


def test_an_unreliable_score_and_its_means_are_marked_on_the_board(
    doubtful: Submission, client: Client
) -> None:
    found = cells(client)
    assert found["Retrieve.KV"][1] == "†0.0"
    assert WHY in found["Retrieve.KV"][0]
    for mean in ("Overall", "Retrieval"):
        assert found[mean][1].startswith("†")
        assert "1 task score is unreliable: Retrieve.KV" in found[mean][0]
    assert "†" not in "".join(found["Novel"] + found["En.QA"])


def test_the_mark_is_explained_only_where_it_is_used(
    doubtful: Submission, official: Release, alice: User, client: Client
) -> None:
    published(alice, official, "Model B", ALL)
    assert "† marks unreliable scores" in client.get("/board/hf/").content.decode()
    assert "† marks unreliable scores" not in client.get("/board/hf/?q=model+b").content.decode()


def test_the_entry_page_explains_the_mark(doubtful: Submission, client: Client) -> None:
    text = client.get(f"/entries/{doubtful.entry_id}/").content.decode()
    assert WHY in text
    assert "†0.00" in text


def test_for_hidden_releases_label_agreement_is_not_disclosed(
    doubtful: Submission, official: Release, client: Client
) -> None:
    Release.objects.filter(pk=official.pk).update(hidden=True)
    for address in ("/board/hf/", f"/entries/{doubtful.entry_id}/", "/board/hf/board.json"):
        text = client.get(address).content.decode()
        assert "labels_of_other_data" not in text
        assert "†" not in text
        assert '"doubtful_tasks": [\n' not in text


def test_files_name_the_tasks(doubtful: Submission, client: Client) -> None:
    (entry,) = json.loads(client.get("/board/hf/board.json").content)["entries"]
    assert entry["doubtful_tasks"] == ["kv_retrieval"]
    text = client.get("/board/hf/board.csv").content.decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["doubtful_tasks"] == "kv_retrieval"
    assert (row["kv_retrieval_n"], row["kv_retrieval_answered"]) == ("4", "4")
