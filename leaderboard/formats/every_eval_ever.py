"""Every Eval Ever: a document for the entry, and a line for each score of each example.

Fields and paths are those of every-eval-ever 0.3.0 (its JSON schemas and its validator, read in
November 2026). In the archive both files are where the project's data store has them, so that they
can be proposed there as they are.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from leaderboard.formats.exported import (
    ExportedEntry,
    ExportedRow,
    ExportedTask,
    Rows,
    attempts_of,
    share,
)
from portal.scores.makers import MakerClaim, maker_note
from portal.scores.scores import Score
from portal.web.zip_writer import Member
from scoring.catalog import OVERALL
from scoring.intervals import Interval
from scoring.metrics import METRIC_SETS

_VERSION = "0.3.0"
_COLLECTION = "infinitebench"
Json = dict[str, Any]


def archive_members(entry: ExportedEntry, rows: Rows) -> Iterator[Member]:
    """To be written in this order: the document contains the hash of the lines before it."""
    folder = f"data/{_COLLECTION}/{entry.model}"
    digest, count = sha256(), 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        for task in entry.tasks:
            for row in rows(task):
                shared = json.dumps(_instance(entry, task, row), ensure_ascii=False)
                for metric_set in METRIC_SETS:
                    # An answer may have a megabyte, so it is encoded once.
                    own = json.dumps(_judgement(task, row, metric_set))
                    line = f"{own[:-1]}, {shared[1:]}\n".encode()
                    digest.update(line)
                    count += 1
                    yield line

    samples = f"{folder}/{entry.id}_samples.jsonl"
    yield samples, lines()
    detailed = {
        "format": "jsonl",
        "file_path": samples,
        "hash_algorithm": "sha256",
        "checksum": digest.hexdigest(),
        "total_rows": count,
    }
    document = _aggregate(entry) | {"detailed_evaluation_results": detailed}
    yield f"{folder}/{entry.id}.json", [json.dumps(document, ensure_ascii=False, indent=1).encode()]


def _time(entry: ExportedEntry) -> str:
    """When it was scored, in seconds since 1970."""
    return f"{entry.finished.timestamp():.6f}"


def _evaluation_id(entry: ExportedEntry) -> str:
    return f"{_COLLECTION}/{entry.model.replace('/', '_')}/{_time(entry)}"


def _aggregate(entry: ExportedEntry) -> Json:
    results = [
        _result(entry, one, name, _score(score))
        for one in entry.tasks
        for name, score in one.scores.items()
    ]
    results += [_result(entry, None, name, _score(one)) for name, one in entry.overall.items()]
    note = maker_note(entry.maker_claim, entry.organisation)
    document: Json = {
        "schema_version": _VERSION,
        "evaluation_id": _evaluation_id(entry),
        "evaluation_timestamp": _time(entry),
        "retrieved_timestamp": _time(entry),
        "source_metadata": {
            "source_name": "∞Bench leaderboard",
            "source_type": "evaluation_run",
            "source_organization_name": "∞Bench leaderboard",
            "source_organization_url": entry.address,
            "evaluator_relationship": _relationship(entry),
            "additional_details": {
                "entry": entry.address,
                **({"maker": note} if note else {}),
                **attempts_of(entry),
            },
        },
        "eval_library": {
            "name": "infinitebench",
            "version": entry.scorer or "unknown",
        },
        "model_info": {
            "name": entry.title,
            "id": entry.model,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": f"{entry.weights}_weights" if entry.weights else "unknown",
            },
        },
        "evaluation_results": results,
    }
    if entry.organisation:
        document["model_info"]["developer"] = entry.organisation
    return document


def _relationship(entry: ExportedEntry) -> str:
    """How those who made the predictions are related to the maker of the model."""
    if entry.is_run_by_us or entry.is_historical:
        return "third_party"
    return "first_party" if entry.maker_claim is MakerClaim.CONFIRMED else "other"


def _result(
    entry: ExportedEntry,
    task: ExportedTask | None,
    metric: str,
    score: Json,
) -> Json:
    """``task`` is None for the mean of all tasks; ``metric`` is a metric set, or what stands beside
    them."""
    details = {"labels_sha256": task.labels_sha256} if task else {}
    if task and task.questions_sha256:
        details["questions_sha256"] = task.questions_sha256
    arguments = {"max_tokens": entry.output_limit} if entry.output_limit else {}
    return {
        "evaluation_result_id": f"{task.task.id if task else OVERALL}/{metric}",
        "evaluation_name": _name(task.title if task else "mean of all tasks"),
        "source_data": {
            "dataset_name": entry.release,
            "source_type": "url",
            "url": [entry.data],
            "additional_details": details,
        },
        "evaluation_timestamp": _time(entry),
        "metric_config": {
            "evaluation_description": f"Metric set {metric} of the ∞Bench scorer",
            "metric_id": f"{_COLLECTION}.{metric}",
            "metric_name": metric,
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
        },
        "score_details": score,
        "generation_config": {
            "generation_args": arguments,
            "additional_details": dict(entry.settings),
        },
    }


def _score(score: Score) -> Json:
    counts: Mapping[str, int | None] = {
        "examples": score.size,
        "answered": score.answered,
        "asked": score.asked,  # if it is an estimate from some of the questions
    }
    uncertainty: Json = {}
    if score.stderr is not None:
        uncertainty["standard_error"] = {"value": share(score.stderr), "method": "analytic"}
    if score.interval:
        uncertainty["confidence_interval"] = _interval(score.interval)
    if score.size is not None:
        uncertainty["num_samples"] = score.size if score.asked is None else score.asked
    return {
        "score": share(score.percent),
        "details": {name: str(count) for name, count in counts.items() if count is not None},
        "uncertainty": uncertainty,
    }


def _interval(interval: Interval) -> Json:
    return {
        "lower": share(interval.low),
        "upper": share(interval.high),
        "confidence_level": 0.95,
        "method": interval.method,
    }


def _name(title: str) -> str:
    return f"∞Bench {title}"


def _judgement(task: ExportedTask, row: ExportedRow, metric_set: str) -> Json:
    score = row.scores[metric_set]
    return {
        "evaluation_result_id": f"{task.task.id}/{metric_set}",
        "evaluation": {"score": score, "is_correct": score == 1},
    }


def _instance(entry: ExportedEntry, task: ExportedTask, row: ExportedRow) -> Json:
    """What is the same under every metric set. The answer is the whole prediction: what a metric
    extracts from it is not stored."""
    answer = row.prediction
    same = json.dumps({"raw": row.question, "reference": row.answers}, sort_keys=True)
    known = {"task": task.task.id, "context_sha256": row.context, "example": row.address}
    return {
        "schema_version": _VERSION,
        "evaluation_id": _evaluation_id(entry),
        "model_id": entry.model,
        "evaluation_name": _name(task.title),
        "sample_id": f"{task.task.id}/{row.key}",
        "sample_hash": sha256(f"{row.context}{same}".encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": row.question,
            "reference": list(row.answers),
            "choices": list(row.options) or None,
        },
        "output": {"raw": [] if answer is None else [answer]},
        "answer_attribution": []
        if answer is None
        else [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": answer,
                "extraction_method": "none",
                "is_terminal": True,
            }
        ],
        "error": "no answer" if answer is None else None,
        "metadata": {name: value for name, value in known.items() if value},
    }
