"""The rows of the released prediction files, with the labels they carry."""

import json
from pathlib import Path

from scoring.catalog import TASKS
from scoring.labels import Label, canonical_label


def released_rows(data: Path, model: str, task: str) -> list[tuple[str, Label]]:
    """Prediction and label of every row of a model's file for a task, in the order of the file."""
    text = (data / "results" / model / f"preds_{task}.jsonl").read_text(encoding="utf-8")
    decoder = json.JSONDecoder()  # text after the object is one of the files' known damages
    rows = [decoder.raw_decode(line)[0] for line in text.split("\n") if line.strip()]
    return [_row(task, row) for row in rows]


def _row(task: str, row: dict[str, object]) -> tuple[str, Label]:
    prediction = row.get("prediction", row.get("pred"))
    label = row.get("ground_truth", row.get("label"))
    return str(prediction), canonical_label(TASKS[task], label)
