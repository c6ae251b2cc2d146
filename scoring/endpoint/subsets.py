"""Which questions of a release a run asks: all, a fixed handful, or a stratified sample.

A sample has so many questions of each task as make the mean over tasks, which boards rank by, most
exact. Inside a task every question has the same chance to be in it, and the sample is spread evenly
over lengths and depths.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from random import Random
from typing import NamedTuple

from scoring.catalog import TASKS
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import Subset
from scoring.stats import Z_95

SMOKE = 12  # questions
LEAST = 6  # of each task in a sample: with fewer nothing can be said about it
_LENGTHS = 5  # classes, of tasks whose lengths were not chosen when the release was made

# Standard deviations of the scores of questions (from 0 to 1) under ``strict``, and of the
# differences of two models on the same question. From the released files of GPT-4, Claude 2 and
# Kimi-Chat, each scored against the labels in its files: the root of the mean variance of the three
# models, and of the three pairs. At least 0.1 and 0.14: a task that all three solve, or fail,
# may divide the next models.
DEVIATIONS: Mapping[str, float] = {
    "passkey": 0.12, "number_string": 0.14, "kv_retrieval": 0.44, "longbook_sum_eng": 0.10,
    "longbook_qa_eng": 0.20, "longbook_choice_eng": 0.46, "longbook_qa_chn": 0.24,
    "longdialogue_qa_eng": 0.37, "code_debug": 0.41, "code_run": 0.28, "math_calc": 0.10,
    "math_find": 0.44,
}  # fmt: skip
DIFFERENCES: Mapping[str, float] = {
    "passkey": 0.16, "number_string": 0.20, "kv_retrieval": 0.63, "longbook_sum_eng": 0.14,
    "longbook_qa_eng": 0.22, "longbook_choice_eng": 0.54, "longbook_qa_chn": 0.26,
    "longdialogue_qa_eng": 0.51, "code_debug": 0.57, "code_run": 0.39, "math_calc": 0.14,
    "math_find": 0.50,
}  # fmt: skip
assert set(DEVIATIONS) == set(DIFFERENCES) == set(TASKS)  # noqa: S101 - tables that are complete


def subset_of(
    questions: Sequence[ReleaseQuestion],
    subset: Subset,
    seed: int,
    deviations: Mapping[str, float] = DEVIATIONS,
) -> list[ReleaseQuestion]:
    """Those of the questions that a run with this setting asks, in the given order."""
    if subset == "all":
        return list(questions)
    by_task: dict[str, list[ReleaseQuestion]] = defaultdict(list)
    for question in questions:
        by_task[question.task].append(question)
    if subset == "smoke":
        found = _shortest(by_task)
    else:
        sizes = {task: len(of_task) for task, of_task in by_task.items()}
        allocation = neyman_allocation(sizes, deviations, subset)
        found = [
            question
            for task, of_task in by_task.items()
            for question in _systematic(of_task, allocation[task], Random(f"{seed} {task}"))  # noqa: S311 - repeatable
        ]
    chosen = {(one.task, one.key) for one in found}
    return [one for one in questions if (one.task, one.key) in chosen]


def _shortest(by_task: Mapping[str, Sequence[ReleaseQuestion]]) -> list[ReleaseQuestion]:
    """One of each task, then a second of each, …, until there are enough."""
    ranked = [
        (rank, place, question)
        for place, of_task in enumerate(by_task.values())
        for rank, question in enumerate(sorted(of_task, key=_length))
    ]
    return [question for _, _, question in sorted(ranked, key=lambda one: one[:2])[:SMOKE]]


def _length(question: ReleaseQuestion) -> tuple[bool, int]:
    """Counted tokens; characters where they were not counted, which is all or none of a task."""
    return question.tokens is None, question.tokens or question.characters


def neyman_allocation(
    sizes: Mapping[str, int], deviations: Mapping[str, float], n: int, least: int = LEAST
) -> dict[str, int]:
    """How many of ``n`` questions each task gets, so that the mean over tasks varies least.

    At least so many as ``least`` and at most as many as a task has; all tasks as even as can be
    where ``n`` does not suffice for that. The next question goes where it lowers the variance most,
    S²/k − S²/(k + 1): T. Wright, “The Equivalence of Neyman Optimum Allocation for Sampling and
    Equal Proportions for Apportioning the U.S. House of Representatives” (The American
    Statistician, 2012). Every task counts the same in the mean, however many questions it has, so
    that sizes are bounds and no weights. The sum is min(n, all questions).
    """
    found = dict.fromkeys(sizes, 0)

    def urgency(task: str) -> tuple[bool, float, int]:
        k = found[task]
        if k < least:
            return False, k, 0
        return True, -(deviations[task] ** 2) / (k * (k + 1)), k

    queue = [(urgency(task), task) for task, size in sizes.items() if size]
    heapq.heapify(queue)
    for _ in range(min(n, sum(sizes.values()))):
        _, task = heapq.heappop(queue)
        found[task] += 1
        if found[task] < sizes[task]:
            heapq.heappush(queue, (urgency(task), task))
    return found


def _systematic(
    questions: Sequence[ReleaseQuestion], n: int, random: Random
) -> list[ReleaseQuestion]:
    """Every (N/n)-th question from a random start, in order of length, and of depth back and forth.

    In whole numbers, so that every question has exactly the chance n/N.
    """
    if not n:
        return []
    by_length = sorted(random.sample(questions, len(questions)), key=_length)  # ties at random
    classed = [
        (one.facets.target_tokens or index * _LENGTHS // len(questions), one)
        for index, one in enumerate(by_length)
    ]
    ordered: list[ReleaseQuestion] = []
    groups = groupby(sorted(classed, key=lambda pair: pair[0]), key=lambda pair: pair[0])
    for number, (_, group) in enumerate(groups):
        members = sorted((one for _, one in group), key=lambda one: one.facets.depth or 0.0)
        ordered.extend(reversed(members) if number % 2 else members)
    start = random.randrange(len(ordered))
    return [ordered[(index * len(ordered) + start) // n] for index in range(n)]


class Precision(NamedTuple):
    """What a sample can tell, in percentage points of the mean over its tasks."""

    half_width: float  # that the 95 % interval is expected to have, to each side
    # Between two models on the same questions: the least that is beyond chance (two-sided, 5 %).
    difference: float


def precision(
    allocation: Mapping[str, int],
    deviations: Mapping[str, float] = DEVIATIONS,
    differences: Mapping[str, float] = DIFFERENCES,
) -> Precision:
    """``allocation``: how many questions of each task are asked. An estimate: questions on one text
    succeed and fail together, which a sample with few of each has less of than a whole release."""
    error, paired = (
        100 * math.sqrt(math.fsum(one[task] ** 2 / n for task, n in allocation.items() if n))
        / max(1, len(allocation))
        for one in (deviations, differences)
    )  # fmt: skip
    return Precision(Z_95 * error, Z_95 * paired)
