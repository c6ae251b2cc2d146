"""The report of an evaluation, rebuilt from the database.

It is the document that ``python -m scoring score … --json`` writes for the same files: the same
keys in the same order, and the same bytes.
"""

import csv
import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from portal.models import SCORE_COLUMNS, Evaluation, ExampleResult, Submission, TaskScore
from portal.scores.findings import Finding, findings_of
from portal.scores.scores import BySet, mean_of, scores_by_set
from portal.web.csv_safety import escape_csv_formula
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.keys import Key, canonical_key
from scoring.metrics import METRIC_SETS

Json = dict[str, Any]

_SIGNATURE = ("scorer", "metric_sets", "input", "gold", "aligned", "drop_first")
_COLUMNS = [SCORE_COLUMNS[name] for name in METRIC_SETS]
_AT_ONCE = 16  # rows in memory: each may hold a prediction of a megabyte


class ExampleRow(NamedTuple):
    task: str
    key: Key | None
    prediction: str | None  # None: none was handed in
    scores: tuple[float, ...]  # 0 to 1, in the order of METRIC_SETS

    @property
    def status(self) -> str:
        return "missing" if self.prediction is None else "answered"


def report_document(evaluation: Evaluation, *, with_examples: bool) -> Json:
    """The document of a scored evaluation; without what tells right from wrong where asked to."""
    rows = evaluation.task_scores.all()
    scores = scores_by_set(rows, exact=with_examples)
    counted = _by_task(rows)
    tasks = list(counted)
    findings = _findings_by_task(findings_of(evaluation, with_agreement=with_examples), tasks)
    documents = {
        task: _task(evaluation, row, scores, findings.get(task, []))
        for task, row in counted.items()
    }
    for task, row in counted.items():
        if with_examples:
            documents[task]["examples"] = _columns(evaluation, row)
        else:
            documents[task]["best_so_far"] = _again(task, scores)
    return {
        "signature": _signature(evaluation, tasks, with_labels=with_examples),
        "overall": _percents(TASKS, scores),
        "domains": {domain: _percents(tasks_of(domain), scores) for domain in DOMAINS},
        "tasks": documents,
        "problems": findings.get(None, []),
    }


def report_bytes(document: Mapping[str, Any]) -> bytes:
    """As the command writes it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _by_task(rows: Iterable[TaskScore]) -> dict[str, TaskScore]:
    """One of each task, in the order of the benchmark: counts are the same under every set."""
    found = {row.task: row for row in rows}
    return {task: found[task] for task in TASKS if task in found}


def _percents(tasks: Collection[str], scores: BySet) -> dict[str, float | None]:
    means = {name: mean_of(tasks, scores[name]) for name in METRIC_SETS}
    return {name: mean.percent if mean else None for name, mean in means.items()}


def _findings_by_task(
    findings: Iterable[Finding], tasks: Iterable[str]
) -> dict[str | None, list[Finding]]:
    found: dict[str | None, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding["task"] if finding["task"] in tasks else None, []).append(finding)
    return found


def _task(
    evaluation: Evaluation, counted: TaskScore, scores: BySet, findings: list[Finding]
) -> Json:
    task = counted.task
    of_task = {name: scores[name].get(task) for name in METRIC_SETS}
    return {
        "n": counted.size,
        "answered": counted.answered,
        "missing": counted.size - counted.answered,
        "unknown": counted.unknown,
        "aligned": _stored(evaluation)["aligned"][task],
        "problems": findings,
        "scores": {name: score and score.percent for name, score in of_task.items()},
        "stderr": {name: score and score.stderr for name, score in of_task.items()},
    }


def _again(task: str, scores: BySet) -> dict[str, bool]:
    """Under which metric sets a score is not this one, but the best that was told before."""
    return {name: task in scores[name] and scores[name][task].again for name in METRIC_SETS}


def _columns(evaluation: Evaluation, counted: TaskScore) -> Json:
    rows = evaluation.example_results.filter(task=counted.task).order_by("index")
    columns = zip(*rows.values_list(*_COLUMNS), strict=True)
    named = {name: list(column) for name, column in zip(METRIC_SETS, columns, strict=True)}
    return {"keys": list(_keys(counted)), **named}


def _keys(score: TaskScore) -> Iterator[Key | None]:
    keys = score.data_set.examples.order_by("index").values_list("key", flat=True)
    return map(canonical_key, keys)


def _stored(evaluation: Evaluation) -> Json:
    signature: Json = evaluation.signature or {}
    return signature


def _signature(evaluation: Evaluation, tasks: Iterable[str], *, with_labels: bool) -> Json:
    """The keys in the scorer's order: PostgreSQL keeps another one.

    The hash of labels says of any guess at all of them whether it is right.
    """
    signature = _in_order(_stored(evaluation), _SIGNATURE)
    gold = {task: _in_order(signature["gold"][task], ("labels", "questions")) for task in tasks}
    if not with_labels:
        gold = {task: hashes | {"labels": None} for task, hashes in gold.items()}
    return signature | {"gold": gold, "aligned": _in_order(signature["aligned"], tasks)}


def _in_order(found: Mapping[str, Any], names: Iterable[str]) -> Json:
    return {name: found[name] for name in names if name in found} | dict(found)


def example_rows(evaluation: Evaluation) -> Iterator[ExampleRow]:
    """Every example of the tasks that were handed in, a few at a time, however large they are."""
    counted = _by_task(evaluation.task_scores.select_related("data_set"))
    for task, score in counted.items():
        rows = evaluation.example_results.filter(task=task).order_by("index")
        for key, row in zip(_keys(score), rows.iterator(chunk_size=_AT_ONCE), strict=True):
            yield ExampleRow(task, key, row.prediction, _scores(row))


def _scores(row: ExampleResult) -> tuple[float, ...]:
    """A missing prediction counts 0, so that the mean of a column is the score of its task."""
    return tuple(getattr(row, column) or 0.0 for column in _COLUMNS)


class _Line:
    """What ``csv`` writes to: it hands back the line."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[ExampleRow]) -> Iterator[bytes]:
    """A head and a line for each example; a missing prediction is empty, and its status says so."""
    write = csv.writer(_Line()).writerow
    yield _encoded(write(["task", "id", "status", "prediction", *METRIC_SETS]))
    for row in rows:
        head = (row.task, str(row.key), row.status, row.prediction or "")
        yield _encoded(write([*map(escape_csv_formula, head), *row.scores]))


def jsonl_lines(rows: Iterable[ExampleRow]) -> Iterator[bytes]:
    """An object for each example, with the prediction as it was handed in; null where missing."""
    for row in rows:
        line = {"task": row.task, "id": row.key, "status": row.status}
        line["prediction"] = row.prediction
        scores = dict(zip(METRIC_SETS, row.scores, strict=True))
        yield _encoded(json.dumps(line | {"scores": scores}, ensure_ascii=False) + "\n")


def _encoded(line: object) -> bytes:
    return str(line).encode()


def command_line(evaluation: Evaluation, name: str | None = None) -> str:
    """What anybody with the files types to get the same report; the public never reads what their
    author calls them."""
    submission = evaluation.submission
    name = submission.upload_name if name is None else name
    file = f"./{name}" if name.startswith("-") else name
    is_historical = submission.origin == Submission.Origin.HISTORICAL
    gold = "embedded" if is_historical else "DIR"
    words = ["python", "-m", "scoring", "score", file, "--gold", gold]
    if evaluation.align:
        words += ["--align", evaluation.align]
    if submission.task:
        words += ["--task", submission.task]
    if submission.drop_first:
        words.append("--drop-first")
    return shlex.join([*words, "--json", "report.json"])
