"""The order in which a run asks: any beginning of it is a fair sample.

Questions of one task on one text form a group and stay together, so that the endpoint's cache of
prefixes is warm. Groups are strewn over the run stratum by stratum: one with m groups has them, in
a random order, at (j + u) / m for j = 0 … m − 1, with one random u between 0 and 1. So of every
stratum a beginning holds its share, up to one group, and every group has the same chance to be in
it (systematic sampling from a random start).
"""

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from scoring.endpoint.questions import ReleaseQuestion, Stratum

Group = list[ReleaseQuestion]


def in_order(questions: Sequence[ReleaseQuestion], seed: int) -> list[ReleaseQuestion]:
    """All questions, in an order that depends on them and the seed alone."""
    random = Random(f"order {seed}")  # noqa: S311 - repeatable
    placed: list[tuple[float, int, Group]] = []
    for groups in _strata(questions).values():
        random.shuffle(groups)
        start = random.random()
        for index, group in enumerate(groups):
            placed.append(((index + start) / len(groups), len(placed), group))
    return [question for _, _, group in sorted(placed) for question in group]


def _strata(questions: Sequence[ReleaseQuestion]) -> dict[Stratum, list[Group]]:
    """The groups by the stratum of their first question."""
    groups: dict[tuple[str, str], Group] = defaultdict(list)
    for question in questions:
        groups[question.task, question.text].append(question)
    strata: dict[Stratum, list[Group]] = defaultdict(list)
    for group in groups.values():
        strata[group[0].stratum].append(group)
    return strata
