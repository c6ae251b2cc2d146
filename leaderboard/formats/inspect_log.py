"""Inspect logs: a ``.eval`` file for each task, as ``inspect view`` lists them.

The format was taken from inspect-ai 0.3.285 in November 2026: a zip of ``header.json``,
``summaries.json`` and a member for each sample. Members are deflated. Inspect itself writes
Zstandard, which Python reads from 3.14 on, but it reads both.
"""

import json
from collections.abc import Iterator
from typing import Any

from leaderboard.formats.exported import (
    ExportedEntry,
    ExportedRow,
    ExportedTask,
    Rows,
    attempts_of,
    share,
)
from portal.scores.scores import Score
from portal.web.zip_writer import Member, stream_zip

_LOG_VERSION = 2
_SUMMARY = 1_000  # characters of a text, the same limit as in Inspect
_MEASURES = ("mean", "stderr")
Json = dict[str, Any]


def archive_members(entry: ExportedEntry, rows: Rows) -> Iterator[Member]:
    """A log for each task. Each is made while it is written, since they share nothing."""
    for task in entry.tasks:
        words = task.task.id.replace("_", "-")
        name = f"{entry.finished:%Y-%m-%dT%H-%M-%S}+00-00_infinite-bench-{words}_{entry.id[:8]}"
        yield f"{name}.eval", stream_zip(_log_members(entry, task, rows))


def _log_members(entry: ExportedEntry, task: ExportedTask, rows: Rows) -> Iterator[Member]:
    keys, summaries = [], []
    for row in rows(task):
        sample = _sample(entry, row)
        keys.append(row.key)
        summaries.append(_summary(sample))
        yield f"samples/{row.key}_epoch_1.json", [_encoded(sample)]
    yield "summaries.json", [_encoded(summaries)]
    yield "header.json", [_encoded(_header(entry, task, keys))]


def _encoded(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def _sample(entry: ExportedEntry, row: ExportedRow) -> Json:
    """An example without an answer has an output without choices."""
    user = {"role": "user", "content": row.question}
    answer = {"role": "assistant", "content": row.prediction, "source": "generate"}
    has_answer = row.prediction is not None
    known = {
        "context_sha256": row.context,
        "context": row.address,
        "status": "answered" if has_answer else "missing",
    }
    target: str | list[str] = row.letter or list(row.answers)
    return {
        "id": row.key,
        "epoch": 1,
        "input": row.question,
        "choices": list(row.options) or None,
        "target": target,
        "messages": [user, answer] if has_answer else [user],
        "output": {
            "model": entry.model,
            "choices": [{"message": answer, "stop_reason": "unknown"}] if has_answer else [],
            "completion": row.prediction or "",
        },
        "scores": {
            name: {"value": score, "answer": row.prediction} for name, score in row.scores.items()
        },
        "metadata": {name: value for name, value in known.items() if value},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
    }


def _summary(sample: Json) -> Json:
    target = sample["target"]
    cut = target[:_SUMMARY] if isinstance(target, str) else [one[:_SUMMARY] for one in target[:9]]
    return {
        "id": sample["id"],
        "epoch": 1,
        "input": sample["input"][:_SUMMARY],
        "choices": sample["choices"],
        "target": cut,
        "metadata": sample["metadata"],
        "scores": {
            name: {
                "value": score["value"],
                "answer": score["answer"] and score["answer"][:_SUMMARY],
            }
            for name, score in sample["scores"].items()
        },
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def _header(entry: ExportedEntry, task: ExportedTask, keys: list[int | str]) -> Json:
    created = entry.finished.isoformat()
    measures = [{"name": name} for name in _MEASURES]
    return {
        "version": _LOG_VERSION,
        "status": "success",
        "eval": {
            "eval_id": f"{entry.id}/{task.task.id}",
            "run_id": entry.id,
            "created": created,
            "task": f"infinite_bench_{task.task.id}",  # as in inspect_evals
            "task_id": f"{entry.id}/{task.task.id}",
            "task_version": 0,
            "task_display_name": task.title,
            "dataset": {
                "name": entry.release,
                "location": entry.data,
                "samples": task.size,
                "sample_ids": keys,
                "shuffled": False,
            },
            "model": entry.model,
            "config": {},
            "packages": {"infinitebench": entry.scorer},
            "metadata": {
                "entry": entry.address,
                "title": entry.title,
                "labels_sha256": task.labels_sha256,
                **entry.settings,
                **attempts_of(entry),
            },
            "scorers": [{"name": name, "metrics": measures} for name in task.scores],
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": len(keys),
            "completed_samples": len(keys),
            "scores": [_score(name, score, len(keys)) for name, score in task.scores.items()],
        },
        "stats": {"started_at": created, "completed_at": created, "model_usage": {}},
    }


def _score(name: str, score: Score, samples: int) -> Json:
    values = dict(zip(_MEASURES, (score.percent, score.stderr), strict=True))
    return {
        "name": name,
        "scorer": name,
        "scored_samples": samples,
        "unscored_samples": 0,
        "params": {},
        "metrics": {
            measure: {"name": measure, "value": share(value), "params": {}}
            for measure, value in values.items()
            if value is not None
        },
    }
