"""Files in the format of lm-evaluation-harness: ``results_….json``, and ``samples_….jsonl`` for
each task, in a folder named after the model.

The format was taken from lm_eval 0.4.13 in November 2026. ``doc_id`` is the id of the example,
since readers of these files compare by it, rather than its index in the data set. Metrics are
ours.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from leaderboard.formats.exported import ExportedEntry, ExportedRow, ExportedTask, Rows, share
from portal.web.zip_writer import Member
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS

_PREFIX = "infinitebench_"
_FILTER = "none"
# Its names for tasks where they differ from ours: those of the data set's splits.
_TASKS = {
    "longbook_sum_eng": "longbook_sum_en",
    "longbook_qa_eng": "longbook_qa_en",
    "longbook_choice_eng": "longbook_choice_en",
    "longdialogue_qa_eng": "longdialogue_qa_en",
}
TASK_NAMES = {task: f"{_PREFIX}{_TASKS.get(task, task)}" for task in TASKS}
Json = dict[str, Any]


def archive_members(entry: ExportedEntry, rows: Rows) -> Iterator[Member]:
    folder = entry.model.replace("/", "__")
    time = f"{entry.finished:%Y-%m-%dT%H-%M-%S.%f}"
    results = json.dumps(_results(entry), ensure_ascii=False, indent=2)
    yield f"{folder}/results_{time}.json", [results.encode()]
    for task in entry.tasks:
        name = f"{folder}/samples_{TASK_NAMES[task.task.id]}_{time}.jsonl"
        yield name, _lines(task, rows)


def _lines(task: ExportedTask, rows: Rows) -> Iterator[bytes]:
    """Unanswered examples are left out, as in prediction files: the format cannot express them. The
    results count them as 0."""
    for row in rows(task):
        if row.prediction is not None:
            sample = _sample(row, row.prediction)
            yield json.dumps(sample, ensure_ascii=False).encode() + b"\n"


def _sample(row: ExportedRow, prediction: str) -> Json:
    """The prompt is unknown here, so the question without the context takes its place."""
    target = row.answers[0] if row.answers else ""
    return {
        "doc_id": row.key,
        "doc": {
            "id": row.key,
            "input": row.question,
            "options": list(row.options),
            "answer": list(row.answers),
            "context_sha256": row.context,
            "context_url": row.address,
        },
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": row.question}},
        "resps": [[prediction]],
        "filtered_resps": [prediction],
        "filter": _FILTER,
        "metrics": list(METRIC_SETS),
        "target_hash": sha256(target.encode()).hexdigest(),
        **row.scores,
    }


def _results(entry: ExportedEntry) -> Json:
    by_name = {TASK_NAMES[one.task.id]: one for one in entry.tasks}
    means = {f"{name},{_FILTER}": share(score.percent) for name, score in entry.overall.items()}
    group = {"alias": "infinitebench", **means}
    return {
        "results": {name: _measures(name, one) for name, one in by_name.items()},
        **({"groups": {"infinitebench": group}} if means else {}),
        "group_subtasks": {"infinitebench": list(by_name)},
        "configs": {
            name: {
                "task": name,
                "output_type": "generate_until",
                "num_fewshot": 0,
                "metric_list": [
                    {"metric": metric, "aggregation": "mean", "higher_is_better": True}
                    for metric in METRIC_SETS
                ],
                "metadata": {"release": entry.release, "labels_sha256": one.labels_sha256},
            }
            for name, one in by_name.items()
        },
        "versions": dict.fromkeys(by_name, entry.scorer),
        "n-shot": dict.fromkeys(by_name, 0),
        "higher_is_better": {name: dict.fromkeys(METRIC_SETS, True) for name in by_name},
        "n-samples": {
            name: {"original": one.size, "effective": one.asked} for name, one in by_name.items()
        },
        "config": {
            "model": "infinitebench-export",  # not a model type that lm_eval can load
            "model_args": {"pretrained": entry.model, **entry.settings},
        },
        "date": entry.finished.timestamp(),
        "model_source": "infinitebench-export",
        "model_name": entry.model,
        "model_name_sanitized": entry.model.replace("/", "__"),
        "infinitebench_entry": entry.address,
        "infinitebench_scorer": entry.scorer,
    }


def _measures(name: str, one: ExportedTask) -> Json:
    found: Json = {"alias": name}
    for metric_set, score in one.scores.items():
        found[f"{metric_set},{_FILTER}"] = share(score.percent)
        known = score.stderr is not None
        found[f"{metric_set}_stderr,{_FILTER}"] = share(score.stderr or 0) if known else "N/A"
    return found
