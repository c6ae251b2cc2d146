"""The score of a run while it is running, from the answers so far.

Answers are scored in small batches by requests for the page, one request at a time, and each answer
only once: the results are cached. When the run has ended, its answers are scored like any others.
Answers to a hidden release are not scored here.
"""

import time
from typing import NamedTuple

from django.core.cache import caches

from portal.endpoint_runs.progress.sample import SampleEstimate, estimate_from
from portal.endpoint_runs.progress.scope import Scope, scope_of
from portal.models import EndpointRun
from scoring.endpoint.run.records import ANSWERS, Outcome
from scoring.metrics import PAPER_SET, score_example

_BATCH = 400  # answers in a batch, at most
_BUDGET = 0.3  # seconds that a batch may take
# Seconds from the start of a batch to the start of the next.
_LONGEST_TURN = 30  # also after a batch whose process was lost
_SHORTEST_TURN = 2
_SHARE = 0.1  # of the time that is spent on batches, at most
_DAY = 86_400


class RunningScore(NamedTuple):
    estimate: SampleEstimate
    judged: int
    ended: int  # questions that count, when it was last computed
    scope: Scope


_Judged = dict[int, tuple[str, int, float]]  # by question: task, index and score


def running_score(run: EndpointRun) -> RunningScore | None:
    """The score as of a few seconds ago; None if there is none."""
    if run.release.hidden:
        return None
    turn_key = f"run-score-turn/{run.pk}"
    if caches["results"].add(turn_key, True, _LONGEST_TURN):
        began = time.monotonic()
        _judge_more(run)
        turn = max(_SHORTEST_TURN, (time.monotonic() - began) / _SHARE)
        caches["results"].touch(turn_key, min(turn, _LONGEST_TURN))
    found: RunningScore | None = caches["results"].get(_result_key(run))
    return found


def _result_key(run: EndpointRun) -> str:
    return f"run-estimate/{run.pk}"


def _judge_more(run: EndpointRun) -> None:
    judged: _Judged = caches["results"].get(f"run-judged/{run.pk}", {})
    # A question that failed may be asked again: it counts when it has an answer.
    settled = run.questions.ended().filter(outcome__in=(*ANSWERS, Outcome.SKIPPED))
    numbers = set(settled.order_by().values_list("pk", flat=True))
    waiting = sorted(numbers - judged.keys())[:_BATCH]
    if not waiting:
        return
    questions = settled.filter(pk__in=waiting).select_related("example").order_by("place")
    end = time.monotonic() + _BUDGET
    for question in questions:
        example = question.example
        score = 0.0
        if question.outcome != Outcome.SKIPPED:
            verdict = score_example(
                PAPER_SET, question.task, question.text, example.label, options=example.options
            )
            score = verdict.score
        judged[question.pk] = (question.task, example.index, score)
        if time.monotonic() > end:
            break
    scores: dict[str, dict[int, float]] = {}
    for task, index, score in judged.values():
        scores.setdefault(task, {})[index] = score
    wanted = run.questions.order_by().values_list("task", flat=True).distinct()
    data_sets = list(run.release.data_sets.filter(task__in=scores))
    estimate, scope = estimate_from(scores, data_sets, set(wanted)), scope_of(run)
    if scope == Scope.FIXED:
        estimate = without_intervals(estimate)
    found = RunningScore(estimate, len(judged), len(numbers), scope)
    caches["results"].set(f"run-judged/{run.pk}", judged, _DAY)
    caches["results"].set(_result_key(run), found, _DAY)


def without_intervals(found: SampleEstimate) -> SampleEstimate:
    """For questions that were not drawn at random: they say nothing about the others, so there is
    no interval."""
    tasks = [one._replace(interval=None) for one in found.tasks]
    return found._replace(tasks=tasks, interval=None)
