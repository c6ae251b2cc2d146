"""Stage two: canonical predictions + labels → the report, and every example with its verdicts."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO

from scoring.catalog import TASKS, Task
from scoring.keys import canonical_key
from scoring.labels import LabelError, canonical_label
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

PREDICTIONS = "predictions"  # the input that is not a task's labels

Json = dict[str, object]


def run(streams: Streams) -> None:
    """Inputs are ``predictions`` and the labels of tasks; outputs ``report`` and ``examples``.

    The report is that of ``python -m scoring score --json``, also where it is a question
    (``alignment``) or where nothing could be read.
    """
    labels = {name: stream for name, stream in streams.inputs.items() if name in TASKS}
    predictions = read_canonical(streams.inputs[PREDICTIONS])
    if not streams.options["compare_labels"]:
        unlabelled = {
            task: replace(found, rows=[row._replace(label=ABSENT) for row in found.rows])
            for task, found in predictions.tasks.items()
        }
        predictions = replace(predictions, tasks=unlabelled)
    hashes = streams.options["questions"]
    gold = {
        task: read_labels(TASKS[task], labels[task], hashes.get(task))
        for task in TASKS
        if task in labels and task in predictions.tasks
    }
    document, report = _outcome(predictions, gold, streams.options)
    write_report(document, streams.outputs["report"])
    if report:
        write_examples(report, predictions, gold, streams.outputs["examples"])


def read_labels(task: Task, stream: BinaryIO, questions_hash: str | None) -> TaskGold:
    """The gold in ``{id, answer, options}`` rows; the hash names the questions they answer.

    They were checked when the release was imported. Raises ``LabelError`` where that is not so.
    """
    return task_gold(task.id, (_label(task, line) for line in stream), questions_hash)


def _label(task: Task, line: bytes) -> GoldExample:
    try:
        row = json.loads(line)
        key, answer, options = row["id"], row["answer"], tuple(row.get("options") or ())
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise LabelError(f"a row of {task.id} is no label: {error!r}") from error
    canonical = canonical_key(key)
    if canonical is None:
        raise LabelError(f"a row of {task.id} has no id")
    return GoldExample(canonical, canonical_label(task, answer, options), options)


def _outcome(
    predictions: Predictions, gold: Mapping[str, TaskGold], options: Mapping[str, object]
) -> tuple[Json, Report | None]:
    if not anything_to_score(predictions, gold):
        return unscored_json(problems_of_unscored(predictions, gold)), None
    align = options["align"]
    try:
        report = score(
            predictions,
            gold,
            align=align if align in ("id", "order") else None,
            drop_first=options["drop_first"] is True,
        )
    except AlignmentNeeded as needed:
        return question_json(needed, predictions.problems), None
    return report_json(report), report
