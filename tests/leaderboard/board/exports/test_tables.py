"""CSV and JSON of a board, parsed again: what the page shows, in its order, with all digits."""

import csv
import io
import re
from typing import Any

import pytest
from django.test import Client

from portal.board_version import raise_board_version
from portal.models import Evaluation, Release, TaskScore, User
from portal.scores.comparison.separations import update_separations
from scoring.catalog import TASKS
from scoring.metrics import PAPER_SET
from scoring.stats import rounded
from tests.support import html
from tests.support.factories import ALL, add_examples, published, reported

QUERIES = (
    "",
    "?q=o",
    "?set=strict&sort=passkey&dir=back",
    "?errors=on&tasks=code",
    "?entries=all",
)


@pytest.fixture
def board(alice: User, official: Release) -> None:
    add_examples(official)
    published(alice, official, "First", dict.fromkeys(TASKS, 75.0))
    published(alice, official, "Second", {**ALL, "passkey": 100.0})
    published(alice, official, "Alike", {**ALL, "passkey": 100.0})
    reported("Part of it", {"passkey": 25.0})
    Evaluation.objects.update(signature={"scorer": "1.2.3"})
    assert update_separations()


def rows_of_page(client: Client, query: str) -> list[list[str]]:
    """Rank, model and scores of each row on the page."""
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    return [
        [
            html.text(row.select("td.rank")[0]).replace(" (#", "(").removesuffix(")"),
            html.text(row.select("th.model bdi")[0]),
            *(_number(html.text(cell)) for cell in row.select("td[data-label]")),
        ]
        for row in rows
    ]


def _number(cell: str) -> str:
    found = re.match(r"[0-9]+\.[0-9]+", cell)
    return found[0] if found else ""


def rank_text(row: dict[str, Any], query: str) -> str:
    low, high = row["rank_low"] or row["rank"], row["rank_high"] or row["rank"]
    text = str(low or "") if low == high else f"{low}–{high}"
    return f"{row['filtered_rank']}({text}" if text and "q=" in query else text


@pytest.mark.parametrize("query", QUERIES)
def test_csv_is_what_the_page_shows(client: Client, board: None, query: str) -> None:
    shown = rows_of_page(client, query)
    text = client.get(f"/board/hf/board.csv{query}").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    names = [name.removesuffix("_stderr") for name in rows[0] if name.endswith("_stderr")]
    found = []
    for row, of_page in zip(rows, shown, strict=True):
        decimals = [len(one.partition(".")[2]) for one in of_page[2:]]
        scores = [
            str(rounded(float(row[name]), places)) if row[name] else ""
            for name, places in zip(names, decimals, strict=True)
        ]
        found.append([rank_text(row, query), row["model"], *scores])
    assert found == shown


@pytest.mark.parametrize("query", QUERIES)
def test_json_is_what_the_csv_has(client: Client, board: None, query: str) -> None:
    text = client.get(f"/board/hf/board.csv{query}").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    document = client.get(f"/board/hf/board.json{query}").json()
    assert document["address"] == f"https://localhost/board/hf/{query}"
    assert document["scorers"] == ["1.2.3"]
    assert document["updated"] == rows[0]["updated"]
    for row, entry in zip(rows, document["entries"], strict=True):
        for name in ("rank", "rank_low", "rank_high", "filtered_rank", "scorer", "scored"):
            assert row[name] == str(entry[name] or ""), name
        for task, figures in entry["tasks"].items():
            assert row[task] == ("" if figures is None else str(figures["percent"]))
            if figures:
                assert row[f"{task}_interval"] == (figures["interval"] or "")
                assert row[f"{task}_n"] == str(figures["n"] or "")
                assert row[f"{task}_answered"] == str(figures["answered"] or "")
                assert row[f"{task}_low"] == str(figures["low"] if figures["interval"] else "")
                assert row[f"{task}_high"] == str(figures["high"] if figures["interval"] else "")
    assert {entry["scorer"] for entry in document["entries"]} <= {"1.2.3", None}


def test_the_columns_of_a_task_are_what_they_are_called(client: Client, board: None) -> None:
    TaskScore.objects.filter(task="passkey").update(answered=1)
    raise_board_version()
    entries = client.get("/board/hf/board.json").json()["entries"]
    stored = {
        (str(score.evaluation.submission_id)): score
        for score in TaskScore.objects.filter(task="passkey", metric_set=PAPER_SET)
    }
    for entry in entries:
        if entry["submission"]:
            figures, score = entry["tasks"]["passkey"], stored[entry["submission"]]
            assert (figures["percent"], figures["n"], figures["answered"]) == (
                score.mean, score.size, 1,
            )  # fmt: skip
            assert figures["low"] < figures["high"] or figures["low"] == figures["high"] == 100


def test_a_board_is_cited_with_its_scorer(client: Client, board: None) -> None:
    text = html.page(client.get("/board/hf/")).select("[data-help=cite] pre")[0].get_text()
    assert "Release hf, metric official-2024-06, scorer 1.2.3, updated 20" in text.replace("\\", "")
