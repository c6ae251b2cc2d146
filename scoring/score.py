"""The whole pipeline on one page: predictions + gold → report.

read → align with the gold (or ask) → judge every example under every metric set → average.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from scoring import __version__
from scoring.alignment import (
    Agreement,
    AlignmentQuestion,
    Method,
    Placement,
    agreement,
    decide,
    place,
    report_coverage,
    scorable,
)
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.intervals import (
    UNKNOWN_DESIGN,
    Design,
    Estimate,
    Interval,
    estimate,
    mean_interval,
)
from scoring.keys import Key
from scoring.metrics import METRIC_SETS, Question, Verdict, judge
from scoring.predictions.reader import Predictions, TaskPredictions
from scoring.problems import Problem, ProblemLog
from scoring.releases.gold import TaskGold
from scoring.stats import macro_mean, mean_percent, standard_error

Percent = float
Means = dict[str, Percent | None]  # by metric set


class AlignmentNeeded(Exception):  # noqa: N818 - not an error: a question to the submitter
    """Rows can be matched by id or by order, and nothing is scored until the submitter decides."""

    def __init__(self, questions: Sequence[AlignmentQuestion]) -> None:
        super().__init__("\n".join(question.sentence for question in questions))
        self.questions = tuple(questions)


class TaskReport(NamedTuple):
    """One task's scores. Verdicts are in gold order, None for a missing prediction (scored 0)."""

    task: str
    keys: list[Key]
    verdicts: dict[str, list[Verdict | None]]
    method: Method
    unknown: int  # rows for which the gold has no example
    means: Means
    stderrs: dict[str, float | None]  # in percentage points
    estimates: dict[str, Estimate | None]  # by metric set; empty if no intervals are wanted

    @property
    def answered(self) -> int:
        first = next(iter(self.verdicts.values()))
        return sum(verdict is not None for verdict in first)


class Report(NamedTuple):
    tasks: dict[str, TaskReport]
    problems: list[Problem]
    signature: dict[str, object]

    def task_mean(self, task: str, metric_set: str) -> Percent | None:
        return self.tasks[task].means[metric_set] if task in self.tasks else None

    def domain(self, domain: str) -> Means:
        """The unweighted mean of the domain's tasks; None unless all of them are scored."""
        return {name: self._mean(tasks_of(domain), name) for name in METRIC_SETS}

    def interval_of_mean(self, tasks: Sequence[str], metric_set: str) -> Interval | None:
        """Of the unweighted mean of these tasks; None if there is no mean or no interval."""
        estimates = {
            task: self.tasks[task].estimates.get(metric_set) for task in tasks if task in self.tasks
        }
        known = [one for one in estimates.values() if one is not None]
        return mean_interval(known) if known and len(known) == len(tasks) else None

    def overall(self) -> Means:
        """The unweighted mean of the twelve tasks; None unless all of them are scored."""
        return {name: self._mean(tuple(TASKS), name) for name in METRIC_SETS}

    def domains(self) -> dict[str, Means]:
        return {domain: self.domain(domain) for domain in DOMAINS}

    def _mean(self, tasks: Sequence[str], metric_set: str) -> Percent | None:
        return macro_mean([self.task_mean(task, metric_set) for task in tasks])


def score(
    predictions: Predictions,
    gold: Mapping[str, TaskGold],
    *,
    align: Method | None = None,
    drop_first: bool = False,
    designs: Mapping[str, Design] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Score every task that has both usable predictions and gold, under every metric set.

    ``align`` is the submitter's answer where a file needs alignment; ``drop_first`` declares that
    Math.Calc answers repeat the first operand; ``designs`` say how the questions of tasks were
    chosen, which intervals depend on: None where no intervals are wanted. Scores are from 0 to 1,
    means in percent.
    Raises ``AlignmentNeeded`` where rows cannot be matched without asking; nothing is scored then.
    The same input gives the same report, byte for byte.
    """
    log = ProblemLog()
    files = scorable(predictions, gold, log)
    fits = {task: agreement(gold[task], file) for task, file in files.items()}
    methods = _methods(gold, files, fits, align)
    reports: dict[str, TaskReport] = {}
    for task, file in files.items():
        progress(f"scoring {TASKS[task].title}, {len(gold[task].examples)} examples")
        placement = place(gold[task], file, methods[task], log)
        design = designs.get(task, UNKNOWN_DESIGN) if designs is not None else None
        reports[task] = _judge_task(gold[task], placement, drop_first, design)
        report_coverage(file, fits[task], placement, log)
    used = {task: gold[task] for task in files}
    problems = predictions.problems + log.problems()
    return Report(reports, problems, _signature(predictions, used, methods, drop_first))


def anything_to_score(predictions: Predictions, gold: Mapping[str, TaskGold]) -> bool:
    """Whether any task with gold has a usable prediction."""
    return any(file.usable for task, file in predictions.tasks.items() if task in gold)


def problems_of_unscored(predictions: Predictions, gold: Mapping[str, TaskGold]) -> list[Problem]:
    """If there is nothing to score: the problems of the files, and files without gold."""
    without_gold = {task: file for task, file in predictions.tasks.items() if task not in gold}
    log = ProblemLog()
    scorable(replace(predictions, tasks=without_gold), gold, log)
    return predictions.problems + log.problems()


def _methods(
    gold: Mapping[str, TaskGold],
    files: Mapping[str, TaskPredictions],
    fits: Mapping[str, Agreement],
    align: Method | None,
) -> dict[str, Method]:
    decisions = {task: decide(gold[task], file, fits[task], align) for task, file in files.items()}
    questions = [item for item in decisions.values() if isinstance(item, AlignmentQuestion)]
    if questions:
        raise AlignmentNeeded(questions)
    return {
        task: item for task, item in decisions.items() if not isinstance(item, AlignmentQuestion)
    }


def _judge_task(
    gold: TaskGold, placement: Placement, drop_first: bool, design: Design | None
) -> TaskReport:
    judged = [
        None
        if prediction is None
        else judge(
            gold.task,
            prediction,
            example.label,
            Question(example.options, drop_first, example.answer_type),
        )
        for example, prediction in zip(gold.examples, placement.predictions, strict=True)
    ]
    verdicts = {
        name: [verdicts[name] if verdicts else None for verdicts in judged] for name in METRIC_SETS
    }
    scores = {
        name: [verdict.score if verdict else 0.0 for verdict in of_set]
        for name, of_set in verdicts.items()
    }
    return TaskReport(
        gold.task,
        gold.keys,
        verdicts,
        placement.method,
        placement.unknown,
        means={name: mean_percent(of_set) for name, of_set in scores.items()},
        stderrs={name: standard_error(of_set) for name, of_set in scores.items()},
        estimates={}
        if design is None
        else {name: estimate(TASKS[gold.task], of_set, design) for name, of_set in scores.items()},
    )


def _signature(
    predictions: Predictions,
    gold: Mapping[str, TaskGold],
    methods: Mapping[str, Method],
    drop_first: bool,
) -> dict[str, object]:
    """Everything that the scores depend on: equal signatures mean equal scores."""
    return {
        "scorer": __version__,
        "metric_sets": list(METRIC_SETS),
        "input": predictions.digest,
        "gold": {
            task: {"labels": data.labels_hash, "questions": data.questions_hash}
            for task, data in gold.items()
        },
        "aligned": dict(methods),
        "drop_first": drop_first,
    }
