"""Published numbers against the scores of the released files."""

import csv
import json
from pathlib import Path

import pytest

from leaderboard.reproduction.publications import (
    AVERAGE,
    PUBLICATIONS,
    REASONS,
    Number,
    Publication,
    published_rows,
)
from leaderboard.reproduction.tables import Released, Table, read_tables, table_of
from scoring.catalog import TASKS
from tests.support.paths import ROOT

MODELS = {"gpt4": "GPT-4 (1106-preview)", "claude2": "Claude 2", "kimi": "Kimi-Chat"}
REVISION = "88b3daa"
ACL, ARXIV, README, RECALLING = PUBLICATIONS


def released(model: str, percents: dict[str, float], strategy: str = "as released") -> Released:
    sizes = dict.fromkeys(percents, 100)
    return Released(model, model, strategy, 1, percents, sizes)


@pytest.fixture
def official(real_data: Path) -> list[Released]:
    """The released files, scored by the paper's official scorer."""
    entries = []
    for name, model in MODELS.items():
        scores = json.loads((real_data / "official_scores" / f"{name}.json").read_text("utf-8"))
        entries.append(released(model, {task: scores[task][REVISION]["score"] for task in TASKS}))
    return entries


def differences(table: Table) -> set[tuple[str, str]]:
    return {(cell.row.model, cell.task) for cell in table.differences if cell.task != AVERAGE}


@pytest.mark.parametrize("publication", [ACL, README], ids=lambda one: one.id)
def test_every_number_of_three_models_is_reproduced(
    official: list[Released], publication: Publication
) -> None:
    table = next(one for one in read_tables(official) if one.publication is publication)
    assert table.checked == table.equal == {ACL: 39, README: 36}[publication]


def test_the_first_version_differs_in_eight_cells_and_each_has_its_reason(
    official: list[Released],
) -> None:
    table = table_of(ARXIV, official)
    assert differences(table) == {
        ("GPT-4 (1106-preview)", "longbook_qa_eng"),
        ("GPT-4 (1106-preview)", "longbook_qa_chn"),
        ("GPT-4 (1106-preview)", "code_debug"),
        ("Kimi-Chat", "longbook_sum_eng"),
        ("Kimi-Chat", "longbook_qa_chn"),
        ("Kimi-Chat", "code_debug"),
        ("Claude 2", "longbook_sum_eng"),
        ("Claude 2", "longbook_qa_chn"),
    }
    assert {cell.state for cell in table.differences} == {"explained"}


def test_a_reason_names_the_number_that_was_printed() -> None:
    """The published number is what an earlier state of the files or the scorer gave."""
    for publication in (ACL, ARXIV):
        rows = {row.model: row.numbers for row in published_rows(publication.id) if not row.run}
        for model, reasons in REASONS[publication.id].items():
            for task, reason in reasons.items():
                assert reason.percent in ("", rows[model][task].text)


def test_an_unknown_difference_is_never_called_explained() -> None:
    table = table_of(ACL, [released("Claude 2", {"passkey": 97.8, "code_run": 2.6})])
    states = {cell.task: cell.state for cell in table.cells if cell.row.model == "Claude 2"}
    assert (states["passkey"], states["code_run"]) == ("equal", "unexplained")
    assert states["math_find"] == states[AVERAGE] == "no-files"


def test_the_entry_with_the_most_tasks_counts_and_another_run_for_itself() -> None:
    main = released("GPT-4 (1106-preview)", {"passkey": 100.0, "code_debug": 37.06})
    other = released("GPT-4 (1106-preview)", {"code_debug": 15.736}, "step by step")
    table = table_of(RECALLING, [main, other])
    assert [cell.recomputed for cell in table.cells] == ["15.74", "37.06"]
    assert [cell.state for cell in table.cells] == ["equal", "explained"]


@pytest.mark.parametrize(
    ("text", "percent", "equal"),
    [
        ("22.44", 22.4449, True),
        ("22.44", 22.4451, False),
        ("100", 99.5, True),
        ("100", 99.49, False),
        ("0.00", 0.0, True),
        ("<5", 4.99, True),
        ("<5", 5.0, False),
    ],
)
def test_a_number_is_compared_to_its_last_digit(text: str, percent: float, equal: bool) -> None:
    assert Number.of(text).is_of(percent) is equal


def test_the_tables_agree_with_the_published_results_of_the_board() -> None:
    """The same numbers are reported entries there, entered independently of their decimals."""
    with (ROOT / "portal" / "data" / "published_results.csv").open(encoding="utf-8") as file:
        reported = {
            row["model"].replace("MiniCPM-2.4B", "MiniCPM-2B"): row
            for row in csv.DictReader(file)
            if "ACL 2024, table 3" in row["source"]
        }
    rows = published_rows(ACL.id)
    assert {row.model for row in rows} == reported.keys()
    for row in rows:
        of_model = reported[row.model]
        assert row.numbers[AVERAGE].value == float(of_model["avg_as_published"])
        assert {task: row.numbers[task].value for task in TASKS} == {
            task: float(of_model[task]) for task in TASKS
        }
