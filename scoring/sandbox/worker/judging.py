"""Stage two: canonical predictions + labels → the report, and every example with its verdicts."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO

from scoring.catalog import TASKS, Task
from scoring.keys import canonical_key
from scoring.labels import LabelError, canonical_label
from scoring.matching import (
    Candidate,
    ReleaseNeeded,
    VersionNeeded,
    check_release,
    choose_data_sets,
    fit_of,
)
from scoring.predictions.canonical import read_canonical
from scoring.predictions.reader import ABSENT, Predictions
from scoring.releases.gold import GoldExample, TaskGold, task_gold
from scoring.report import question_json, report_json, unscored_json
from scoring.sandbox.results_file import write_examples, write_report
from scoring.sandbox.worker.job import Streams
from scoring.score import (
    AlignmentNeeded,
    Report,
    anything_to_score,
    problems_of_unscored,
    score,
)

PREDICTIONS = "predictions"  # the input that is not labels

Json = dict[str, object]
Candidates = dict[str, list[Candidate]]  # by task


def run(streams: Streams) -> None:
    """Inputs are ``predictions`` and labels; outputs ``report`` and ``examples``.

    The report is that of ``python -m scoring score --json``, also where it is a question
    (``alignment``, ``version``, ``release``) or where nothing could be read.
    """
    options = streams.options
    submitted = read_canonical(streams.inputs[PREDICTIONS])
    predictions = submitted if options["compare_labels"] else _without_labels(submitted)
    try:
        own = _candidates(streams, submitted, other=False)
        gold = choose_data_sets(predictions, own, version=options["version"])
        if any(found["other"] for found in options["labels"].values()):
            fits = {task: fit_of(predictions.tasks[task], gold[task]) for task in gold}
            check_release(submitted, fits, lambda: _candidates(streams, submitted, other=True))
        document, report = _outcome(predictions, gold, options)
    except (VersionNeeded, ReleaseNeeded, AlignmentNeeded) as needed:
        document, report = question_json(needed, predictions.problems), None
    write_report(document, streams.outputs["report"])
    if report:
        write_examples(report, predictions, gold, streams.outputs["examples"])


def _without_labels(predictions: Predictions) -> Predictions:
    tasks = {
        task: replace(found, rows=[row._replace(label=ABSENT) for row in found.rows])
        for task, found in predictions.tasks.items()
    }
    return replace(predictions, tasks=tasks)


def _candidates(streams: Streams, predictions: Predictions, *, other: bool) -> Candidates:
    """The data sets of submitted tasks: of the chosen release, or of the others."""
    candidates: Candidates = {}
    for name, about in streams.options["labels"].items():
        if about["other"] == other and about["task"] in predictions.tasks:
            task = TASKS[about["task"]]
            gold = read_labels(task, streams.inputs[name], about["questions"])
            candidate = Candidate(gold, tuple(about["releases"]))
            candidates.setdefault(task.id, []).append(candidate)
    return {task: candidates[task] for task in TASKS if task in candidates}


def read_labels(task: Task, stream: BinaryIO, questions_hash: str | None) -> TaskGold:
    """The gold in rows of label files; the hash names the questions that they answer.

    They were checked when the release was imported. Raises ``LabelError`` where that is not so.
    """
    return task_gold(task.id, (_label(task, line) for line in stream), questions_hash)


def _label(task: Task, line: bytes) -> GoldExample:
    try:
        row = json.loads(line)
        key, answer, options = row["id"], row["answer"], tuple(row.get("options") or ())
        answer_type = str(row.get("answer_type") or "")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise LabelError(f"a row of {task.id} is no label: {error!r}") from error
    canonical = canonical_key(key)
    if canonical is None:
        raise LabelError(f"a row of {task.id} has no id")
    label = canonical_label(task, answer, options)
    return GoldExample(canonical, label, options, answer_type=answer_type)


def _outcome(
    predictions: Predictions, gold: Mapping[str, TaskGold], options: Mapping[str, object]
) -> tuple[Json, Report | None]:
    """Raises ``AlignmentNeeded``."""
    if not anything_to_score(predictions, gold):
        return unscored_json(problems_of_unscored(predictions, gold)), None
    align = options["align"]
    report = score(
        predictions,
        gold,
        align=align if align in ("id", "order") else None,
        drop_first=options["drop_first"] is True,
    )
    return report_json(report), report
