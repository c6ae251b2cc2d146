"""Small releases and prediction files, made in one line each."""

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


def write_lines(path: Path, *records: object) -> Path:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return path


def opencompass(*predictions: str) -> dict[str, object]:
    return {
        str(number): {"origin_prompt": "…", "prediction": text, "gold": ["x"]}
        for number, text in enumerate(predictions)
    }


def sample(number: int, text: str, **more: object) -> dict[str, object]:
    return {
        "doc_id": number,
        "doc": {"id": number, "context": "…", "answer": ["f"], "options": ["e", "f", "g", "h"]},
        "target": "['f']",
        "arguments": {"gen_args_0": {"arg_0": "…", "arg_1": {"until": ["\n"]}}},
        "resps": [[text + "\nmore"]],
        "filtered_resps": [text],
        **more,
    }


SAMPLES = "samples_infinitebench_code_debug_2025-01-02T03-04-05.678901.jsonl"
