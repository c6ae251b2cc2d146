"""The page of a language model: its profile, and its strategies side by side."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from portal.entries.historical import Historical, import_historical
from portal.models import Release, ScoreVector, Submission, User
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS
from tests.support import html
from tests.support.factories import add_answers, add_examples, model, published, reported, with_slug

STEP_BY_STEP = "step by step"


def page_of(client: Client, query: str = "") -> BeautifulSoup:
    return html.page(client.get(f"/models/model/{query}"))


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    """An entry that is all right in Retrieve.PassKey and half right elsewhere."""
    add_examples(official)
    scores = dict.fromkeys(TASKS, 50.0) | {"passkey": 100.0}
    return published(alice, official, "Model", scores)


def test_a_profile_has_a_row_for_each_task_and_overall(client: Client, entry: Submission) -> None:
    reported("Other", dict.fromkeys(TASKS, 75.0))
    reported("Third", {"code_run": 10.0})
    page = page_of(client)
    assert len(page.select('figure[data-chart="profile"] g[data-column]')) == len(TASKS) + 1
    finding = html.text(page.select("figure [data-finding]")[0])
    assert "1 of 12" in finding
    assert finding.endswith("Retrieve.PassKey")
    [row] = page.select('#profile tr[data-column="code_run"]')
    score, median, best, entries = (html.text(cell) for cell in row.select("td"))
    assert score.startswith("50.0")
    assert (median, best, entries) == ("50.0", "75.0 Other", "3")


def test_a_profile_is_under_one_metric_on_one_board(
    client: Client, alice: User, entry: Submission
) -> None:
    reported("Other", dict.fromkeys(TASKS, 75.0))
    strict = page_of(client, "?metric_set=strict&board=hf")
    [row] = strict.select('#profile tr[data-column="code_run"]')
    assert [html.text(cell) for cell in row.select("td")][1:] == ["25.0", "25.0 this model", "1"]
    for query in ("?metric_set=luck", "?board=nowhere"):
        assert client.get(f"/models/model/{query}").status_code == 404


def test_a_reported_model_has_a_profile_without_settings(client: Client, official: Release) -> None:
    reported("Model", dict.fromkeys(TASKS, 75.0))
    assert page_of(client).select('figure[data-chart="profile"]')
    assert page_of(client, "?metric_set=strict").select('[data-profile="none"]')


def test_on_a_hidden_release_there_is_no_profile_and_no_difference(
    client: Client, alice: User, official: Release, entry: Submission
) -> None:
    published(alice, official, "Model", {"passkey": 25.0}, prompt_strategy=STEP_BY_STEP)
    Release.objects.update(hidden=True)
    page = page_of(client)
    assert page.select('[data-profile="none"]')
    assert not page.select("[data-strategies]")
    ScoreVector.objects.all().delete()
    assert html.text(page_of(client).select("main")[0]) == html.text(page.select("main")[0])


def test_strategies_are_compared_on_the_questions_they_share(
    client: Client, alice: User, official: Release, entry: Submission
) -> None:
    published(alice, official, "Model", {"passkey": 25.0}, prompt_strategy=STEP_BY_STEP)
    page = page_of(client)
    [table] = page.select("[data-strategies]")
    [row] = table.select("tbody tr")
    assert row["data-task"] == "passkey"
    [difference] = row.select("[data-difference]")
    assert float(str(difference["data-difference"])) == -75
    assert "p = " in html.text(row)
    assert page.select('#strategies a[href*="/compare/?a="]')


def test_the_same_strategy_is_not_compared_with_itself(
    client: Client, alice: User, official: Release, entry: Submission
) -> None:
    published(alice, official, "Model", {"passkey": 25.0})
    assert not page_of(client).select("[data-strategies]")


def test_of_each_strategy_only_one_entry_is_compared(
    client: Client, alice: User, official: Release, entry: Submission
) -> None:
    for percent in (25.0, 50.0):
        published(alice, official, "Model", {"passkey": percent}, prompt_strategy=STEP_BY_STEP)
    [table] = page_of(client).select("[data-strategies]")
    assert table["data-strategies"] == "2"


def test_a_difference_that_is_no_chance_is_the_finding(
    client: Client, alice: User, official: Release
) -> None:
    official.data_sets.update(size=40)
    add_examples(official)
    for strategy, share in (("direct", 38), ("step by step", 8)):
        one = Submission.objects.create(
            owner=alice, language_model=model("Model"), release=official, state="published",
            prompt_strategy=strategy,
        )  # fmt: skip
        with_slug(one)
        scores = {name: [1.0] * share + [0.0] * (40 - share) for name in METRIC_SETS}
        add_answers(one, {"passkey": scores})
    finding = html.text(page_of(client).select("#strategies [data-finding]")[0])
    assert "Retrieve.PassKey: 20.00 (step by step) against 95.00 (direct)" in finding or (
        "Retrieve.PassKey: 95.00 (direct) against 20.00 (step by step)" in finding
    )
    assert "p < " in finding


@pytest.mark.django_db(transaction=True)
def test_gpt4_answers_code_debug_better_with_context_recalling(
    real_data: Path, tmp_path: Path, client: Client
) -> None:
    folder = tmp_path / "gpt4"
    folder.mkdir()
    for name in ("preds_code_debug.jsonl", "preds_code_debug_step_by_step.jsonl"):
        (folder / name).write_bytes((real_data / "results" / "gpt4" / name).read_bytes())
    for run in Historical("Model", strategy="as released, with context recalling").runs_in(folder):
        import_historical(folder, run)
    page = page_of(client)
    finding = html.text(page.select("#strategies [data-finding]")[0])
    assert "37.06" in finding
    assert "15.74" in finding
    [difference] = page.select("[data-difference]")
    assert abs(float(str(difference["data-difference"]))) == pytest.approx(
        100 * (146 - 62) / 394, abs=1e-6
    )
