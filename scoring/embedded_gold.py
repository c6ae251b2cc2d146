"""Gold from the labels that prediction files carry: for released files made on other data.

Every page that shows such a score says so; a submission to the board is never scored like this.
"""

from collections.abc import Iterator
from dataclasses import replace

from scoring.catalog import TASKS
from scoring.keys import Key
from scoring.labels import LabelError, canonical_label
from scoring.predictions.reader import ABSENT, Predictions, Row, TaskPredictions
from scoring.problems import ProblemLog
from scoring.releases.gold import GoldExample, TaskGold, task_gold


def embedded_gold(predictions: Predictions) -> tuple[Predictions, dict[str, TaskGold]]:
    """The predictions that carry a usable label, and those labels as gold.

    Keys are the files' ids, or the row's number from 0 where a row has none. Rows without a usable
    label are left out, with a problem each.
    """
    log = ProblemLog()
    files: dict[str, TaskPredictions] = {}
    gold: dict[str, TaskGold] = {}
    for task, file in predictions.tasks.items():
        pairs = list(_labelled(file, log))
        if pairs:
            files[task] = replace(file, rows=[row for row, _ in pairs])
            examples: dict[Key, GoldExample] = {}
            for _, example in pairs:
                examples.setdefault(example.key, example)
            gold[task] = task_gold(task, examples.values())
    return replace(predictions, tasks=files, problems=predictions.problems + log.problems()), gold


def _labelled(file: TaskPredictions, log: ProblemLog) -> Iterator[tuple[Row, GoldExample]]:
    for index, row in enumerate(file.rows):
        key = index if row.key is None else row.key
        if row.label is ABSENT:
            log.add("label_missing", file=row.file, line=row.line, task=file.task)
            continue
        try:
            label = canonical_label(TASKS[file.task], row.label)
        except LabelError as error:
            why = str(error)
            log.add("label_unusable", file=row.file, line=row.line, task=file.task, why=why)
            continue
        yield Row(key, *row[1:]), GoldExample(key, label)
