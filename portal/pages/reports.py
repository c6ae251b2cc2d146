"""The report of an evaluation, rebuilt from the database.

It is the document that ``python -m scoring score … --json`` writes for the same files: the same
keys in the same order, and the same bytes.
"""

import csv
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from portal.models import SCORE_COLUMNS, Evaluation, ExampleResult, TaskScore
from portal.pages.findings import Finding, findings_of
from portal.pages.scores import ByTask, Told, means_of, scores_by_task, told
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.keys import Key, canonical_key
from scoring.metrics import METRIC_SETS

Json = dict[str, Any]

_SIGNATURE = ("scorer", "metric_sets", "input", "gold", "aligned", "drop_first")
_COLUMNS = [SCORE_COLUMNS[name] for name in METRIC_SETS]
_AT_ONCE = 16  # rows in memory: each may hold a prediction of a megabyte
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet would calculate what follows


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
    rows = scores_by_task(evaluation.task_scores.all())
    scores: ByTask = told(rows, exact=with_examples)
    tasks = [task for task in TASKS if task in scores]
    findings = _findings_by_task(findings_of(evaluation, with_agreement=with_examples), tasks)
    documents = {
        task: _task(evaluation, task, scores[task], findings.get(task, [])) for task in tasks
    }
    if with_examples:
        for task in tasks:
            documents[task]["examples"] = _columns(evaluation, rows[task])
    return {
        "signature": _signature(evaluation, tasks, with_labels=with_examples),
        "overall": means_of(scores, TASKS),
        "domains": {domain: means_of(scores, tasks_of(domain)) for domain in DOMAINS},
        "tasks": documents,
        "problems": findings.get(None, []),
    }


def report_bytes(document: Mapping[str, Any]) -> bytes:
    """As the command writes it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _findings_by_task(
    findings: Iterable[Finding], tasks: Iterable[str]
) -> dict[str | None, list[Finding]]:
    found: dict[str | None, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding["task"] if finding["task"] in tasks else None, []).append(finding)
    return found


def _task(
    evaluation: Evaluation, task: str, scores: Mapping[str, Told], findings: list[Finding]
) -> Json:
    any_set = next(iter(scores.values()))
    return {
        "n": any_set.size,
        "answered": any_set.answered,
        "missing": any_set.size - any_set.answered,
        "unknown": any_set.unknown,
        "aligned": _stored(evaluation)["aligned"][task],
        "problems": findings,
        "scores": {name: scores[name].mean for name in METRIC_SETS},
        "stderr": {name: scores[name].stderr for name in METRIC_SETS},
    }


def _columns(evaluation: Evaluation, scores: Mapping[str, TaskScore]) -> Json:
    any_set = next(iter(scores.values()))
    rows = evaluation.example_results.filter(task=any_set.task).order_by("index")
    columns = zip(*rows.values_list(*_COLUMNS), strict=True)
    named = {name: list(column) for name, column in zip(METRIC_SETS, columns, strict=True)}
    return {"keys": list(_keys(any_set)), **named}


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
    scores = scores_by_task(evaluation.task_scores.select_related("data_set"))
    for task in TASKS:
        if task in scores:
            keys = _keys(next(iter(scores[task].values())))
            rows = evaluation.example_results.filter(task=task).order_by("index")
            for key, row in zip(keys, rows.iterator(chunk_size=_AT_ONCE), strict=True):
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
        yield _encoded(write([*map(inert, head), *row.scores]))


def jsonl_lines(rows: Iterable[ExampleRow]) -> Iterator[bytes]:
    """An object for each example, with the prediction as it was handed in; null where missing."""
    for row in rows:
        line = {"task": row.task, "id": row.key, "status": row.status}
        line["prediction"] = row.prediction
        scores = dict(zip(METRIC_SETS, row.scores, strict=True))
        yield _encoded(json.dumps(line | {"scores": scores}, ensure_ascii=False) + "\n")


def _encoded(line: object) -> bytes:
    return str(line).encode()


def inert(cell: str) -> str:
    """Text that a spreadsheet takes for text."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def command_line(evaluation: Evaluation) -> str:
    """What anybody with the files types to get the same report."""
    submission = evaluation.submission
    name = submission.upload_name
    file = f"./{name}" if name.startswith("-") else name
    words = ["python", "-m", "scoring", "score", file, "--gold", "DIR"]
    if evaluation.align:
        words += ["--align", evaluation.align]
    if submission.task:
        words += ["--task", submission.task]
    if submission.drop_first:
        words.append("--drop-first")
    return shlex.join([*words, "--json", "report.json"])
