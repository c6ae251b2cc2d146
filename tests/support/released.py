"""The released labels and prediction files: the real ones, or others made in their likeness."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.catalog import TASKS
from scoring.labels import Label, canonical_label
from tests.support.official_rows import ROWS
from tests.support.worlds import write_rows

ONE_ANSWER = ("passkey", "number_string", "kv_retrieval", "code_run", "math_find", "math_calc")
REORDERED = ("longbook_choice_eng", "code_debug")


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


def write_released(folder: Path) -> Path:
    """As the folder of real data is: two releases of labels, and the files of three models.

    The older release has some labels in another order; it is what the models were asked.
    The prediction files have the oddities of the released ones: a file of another run, text behind
    a row, keys in another order, rows that were left out, keys that no other file has.
    """
    for task, rows in ROWS.items():
        answers = [_answer(row) for row in rows()]
        plain = [answer[0] for answer in answers] if task in ONE_ANSWER else answers
        newer = plain if task == "kv_retrieval" else answers
        older = plain[::-1] if task in REORDERED else plain
        write_rows(folder / "gold" / "hf" / f"{task}.jsonl", _labels(newer))
        write_rows(folder / "gold" / "paper" / f"{task}.jsonl", _labels(older))
        made = list(_predictions(older))
        results = {model: folder / "results" / model for model in ("gpt4", "claude2", "kimi")}
        gpt4 = write_rows(results["gpt4"] / f"preds_{task}.jsonl", made)
        if task == "math_find":
            gpt4.write_text(gpt4.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
        if task == "code_debug":
            write_rows(results["gpt4"] / f"preds_{task}_step_by_step.jsonl", made)
        turned = [dict(reversed(row.items())) for row in made]
        write_rows(results["claude2"] / f"preds_{task}.jsonl", turned)
        kept = turned[14:] if task == "longbook_qa_chn" else turned
        more = {"truncated": False} if task == "longdialogue_qa_eng" else {}
        write_rows(results["kimi"] / f"preds_{task}.jsonl", (row | more for row in kept))
    return folder


def _answer(row: dict[str, Any]) -> list[Any]:
    """Of a choice its text and its letter, as in files without options."""
    if row["options"]:
        text = row["answer"][0]
        return [text, "ABCD"[row["options"].index(text)]]
    return list(row["answer"])


def _labels(answers: list[Any]) -> list[dict[str, object]]:
    return [{"id": key, "answer": answer} for key, answer in enumerate(answers)]


def _predictions(answers: list[Any]) -> Iterator[dict[str, object]]:
    """Every third is right, every third empty."""
    for key, answer in enumerate(answers):
        right = answer[0] if isinstance(answer, list) else answer
        prediction = (f"The answer is {right}.", "", f"I do not know {key}.")[key % 3]
        yield {"id": key, "prediction": prediction, "ground_truth": answer}
