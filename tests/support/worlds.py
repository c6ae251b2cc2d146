"""Small releases and prediction files for tests, made in one line each."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scoring.keys import Key
from scoring.labels import Label
from scoring.predictions.reader import ABSENT, Row, TaskPredictions
from scoring.releases.gold import GoldExample, TaskGold, task_gold


def gold_of(task: str, labels: Mapping[Any, Label]) -> TaskGold:
    return task_gold(task, [GoldExample(key, label) for key, label in labels.items()])


def row(key: Key | None, prediction: str | None, label: object = ABSENT, line: int = 1) -> Row:
    return Row(key, prediction, label, "preds.jsonl", line)


def file_of(task: str, rows: Iterable[Row]) -> TaskPredictions:
    return TaskPredictions(task, "official", ["preds.jsonl"], list(rows))


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    return path
