"""The report of an evaluation, rebuilt from the database.

It is the document that ``python -m scoring score … --json`` writes for the same files: the same
keys in the same order, and the same bytes. The exception is a run by this site that has not asked
everything: the command would count unasked questions as 0 (``portal.scores.samples``). Each of its
tasks has ``asked``, the number of questions that its scores are based on.
"""

import csv
import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, repeat
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from portal.models import SCORE_COLUMNS, Evaluation, Example, Release, Submission, TaskScore
from portal.scores.documents.findings import Finding, findings_of
from portal.scores.samples import asked_flags
from portal.scores.scores import BySet, mean_of, scores_by_set
from portal.scores.titles import ALIGNMENT_TITLES
from portal.web.csv_files import escape_csv_formula
from scoring.catalog import BOARD_ORDER, DOMAINS, TASKS, tasks_of
from scoring.keys import Key, canonical_key
from scoring.metrics import METRIC_SETS
from scoring.report import interval_json

Json = dict[str, Any]

_SIGNATURE = ("scorer", "metric_sets", "input", "gold", "aligned", "drop_first")
_COLUMNS = [SCORE_COLUMNS[name] for name in METRIC_SETS]
_NONE = (None,) * len(METRIC_SETS)
_CHUNK = 16  # rows in memory: each may hold a prediction of a megabyte


class ExampleRow(NamedTuple):
    task: str
    key: Key | None
    prediction: str | None  # None: missing, or not here
    scores: tuple[float | None, ...]  # 0 to 1, in the order of METRIC_SETS; None: not asked
    is_asked: bool = True
    is_answered: bool = True

    @property
    def status(self) -> Literal["answered", "missing", "not asked"]:
        if not self.is_asked:
            return "not asked"
        return "answered" if self.is_answered else "missing"


def report_document(evaluation: Evaluation, *, with_examples: bool) -> Json:
    """The document of a scored evaluation. ``with_examples``: including the verdicts."""
    scores = scores_by_set(evaluation, exact=with_examples)
    counted = _by_task(evaluation.task_scores.all())
    findings: dict[str | None, list[Finding]] = {}
    for finding in findings_of(evaluation, with_agreement=with_examples):
        task = finding["task"] if finding["task"] in counted else None
        findings.setdefault(task, []).append(finding)
    examples = _examples(evaluation, counted) if with_examples else {}
    return {
        "signature": _signature(evaluation, counted, with_labels=with_examples),
        "overall": _percents(TASKS, scores),
        "domains": {domain: _percents(tasks_of(domain), scores) for domain in DOMAINS},
        "intervals": {
            "overall": _intervals(TASKS, scores),
            "domains": {domain: _intervals(tasks_of(domain), scores) for domain in DOMAINS},
        },
        "tasks": {
            task: _task(evaluation, row, scores, findings.get(task, []), examples.get(task))
            for task, row in counted.items()
        },
        "problems": findings.get(None, []),
    }


def public_report(evaluation: Evaluation) -> Json:
    """The report for everybody. Problems only say what was wrong, since the rest names and quotes
    the author's files."""
    document = report_document(evaluation, with_examples=True)
    for part in (document, *document["tasks"].values()):
        part["problems"] = [
            {name: finding[name] for name in ("code", "severity", "task")}
            for finding in part["problems"]
        ]
    return document


def report_bytes(document: Mapping[str, Any]) -> bytes:
    """The bytes that the command writes."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _by_task(rows: Iterable[TaskScore]) -> dict[str, TaskScore]:
    """One row for each task, in the benchmark's order: counts are the same under every metric
    set."""
    found = {row.task: row for row in rows}
    return {task: found[task] for task in TASKS if task in found}


def _percents(tasks: Collection[str], scores: BySet) -> dict[str, float | None]:
    means = {name: mean_of(tasks, scores[name]) for name in METRIC_SETS}
    return {name: mean.percent if mean else None for name, mean in means.items()}


def _intervals(tasks: Collection[str], scores: BySet) -> Json:
    means = {name: mean_of(tasks, scores[name]) for name in METRIC_SETS}
    return {name: interval_json(mean and mean.interval) for name, mean in means.items()}


def _task(
    evaluation: Evaluation,
    counted: TaskScore,
    scores: BySet,
    findings: list[Finding],
    examples: Json | None,
) -> Json:
    task = counted.task
    of_task = {name: scores[name].get(task) for name in METRIC_SETS}
    asked = counted.size if counted.asked is None else counted.asked
    document: Json = {
        "n": counted.size,
        **({} if counted.asked is None else {"asked": asked}),
        "answered": counted.answered,
        "missing": asked - counted.answered,
        "unknown": counted.unknown,
        "aligned": _stored(evaluation)["aligned"][task],
        "problems": findings,
        "scores": {name: score and score.percent for name, score in of_task.items()},
        "stderr": {name: score and score.stderr for name, score in of_task.items()},
        "intervals": {
            name: interval_json(score and score.interval) for name, score in of_task.items()
        },
        "texts": counted.texts,
    }
    if examples is not None:
        document["examples"] = examples
    else:
        document["band"] = {  # its width in percentage points; null: it is no band
            name: (score.width or None) if score else None for name, score in of_task.items()
        }
        document["best_so_far"] = {
            name: score is not None and score.is_previous_best for name, score in of_task.items()
        }
    return document


def _examples(evaluation: Evaluation, counted: Mapping[str, TaskScore]) -> dict[str, Json]:
    """By task, the verdicts under each metric set, in the order of the data set."""
    rows = evaluation.example_results.order_by("task", "index").values_list("task", *_COLUMNS)
    verdicts = {task: list(found) for task, found in groupby(rows, key=itemgetter(0))}
    flags = asked_flags(evaluation)
    examples = {}
    for task, score in counted.items():
        _tasks, *columns = zip(*verdicts[task], strict=True)
        by_set = {name: list(column) for name, column in zip(METRIC_SETS, columns, strict=True)}
        examples[task] = {"keys": list(_keys(score.data_set_id)), **by_set}
        if score.asked is not None:
            examples[task]["asked"] = flags[task]
    return examples


@lru_cache(maxsize=64)
def _keys(data_set: int) -> tuple[Key | None, ...]:
    """The keys of a data set's examples, in order. They never change."""
    keys = Example.objects.filter(data_set=data_set).order_by("index")
    return tuple(map(canonical_key, keys.values_list("key", flat=True)))


def _stored(evaluation: Evaluation) -> Json:
    signature: Json = evaluation.signature or {}
    return signature


def _signature(evaluation: Evaluation, tasks: Iterable[str], *, with_labels: bool) -> Json:
    """With its keys in the scorer's order, which PostgreSQL does not keep.

    The hash of the labels would show whether somebody's guess of all of them is right.
    """
    signature = _in_order(_stored(evaluation), _SIGNATURE)
    gold = {task: _in_order(signature["gold"][task], ("labels", "questions")) for task in tasks}
    if not with_labels:
        gold = {task: hashes | {"labels": None} for task, hashes in gold.items()}
    return signature | {"gold": gold, "aligned": _in_order(signature["aligned"], tasks)}


def _in_order(found: Mapping[str, Any], names: Iterable[str]) -> Json:
    return {name: found[name] for name in names if name in found} | dict(found)


def example_rows(evaluation: Evaluation) -> Iterator[ExampleRow]:
    """Every example of the submitted tasks. Only a few are in memory, since they may be large."""
    counted = _by_task(evaluation.task_scores.all())
    flags = asked_flags(evaluation)
    for task, score in counted.items():
        rows = evaluation.example_results.filter(task=task).order_by("index")
        asked = flags.get(task) or repeat(True, score.size)
        found = zip(_keys(score.data_set_id), asked, rows.iterator(chunk_size=_CHUNK), strict=True)
        for key, is_asked, row in found:
            # A missing prediction counts 0, so that the mean of a column is the score of its task.
            scores = tuple(getattr(row, column) or 0.0 for column in _COLUMNS)
            is_answered = row.prediction is not None or row.strict is not None
            scores = scores if is_asked else _NONE
            yield ExampleRow(task, key, row.prediction, scores, is_asked, is_answered)


def prediction_files(evaluation: Evaluation) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Names and contents of prediction files in the official format, as they were scored: with the
    ids of the data set, and without missing predictions.

    Those of a historical entry contain the labels that they were scored against.
    """
    labelled = evaluation.submission.origin == Submission.Origin.HISTORICAL
    counted = _by_task(evaluation.task_scores.select_related("data_set"))
    for task, score in counted.items():
        yield f"preds_{task}.jsonl", _prediction_lines(evaluation, score, labelled=labelled)


def _prediction_lines(
    evaluation: Evaluation, score: TaskScore, *, labelled: bool
) -> Iterator[bytes]:
    examples = score.data_set.examples.order_by("index").values_list("key", "label")
    rows = evaluation.example_results.filter(task=score.task).order_by("index")
    predictions = rows.values_list("prediction", flat=True).iterator(chunk_size=_CHUNK)
    for (key, label), prediction in zip(examples, predictions, strict=True):
        if prediction is not None:
            line = {"id": canonical_key(key), "prediction": prediction}
            line |= {"ground_truth": label} if labelled else {}
            yield _encoded(json.dumps(line, ensure_ascii=False) + "\n")


class _Line:
    """A target for ``csv.writer`` that makes ``writerow`` return the line."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[ExampleRow]) -> Iterator[bytes]:
    """A header, and a line for each example. A missing prediction is empty, and so are the scores
    of a question that was not asked; the status tells."""
    write = csv.writer(_Line()).writerow
    yield _encoded(write(["task", "id", "status", "prediction", *METRIC_SETS]))
    for row in rows:
        head = (row.task, str(row.key), row.status, row.prediction or "")
        yield _encoded(write([*map(escape_csv_formula, head), *row.scores]))


def jsonl_lines(rows: Iterable[ExampleRow]) -> Iterator[bytes]:
    """An object for each example, with the prediction as it was submitted; null if missing."""
    for row in rows:
        line = {"task": row.task, "id": row.key, "status": row.status}
        line["prediction"] = row.prediction
        scores = dict(zip(METRIC_SETS, row.scores, strict=True))
        yield _encoded(json.dumps(line | {"scores": scores}, ensure_ascii=False) + "\n")


def _encoded(line: object) -> bytes:
    return str(line).encode()


def command_line(evaluation: Evaluation, name: str | None = None) -> str:
    """The command that makes the same report from the same files; empty for a sample, for which
    there is none. ``name``: of the archive that the public can download, whose files are named
    after their tasks."""
    if any(row.asked is not None for row in evaluation.task_scores.all()):
        return ""
    submission = evaluation.submission
    is_historical = submission.origin == Submission.Origin.HISTORICAL
    files = list(submission.files.select_related("original")) if name is None else []
    paths = dict(zip(files, _paths([one.original.name for one in files]), strict=True))
    words = ["python", "-m", "scoring", "score", *([name] if name else [])]
    words += [path for one, path in paths.items() if one.is_new]
    for one, path in paths.items():
        if not one.is_new:
            tasks = "" if one.kept_tasks is None else f"={','.join(one.kept_tasks)}"
            words += ["--keep", f"{path}{tasks}"]
    words += ["--gold", "embedded" if is_historical else "DIR"]
    if evaluation.align:
        words += ["--align", evaluation.align]
    for one in files:
        original = one.original
        if original.task:
            words += ["--task", f"{'' if one.is_new else f'{original.name}='}{original.task}"]
        for inner, task in sorted(original.file_tasks.items()):
            words += ["--task", f"{inner}={task}"]
    if submission.drop_first:
        words.append("--drop-first")
    return shlex.join([*words, "--json", "report.json"])


def _paths(names: list[str]) -> list[str]:
    """The names of files, moved into numbered folders where several are equal."""
    return [
        f"{number}/{name}" if names.count(name) > 1 else f"./{name}" if name[0] == "-" else name
        for number, name in enumerate(names, start=1)
    ]


class DataRow(NamedTuple):
    """The data and settings that a task was scored with."""

    title: str
    matched: str
    labels: str  # a hash; empty where it would show whether a guess is right
    questions: str  # a hash; empty if the release has only labels
    versions: list[str]  # titles of the label versions that have these labels


def scored_data(evaluation: Evaluation, *, with_labels: bool) -> list[DataRow]:
    """In the order of the board, from the evaluation's signature."""
    signature = evaluation.signature or {}
    gold, aligned = signature.get("gold", {}), signature.get("aligned", {})
    versions = _versions_of_labels() if with_labels else {}
    return [
        DataRow(
            TASKS[task].title,
            ALIGNMENT_TITLES[aligned[task]],
            gold[task]["labels"] if with_labels else "",
            gold[task]["questions"] or "",
            versions.get(gold[task]["labels"], []),
        )
        for task in BOARD_ORDER
        if task in gold
    ]


def _versions_of_labels() -> dict[str, list[str]]:
    """By the hash of labels, the titles of the label versions of ∞Bench that have them."""
    found: dict[str, list[str]] = {}
    versions = Release.objects.exclude(part_of=None).order_by("-created", "-pk")
    for version in versions.prefetch_related("data_sets"):
        for data_set in version.data_sets.all():
            found.setdefault(data_set.labels_hash, []).append(version.title)
    return found
