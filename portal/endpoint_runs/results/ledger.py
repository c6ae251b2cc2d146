"""What became of the questions of a scored run, for readers who may see the verdicts."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from portal.models import EndpointRun, Evaluation, QuestionState, ScoreVector
from portal.scores.vectors import unpack_scores
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.endpoint.prompts import Sight
from scoring.endpoint.run.records import Outcome


class Part(StrEnum):
    """What became of a question: each is in exactly one part."""

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


PART_TITLES: Mapping[Part, str] = {
    Part.WHOLE: "sent whole",
    Part.KEPT: "cut, evidence kept",
    Part.EVIDENCE_CUT: "evidence cut",
    Part.CUT: "cut, evidence not known",
    Part.NO_CONTEXT: "sent without the context",
    Part.OUTPUT_CUT: "answer cut at the output limit",
    Part.EMPTY: "empty",
    Part.REFUSED: "refused",
    Part.SKIPPED: "skipped",
    Part.ENDPOINT_FAILED: "failed by the endpoint",
    Part.OUR_FAILURE: "failed by us",
    Part.NOT_ASKED: "not asked",
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
# How charts hatch a part, besides its colour; parts that were answered in full have no hatch.
_HATCHES: Mapping[Part, str] = {
    **dict.fromkeys((Part.EVIDENCE_CUT, Part.OUTPUT_CUT), "up"),
    **dict.fromkeys((Part.EMPTY, Part.REFUSED, Part.SKIPPED), "down"),
    **dict.fromkeys((Part.ENDPOINT_FAILED, Part.OUR_FAILURE), "crossed"),
}
_UNCOUNTED = frozenset({Part.OUR_FAILURE, Part.NOT_ASKED})  # they say nothing about the model


def part_of(state: str, outcome: str, sight: str) -> Part:
    if state != QuestionState.ENDED:
        return Part.NOT_ASKED
    if outcome != Outcome.ANSWERED:
        return _BY_OUTCOME[Outcome(outcome)]
    return _BY_SIGHT[Sight(sight)] if sight else Part.CUT


class PartCount(NamedTuple):
    part: Part
    n: int
    scored: int  # questions with a score; fewer than n if a task is not scored
    total: float  # sum of their scores, 0 to 1 each

    @property
    def title(self) -> str:
        return PART_TITLES[self.part]

    @property
    def hatch(self) -> str:
        """Empty: none."""
        return _HATCHES.get(self.part, "")

    @property
    def score(self) -> float | None:
        """The mean of the scored questions, in percent; None: there are none, or they say nothing
        about the model."""
        if not self.scored or self.part in _UNCOUNTED:
            return None
        return 100 * self.total / self.scored


class LedgerRow(NamedTuple):
    task: str
    n: int
    parts: Sequence[PartCount]  # the same in all rows: all parts that any task has

    @property
    def title(self) -> str:
        return TASKS[self.task].title

    @property
    def asked(self) -> int:
        """The number of questions that the score is based on."""
        return self.n - sum(one.n for one in self.parts if one.part in _UNCOUNTED)


class Ledger(NamedTuple):
    """Covers all tasks that the run was to ask, including those that it never reached."""

    rows: Sequence[LedgerRow]
    parts: Sequence[PartCount]  # over all tasks
    n: int

    @property
    def is_sample(self) -> bool:
        """Whether some questions say nothing about the model: then all scores are estimates."""
        return not _UNCOUNTED.isdisjoint(one.part for one in self.parts)

    @property
    def shares(self) -> list[tuple[PartCount, float, float]]:
        """The parts of a bar, each with its start and its width in percent."""
        found, start = [], 0.0
        for part in self.parts:
            width = 100 * part.n / self.n
            found.append((part, start, width))
            start += width
        return found


def _read_parts(run: EndpointRun) -> dict[str, dict[int, Part]]:
    """By task and index in the data set."""
    parts: dict[str, dict[int, Part]] = {}
    rows = run.questions.order_by().values_list(
        "task", "example__index", "state", "outcome", "sight"
    )
    for task, index, *about in rows:
        parts.setdefault(task, {})[index] = part_of(*about)
    return parts


def read_ledger(run: EndpointRun, evaluation: Evaluation, metric_set: str) -> Ledger | None:
    """None if the scores of single answers are not stored."""
    questions = _read_parts(run)
    stored = ScoreVector.objects.filter(
        task_score__evaluation=evaluation, task_score__metric_set=metric_set
    )
    rows = stored.order_by().values_list("task_score__task", "scores")
    scores = {task: unpack_scores(packed).tolist() for task, packed in rows}
    if not scores:
        return None
    sizes = dict(run.release.data_sets.filter(task__in=questions).values_list("task", "size")) | {
        task: len(values) for task, values in scores.items()
    }
    by_task = {
        task: _counts(size, questions.get(task, {}), scores.get(task, ()))
        for task, size in sizes.items()
    }
    occurring = [part for part in Part if any(part in found for found in by_task.values())]
    of_tasks = [
        LedgerRow(
            task,
            sizes[task],
            [by_task[task].get(part, PartCount(part, 0, 0, 0.0)) for part in occurring],
        )
        for task in BOARD_ORDER
        if task in by_task
    ]
    parts = [
        PartCount(
            part,
            sum(one.n for one in column),
            sum(one.scored for one in column),
            sum(one.total for one in column),
        )
        for part, *column in zip(occurring, *(row.parts for row in of_tasks), strict=True)
    ]
    return Ledger(of_tasks, parts, sum(row.n for row in of_tasks))


def _counts(size: int, known: Mapping[int, Part], scores: Sequence[float]) -> dict[Part, PartCount]:
    """Of one task. ``scores``: of all its questions, or empty."""
    found: dict[Part, PartCount] = {}
    for index in range(size):
        part = known.get(index, Part.NOT_ASKED)
        before = found.get(part, PartCount(part, 0, 0, 0.0))
        score = scores[index] if scores else 0.0
        found[part] = PartCount(
            part, before.n + 1, before.scored + bool(scores), before.total + score
        )
    return found
