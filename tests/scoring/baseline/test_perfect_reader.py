"""Right answers to a generated release score 100 under every metric set, empty ones 0."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.catalog import TASKS, Kind
from scoring.generators.release import generate_release
from scoring.metrics import METRIC_SETS
from scoring.predictions.reader import read_predictions
from scoring.releases.gold import GoldExample, read_gold
from scoring.score import Report, score
from tests.support.worlds import write_rows


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=29, tokens=(4_000, 8_000), examples=10, jobs=2)
    return out


def said_rightly(task: str, example: GoldExample) -> str:
    label = example.label
    if TASKS[task].kind is Kind.CHOICE:
        return f"{label[1]}. {label[0]}"  # type: ignore[index]
    if TASKS[task].kind is Kind.TEXTS:
        return str(label[0])  # type: ignore[index]
    return str(list(label) if isinstance(label, tuple) else label)


def scored(release: Path, folder: Path, say: Callable[[str, GoldExample], str]) -> Report:
    gold = read_gold(release)
    for task, data in gold.items():
        rows = [{"id": one.key, "prediction": say(task, one)} for one in data.examples]
        write_rows(folder / f"preds_{task}.jsonl", rows)
    return score(read_predictions(folder), gold)


def test_a_perfect_reader_has_100_in_every_task_and_set(release: Path, tmp_path: Path) -> None:
    report = scored(release, tmp_path, said_rightly)
    assert set(report.tasks) == set(TASKS)
    for task, found in report.tasks.items():
        assert found.means == dict.fromkeys(METRIC_SETS, pytest.approx(100.0)), task


def test_a_silent_reader_has_0(release: Path, tmp_path: Path) -> None:
    report = scored(release, tmp_path, lambda task, example: "")
    for task, found in report.tasks.items():
        assert found.means == dict.fromkeys(METRIC_SETS, 0.0), task
