"""Repeated runs share one line of a board, with the mean of their scores."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from leaderboard.board.board import read_board
from leaderboard.board.filters import Filters
from leaderboard.queries import find_release, releases_with_boards
from portal.models import (
    WITHOUT_EFFECT,
    Release,
    ScoreVector,
    Submission,
    SubmissionState,
    User,
)
from portal.scores.comparison.runs import repeated_runs
from portal.scores.comparison.separations import update_separations
from scoring.catalog import TASKS
from scoring.endpoint.settings import Caps, RunSettings, settings_document
from tests.support import html
from tests.support.factories import add_examples, endpoint_run, published

SETTINGS: dict[str, Any] = {
    "prompt_strategy": "direct",
    "truncation": "middle",
    "input_limit": 128_000,
    "output_limit": 4_096,
}


def repeated_on_board() -> list[tuple[int, ...]]:
    return repeated_runs(Submission.objects.on_board_of("hf", official=True))


def run_of(owner: User, release: Release, percent: float, **other: Any) -> Submission:
    return published(
        owner, release, "Model", dict.fromkeys(TASKS, percent), **{**SETTINGS, **other}
    )


@pytest.fixture
def runs(alice: User, official: Release) -> list[Submission]:
    add_examples(official)
    return [run_of(alice, official, percent) for percent in (25.0, 50.0, 75.0)]


def lines(client: Client, query: str = "") -> dict[str, str]:
    """The overall score of each line, by the id of its entry."""
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    return {
        str(row.select("td.mark a")[0]["href"]).split("/")[2]: html.text(
            row.select("td.overall")[0]
        )
        for row in rows
    }


def test_repeated_runs_are_one_line_with_their_mean(client: Client, runs: list[Submission]) -> None:
    assert lines(client) == {runs[-1].entry_id: "50.00"}
    every = lines(client, "?entries=all")
    assert every == {
        run.entry_id: text for run, text in zip(runs, ("25.00", "50.00", "75.00"), strict=True)
    }


@pytest.mark.parametrize(
    "other",
    [
        {"prompt_strategy": "step by step"},
        {"input_limit": 200_000},
        {"truncation": "end"},
        {"drop_first": True},
        {"method": "RAG"},
    ],
    ids=str,
)
def test_runs_that_were_made_in_another_way_are_no_repetition(
    alice: User, official: Release, other: dict[str, Any]
) -> None:
    run_of(alice, official, 25.0)
    run_of(alice, official, 75.0, **other)
    assert repeated_on_board() == []


@pytest.mark.parametrize("name", SETTINGS)
def test_where_a_setting_is_not_stated_nothing_is_a_repetition(
    client: Client, alice: User, official: Release, name: str
) -> None:
    value = {"prompt_strategy": "", "truncation": "unknown"}.get(name)
    found = [run_of(alice, official, percent, **{name: value}) for percent in (25.0, 75.0)]
    assert repeated_on_board() == []
    assert lines(client) == {found[1].entry_id: "75.00"}


def test_runs_of_another_author_are_no_repetition(
    alice: User, bob: User, official: Release
) -> None:
    run_of(alice, official, 25.0)
    run_of(bob, official, 75.0)
    assert repeated_on_board() == []


def test_runs_on_other_data_are_no_repetition(alice: User, official: Release) -> None:
    run_of(alice, official, 25.0)
    published(alice, official, "Model", {"passkey": 25.0}, **SETTINGS)
    assert repeated_on_board() == []


def test_a_later_version_is_no_repetition(alice: User, official: Release) -> None:
    first = run_of(alice, official, 25.0)
    withdrawn = run_of(alice, official, 50.0, previous=first, state=SubmissionState.WITHDRAWN)
    run_of(alice, official, 75.0, previous=withdrawn)
    assert repeated_on_board() == []
    run_of(alice, official, 75.0)
    [found] = repeated_on_board()
    assert first.evaluations.get().pk not in found


def test_a_hidden_release_has_no_means_of_runs(
    client: Client, runs: list[Submission], official: Release
) -> None:
    Release.objects.update(hidden=True)
    assert repeated_on_board() == []
    assert len(lines(client)) == 1
    [entry] = client.get("/api/v1/entries/?release=hf").json()["entries"]
    assert entry["runs"] == []


def test_a_run_that_is_withdrawn_leaves_the_mean(client: Client, runs: list[Submission]) -> None:
    runs[2].state = SubmissionState.WITHDRAWN
    runs[2].save()
    assert lines(client) == {runs[1].entry_id: "37.50"}


def test_the_mean_has_an_interval_and_the_deviation_of_its_runs(
    client: Client, runs: list[Submission]
) -> None:
    [entry] = client.get("/api/v1/entries/?release=hf").json()["entries"]
    assert entry["runs"] == [run.entry_id for run in runs]
    overall = entry["overall"]
    assert overall["low"] < overall["mean"] == 50 < overall["high"]
    # Of the four questions of a task two vary, from 0 to 1, in a third of the runs: twelve tasks
    # have the variance 2 · 1/3 / 4² each.
    assert overall["run_sd"] == pytest.approx(100 * (2 / 3 / 16 / 12) ** 0.5)
    assert all(score["run_sd"] for score in entry["scores"].values())


def test_the_mean_is_compared_as_an_entry_of_its_own(
    client: Client, alice: User, official: Release, runs: list[Submission]
) -> None:
    published(alice, official, "Other", dict.fromkeys(TASKS, 0.0))
    update_separations()
    first, second = client.get("/api/v1/entries/?release=hf").json()["entries"]
    assert (first["rank_low"], first["rank_high"], second["rank_low"]) == (1, 1, 2)
    assert not update_separations()  # nothing has changed in between
    every = client.get("/api/v1/entries/?release=hf&entries=all").json()["entries"]
    assert len(every) == 4
    assert all(one["rank_low"] and one["runs"] == [] for one in every)


def test_runs_without_stored_vectors_have_a_mean_but_no_ranges(
    client: Client, runs: list[Submission]
) -> None:
    """They were scored before the scores of single questions were stored."""
    ScoreVector.objects.all().delete()
    update_separations()
    [entry] = client.get("/api/v1/entries/?release=hf").json()["entries"]
    assert entry["rank"] == 1
    assert entry["rank_low"] is None


def test_each_run_shows_the_others_and_the_rank_of_their_mean(
    client: Client, runs: list[Submission]
) -> None:
    for run in runs:
        page = html.page(client.get(f"/entries/{run.entry_id}/"))
        [table] = page.select("[data-runs]")
        assert table["data-runs"] == "3"
        links = {str(link["href"]) for link in table.select("tbody a")}
        assert links == {f"/entries/{other.entry_id}/" for other in runs if other != run}
        assert page.select('[data-rank="1"][data-ranked="1"]')
        assert page.select('[data-on-board="shown"]')


def test_a_run_as_baseline_stands_for_the_mean(runs: list[Submission]) -> None:
    release = find_release(releases_with_boards(), "hf")
    assert release
    baseline = read_board(release, Filters(baseline=runs[0].entry_id)).baseline
    assert baseline
    assert (baseline.entry.id, baseline.percents[0]) == (runs[-1].entry_id, 50)


def test_the_file_of_a_board_names_its_runs(client: Client, runs: list[Submission]) -> None:
    [entry] = client.get("/board/hf/board.json").json()["entries"]
    assert entry["runs"] == [run.entry_id for run in runs]
    assert entry["run_sd"] > 0
    assert runs[0].entry_id in client.get("/board/hf/board.csv").content.decode()


def test_the_page_of_a_run_has_data_error_and_run_to_run_deviation_apart(
    client: Client, runs: list[Submission]
) -> None:
    rows = html.page(client.get(f"/entries/{runs[0].entry_id}/")).select("[data-errors]")
    by_column = {
        str(row["data-errors"]): [html.text(one) for one in row.select("td")] for row in rows
    }
    assert {"overall", "retrieval", "passkey"} <= by_column.keys()
    document = client.get(f"/entries/{runs[0].entry_id}/runs.json").json()
    assert document["runs"] == [run.entry_id for run in runs]
    [found] = [
        one
        for one in document["scores"]
        if (one["metric_set"], one["score"]) == ("official-2024-06", "passkey")
    ]
    # Of four questions one is always right, one always wrong, and two vary with s² = 1/3.
    assert (found["mean"], found["runs"], found["questions"]) == (50.0, 3, 4)
    assert found["run_sd"] == pytest.approx(100 * (2 / 3) ** 0.5 / 4, abs=1e-6)
    variance = 100**2 * (2 * 0.5**2 + 2 * (1 / 6) ** 2) / 3 / 4
    assert found["data_error"] ** 2 == pytest.approx(variance - found["run_sd"] ** 2 / 3, abs=1e-3)
    assert by_column["passkey"][1:3] == [f"{found[name]:.2f}" for name in ("data_error", "run_sd")]
    table = client.get(f"/entries/{runs[0].entry_id}/runs.csv").content.decode()
    assert table.count("official-2024-06") == len(by_column)
    assert client.get(f"/entries/{uuid4()}/runs.csv").status_code == 404


def run_by_us(owner: User, release: Release, percent: float, **settings: Any) -> Submission:
    submission = run_of(owner, release, percent)
    endpoint_run(owner, release, submission=submission, settings=settings)
    return submission


WITHOUT_EFFECT_ON_ANSWERS: dict[str, Any] = {
    "order": 7,
    "concurrency": 2,
    "stream": False,
    "limit": 9_999,
    "subset": 9_999,
    "caps": Caps(requests=9_999),
}


def test_runs_by_us_with_equal_settings_are_repetitions(alice: User, official: Release) -> None:
    run_by_us(alice, official, 25.0)
    run_by_us(alice, official, 75.0, **WITHOUT_EFFECT_ON_ANSWERS)
    [found] = repeated_on_board()
    assert len(found) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 1.0},
        {"seed": 7},
        {"quantization": "AWQ, 4 bit"},
        {"provider": "another"},
        {"output_tokens": {"longbook_sum_eng": 300}},
        {"templates": {"passkey": "{context} {question}"}},
    ],
    ids=str,
)
def test_runs_by_us_with_other_settings_are_no_repetition(
    client: Client, alice: User, official: Release, other: dict[str, Any]
) -> None:
    first = run_by_us(alice, official, 25.0)
    second = run_by_us(alice, official, 75.0, **other)
    assert repeated_on_board() == []
    assert lines(client, "?entries=all") == {first.entry_id: "25.00", second.entry_id: "75.00"}
    assert lines(client) == {second.entry_id: "75.00"}


def test_files_are_no_repetition_of_a_run_by_us(
    client: Client, alice: User, official: Release
) -> None:
    run_by_us(alice, official, 25.0)
    files = run_of(alice, official, 75.0)
    assert repeated_on_board() == []
    assert lines(client) == {files.entry_id: "75.00"}


def test_what_a_run_may_change_has_no_effect_on_answers() -> None:
    first = RunSettings("https://endpoint.example/v1", "served-model")
    changed = {
        name
        for name, value in settings_document(
            replace(first, **WITHOUT_EFFECT_ON_ANSWERS).what_decides()
        ).items()
        if value != settings_document(first.what_decides())[name]
    }
    assert changed == {"order", "subset"}
    assert changed < {*WITHOUT_EFFECT}
    assert {*WITHOUT_EFFECT} < {*settings_document(first)}
