"""Rows as other programs write them."""

import json
from pathlib import Path


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
