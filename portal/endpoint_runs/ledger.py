"""What became of the questions of a run that has been scored, and what its answers say about all of
them: for readers who may see the verdicts."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.endpoint_runs.sample import SampleEstimate, estimate_from
from portal.models import EndpointRun, Evaluation, QuestionState, ScoreVector, TaskDataSet
from portal.scores.vectors import unpack_scores
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.comparison.vectors import TaskVector
from scoring.endpoint.prompts import Sight
from scoring.endpoint.records import Outcome


class Part(StrEnum):
    """A question is in one of them."""

    WHOLE = "whole"
    KEPT = "evidence-kept"
    EVIDENCE_CUT = "evidence-cut"
    CUT = "cut"
    NO_CONTEXT = "no-context"
    OUTPUT_CUT = "output-cut"
    EMPTY = "empty"
    REFUSED = "refused"
    SKIPPED = "skipped"
    ENDPOINT_FAILED = "endpoint-failed"
    OUR_FAILURE = "our-failure"
    NOT_ASKED = "not-asked"


PART_TITLES: Mapping[Part, str | Promise] = {
    Part.WHOLE: _("sent whole"),
    Part.KEPT: _("cut, evidence kept"),
    Part.EVIDENCE_CUT: _("evidence cut"),
    Part.CUT: _("cut, evidence not known"),
    Part.NO_CONTEXT: _("sent without the context"),
    Part.OUTPUT_CUT: _("answer cut at the output limit"),
    Part.EMPTY: _("empty"),
    Part.REFUSED: _("refused"),
    Part.SKIPPED: _("skipped"),
    Part.ENDPOINT_FAILED: _("failed by the endpoint"),
    Part.OUR_FAILURE: _("failed by us"),
    Part.NOT_ASKED: _("not asked"),
}
_BY_OUTCOME = {
    Outcome.CUT: Part.OUTPUT_CUT,
    Outcome.EMPTY: Part.EMPTY,
    Outcome.REFUSED: Part.REFUSED,
    Outcome.SKIPPED: Part.SKIPPED,
    Outcome.ENDPOINT_FAILED: Part.ENDPOINT_FAILED,
    Outcome.OUR_FAILURE: Part.OUR_FAILURE,
}
_BY_SIGHT = {
    Sight.WHOLE: Part.WHOLE,
    Sight.KEPT: Part.KEPT,
    Sight.CUT: Part.EVIDENCE_CUT,
    Sight.UNKNOWN: Part.CUT,
    Sight.NOTHING: Part.NO_CONTEXT,
}
_UNCOUNTED = frozenset({Part.OUR_FAILURE, Part.NOT_ASKED})  # they say nothing of the model


def part_of(state: str, outcome: str, sight: str) -> Part:
    if state != QuestionState.ENDED:
        return Part.NOT_ASKED
    if outcome != Outcome.ANSWERED:
        return _BY_OUTCOME[Outcome(outcome)]
    return _BY_SIGHT[Sight(sight)] if sight else Part.CUT


class PartCount(NamedTuple):
    part: Part
    n: int
    total: float  # of the scores, 0 to 1 each

    @property
    def title(self) -> str | Promise:
        return PART_TITLES[self.part]

    @property
    def score(self) -> float | None:
        """The mean of its questions, in percent; None: there are none, or none was asked."""
        if not self.n or self.part in _UNCOUNTED:
            return None
        return 100 * self.total / self.n


class LedgerRow(NamedTuple):
    task: str
    n: int
    parts: Sequence[PartCount]  # the same in all rows: those that any task has

    @property
    def title(self) -> str:
        return TASKS[self.task].title


class Ledger(NamedTuple):
    """Of all questions of the data sets that the entry was scored with."""

    rows: Sequence[LedgerRow]
    parts: Sequence[PartCount]  # over all tasks, question by question
    n: int
    estimate: SampleEstimate | None  # from what was asked; None: everything was

    @property
    def shares(self) -> list[tuple[PartCount, float, float]]:
        """Of a bar: with where each part begins and how long it is, in percent."""
        found, start = [], 0.0
        for part in self.parts:
            width = 100 * part.n / self.n
            found.append((part, start, width))
            start += width
        return found


class AskedQuestions(NamedTuple):
    """The questions of a run by task, by index in the data set."""

    parts: Mapping[str, Mapping[int, Part]]

    def counted(self, task: str) -> set[int]:
        """Those whose score says something of the model."""
        return {place for place, part in self.parts.get(task, {}).items() if part not in _UNCOUNTED}


def read_questions_of(run: EndpointRun) -> AskedQuestions:
    parts: dict[str, dict[int, Part]] = {}
    rows = run.questions.order_by().values_list(
        "task", "example__index", "state", "outcome", "sight"
    )
    for task, index, *about in rows:
        parts.setdefault(task, {})[index] = part_of(*about)
    return AskedQuestions(parts)


def read_ledger(run: EndpointRun, evaluation: Evaluation, metric_set: str) -> Ledger | None:
    """None where the scores of single answers are not known."""
    questions = read_questions_of(run)
    stored = ScoreVector.objects.filter(
        task_score__evaluation=evaluation, task_score__metric_set=metric_set
    )
    columns = ("task_score__task", "task_score__data_set", "scores")
    scores, numbers = {}, []
    for task, data_set, packed in stored.order_by().values_list(*columns):
        scores[task] = unpack_scores(packed).tolist()
        numbers.append(data_set)
    if not scores:
        return None
    by_task: dict[str, dict[Part, PartCount]] = {}
    for task, values in scores.items():
        known = questions.parts.get(task, {})
        found = by_task.setdefault(task, {})
        for index, value in enumerate(values):
            part = known.get(index, Part.NOT_ASKED)
            before = found.get(part, PartCount(part, 0, 0.0))
            found[part] = PartCount(part, before.n + 1, before.total + value)
    occurring = [part for part in Part if any(part in found for found in by_task.values())]
    rows = [
        LedgerRow(
            task,
            len(scores[task]),
            [by_task[task].get(part, PartCount(part, 0, 0.0)) for part in occurring],
        )
        for task in BOARD_ORDER
        if task in by_task
    ]
    parts = [
        PartCount(part, sum(one.n for one in column), sum(one.total for one in column))
        for part, *column in zip(occurring, *(row.parts for row in rows), strict=True)
    ]
    estimate = None
    if _UNCOUNTED.intersection(occurring):
        asked = {
            task: {index: values[index] for index in questions.counted(task)}
            for task, values in scores.items()
            if task in questions.parts
        }
        data_sets = list(TaskDataSet.objects.filter(pk__in=numbers))
        estimate = estimate_from(asked, data_sets, scores.keys())
    return Ledger(rows, parts, sum(row.n for row in rows), estimate)


def restricted_to(
    vectors: Mapping[str, TaskVector], asked: Sequence[AskedQuestions]
) -> dict[str, TaskVector]:
    """To the questions that every one of these runs has asked; without tasks that have none."""
    found = {}
    for task, vector in vectors.items():
        places = set(range(len(vector.scores)))
        for questions in asked:
            places &= questions.counted(task)
        if places:
            chosen = sorted(places)
            found[task] = TaskVector(
                vector.scores[chosen],
                vector.questions[chosen],
                vector.texts[chosen],
                vector.strata[chosen],
                vector.fractional,
            )
    return found
