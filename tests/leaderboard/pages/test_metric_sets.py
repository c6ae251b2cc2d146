"""Metric sets side by side, for an entry and for a board."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.board.metric_ranks import metric_ranks
from leaderboard.queries import find_release, releases_with_boards
from portal.entries.historical import Historical, import_historical
from portal.models import Release, ScoreVector, Submission, User
from portal.scores.comparison.separations import update_separations
from portal.scores.estimates import pack_scores
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS
from tests.support import html
from tests.support.factories import add_answers, add_examples, model, published, reported, with_slug

PAPER, NEWEST, STRICT = METRIC_SETS


def answered(
    owner: User, release: Release, name: str, changing: dict[str, list[float]]
) -> Submission:
    """An entry that is half right in every task, with these scores in Code.Debug by metric set."""
    entry = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, state="published"
    )
    with_slug(entry)
    half = {name: [1.0, 1.0, 0.0, 0.0] for name in METRIC_SETS}
    add_answers(entry, {task: changing if task == "code_debug" else half for task in TASKS})
    return entry


@pytest.fixture
def first(alice: User, official: Release) -> Submission:
    """An entry with 0, 75 and 50 percent in Code.Debug under the three metric sets."""
    add_examples(official)
    scores = {PAPER: [0.0] * 4, NEWEST: [1.0, 0.0, 1.0, 1.0], STRICT: [1.0, 1.0, 0.0, 0.0]}
    return answered(alice, official, "First", scores)


@pytest.fixture
def second(bob: User, official: Release) -> Submission:
    same = {name: [1.0, 0.0, 1.0, 0.0] for name in METRIC_SETS}
    return answered(bob, official, "Second", same)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_an_entry_has_a_line_for_each_task(client: Client, first: Submission) -> None:
    page = html.page(client.get(f"/entries/{first.entry_id}/metrics/"))
    assert len(page.select("figure .slope")) == len(TASKS)
    [changing] = page.select("figure .slope:not(.level)")
    assert [html.text(one) for one in changing.select(".count")] == ["3", "3"]
    finding = html.text(page.select("[data-finding]")[0])
    assert "Code.Debug" in finding
    assert "0.00 → 75.00 → 50.00" in finding


def test_the_finding_says_how_its_rank_changes(
    client: Client, first: Submission, second: Submission
) -> None:
    page = html.page(client.get(f"/entries/{first.entry_id}/metrics/"))
    assert "2 → 1 → 1 of 2" in html.text(page.select("[data-finding]")[0])


def test_its_own_page_has_the_picture_and_leads_to_the_examples(
    client: Client, first: Submission, second: Submission
) -> None:
    page = html.page(client.get(f"/entries/{first.entry_id}/"))
    assert page.select('figure[data-chart="metric-sets"] svg')
    assert page.select(f'a[href="/entries/{first.entry_id}/metrics/"]')
    assert page.select("#metrics [data-counts]")
    level = html.page(client.get(f"/entries/{second.entry_id}/"))  # its lines have no numbers
    assert level.select("#metrics")
    assert not level.select("#metrics [data-counts]")


def test_the_examples_that_change_are_named_and_open(client: Client, first: Submission) -> None:
    page = html.page(client.get(f"/entries/{first.entry_id}/metrics/"))
    [task] = page.select("details[data-examples]")
    assert task["data-examples"] == "code_debug"
    found = [[html.text(one) for one in change.select("a")] for change in task.select("dd > p")]
    assert found == [["0", "2", "3"], ["1"], ["2", "3"]]
    links = {str(link["href"]) for link in task.select("dd a")}
    assert all(client.get(link).status_code == 200 for link in links)


def test_the_files_of_an_entry_say_the_same(client: Client, first: Submission) -> None:
    document = client.get(f"/entries/{first.entry_id}/metrics.json").json()
    debug = document["tasks"]["code_debug"]
    assert debug["scores"] == {PAPER: 0, NEWEST: 75, STRICT: 50}
    assert debug["changes"] == [
        {"from": PAPER, "to": NEWEST, "gained": [0, 2, 3], "lost": []},
        {"from": NEWEST, "to": STRICT, "gained": [1], "lost": [2, 3]},
    ]
    rows = rows_of(client.get(f"/entries/{first.entry_id}/metrics.csv").content.decode())
    assert len(rows) == 2 * len(TASKS)
    [step] = [one for one in rows if (one["task"], one["from"]) == ("code_debug", NEWEST)]
    assert (step["gained"], step["lost"], step["lost_ids"]) == ("1", "2", "2 3")


def test_without_any_change_the_picture_says_so(client: Client, second: Submission) -> None:
    page = html.page(client.get(f"/entries/{second.entry_id}/metrics/"))
    assert not page.select(".slope:not(.level)")
    assert not page.select("details[data-examples]")


def test_ranks_are_among_the_entries_that_every_metric_set_has(
    client: Client, official: Release, first: Submission, second: Submission
) -> None:
    reported("Famous", dict.fromkeys(TASKS, 99.0))
    release = find_release(releases_with_boards(), official.slug)
    assert release
    ranks = {line.entry.title: [one.rank for one in line.ranks] for line in metric_ranks(release)}
    assert ranks == {"Second": [1, 2, 1], "First": [2, 1, 1]}
    update_separations()
    ranges = {line.entry.title: list(map(str, line.ranks)) for line in metric_ranks(release)}
    assert ranges == dict.fromkeys(("First", "Second"), ["1–2"] * 3)


def test_a_board_says_who_gains_and_who_loses(
    client: Client, first: Submission, second: Submission
) -> None:
    page = html.page(client.get("/board/hf/metrics/?task=code_debug"))
    finding = html.text(page.select("[data-finding]")[0])
    assert "First" in finding
    assert "2 → 1 → 1" in finding
    assert "0.00 → 75.00 → 50.00" in finding
    assert [cell["data-rank"] for cell in page.select("tbody tr:first-child [data-rank]")] == [
        "1", "2", "1",
    ]  # fmt: skip
    assert html.page(client.get("/board/hf/")).select('a[href="/board/hf/metrics/"]')


def test_the_files_of_a_board_say_the_same(
    client: Client, first: Submission, second: Submission
) -> None:
    document = client.get("/board/hf/metrics.json?task=code_debug").json()
    found = {one["model"]: one["metric_sets"] for one in document["entries"]}
    assert found["First"][NEWEST] == {"percent": 75, "rank": 1, "rank_low": None, "rank_high": None}
    rows = rows_of(client.get("/board/hf/metrics.csv?task=code_debug").content.decode())
    assert {one["model"]: one[f"{PAPER}_rank"] for one in rows} == {"First": "2", "Second": "1"}


@pytest.mark.parametrize("address", ["/board/hf/metrics/", "/board/hf/metrics.csv"])
def test_a_board_has_no_other_columns(client: Client, official: Release, address: str) -> None:
    assert client.get(address).status_code == 200
    assert client.get(f"{address}?task=luck").status_code == 404
    Release.objects.update(hidden=True)
    assert client.get(address).status_code == 404


def test_a_hidden_release_discloses_no_change(client: Client, first: Submission) -> None:
    Release.objects.update(hidden=True)
    address = f"/entries/{first.entry_id}/"
    shown = html.text(html.page(client.get(address)).select("main")[0])
    ScoreVector.objects.update(scores=pack_scores([1.0, 0.0, 0.0, 0.0]))
    assert html.text(html.page(client.get(address)).select("main")[0]) == shown
    for name in ("metrics/", "metrics.csv", "metrics.json"):
        assert client.get(f"/entries/{first.entry_id}/{name}").status_code == 404


def test_of_a_reported_number_nothing_else_is_known(client: Client, official: Release) -> None:
    entry = reported("Famous", {"passkey": 99.0})
    assert client.get(f"/entries/{entry.entry_id}/metrics/").status_code == 404
    assert client.get(f"/entries/{entry.entry_id}/").status_code == 200


def test_an_entry_from_before_single_scores_were_kept_has_no_picture(
    client: Client, alice: User, official: Release
) -> None:
    old = published(alice, official, "Old", {"passkey": 50.0})
    ScoreVector.objects.all().delete()
    assert client.get(f"/entries/{old.entry_id}/metrics/").status_code == 404
    assert client.get(f"/entries/{old.entry_id}/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_claude_2_gains_in_code_debug_by_the_examples_of_the_official_scores(
    real_data: Path, tmp_path: Path, client: Client
) -> None:
    (tmp_path / "claude2").mkdir()
    released = real_data / "results" / "claude2" / "preds_code_debug.jsonl"
    (tmp_path / "claude2" / released.name).write_bytes(released.read_bytes())
    entry = import_historical(tmp_path / "claude2", Historical("Claude 2"))
    found = client.get(f"/entries/{entry.entry_id}/metrics.json").json()["tasks"]["code_debug"]
    scores = json.loads((real_data / "official_scores" / "claude2.json").read_text())["code_debug"]
    before, after = (dict(scores[name]["examples"]) for name in ("88b3daa", "51d9b37"))
    assert found["scores"][PAPER] == 100 * sum(before.values()) / len(before)
    assert found["scores"][NEWEST] == 100 * sum(after.values()) / len(after)
    step = found["changes"][0]
    assert step["gained"] == [key for key in before if after[key] > before[key]]
    assert step["lost"] == [key for key in before if after[key] < before[key]]
    page = html.page(client.get(f"/entries/{entry.entry_id}/metrics/"))
    assert "2.28 → 33.25 → 5.84" in html.text(page.select("[data-finding]")[0])
