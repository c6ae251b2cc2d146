"""What it would take to distinguish two entries: questions, tokens and money."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from leaderboard.columns import Kind
from leaderboard.comparison.table import Row, Table
from portal.scores.comparison.differences import Difference
from scoring.comparison.power import cheapest_questions
from scoring.text.amounts import rough_amount

_MILLION = 1_000_000


class Effort(NamedTuple):
    """The number of questions that show the difference in four cases out of five, if it is as large
    as observed."""

    questions: int
    tokens: float | None  # of their inputs, roughly; None: their lengths are unknown
    price: float | None  # for a million tokens

    @property
    def tokens_text(self) -> str:
        return rough_amount(self.tokens) if self.tokens is not None else ""

    @property
    def cost_text(self) -> str:
        """In the unit of the price."""
        if self.tokens is None or self.price is None:
            return ""
        cost = self.tokens * self.price / _MILLION
        return rough_amount(cost) if cost >= 10 else f"{cost:.2f}"


class EffortRow(NamedTuple):
    title: str
    difference: Difference
    effort: Effort | None  # None: the two are equal, or the deviation is unknown
    mixed: int | None  # the number of its questions in the cheapest mix


class Efforts(NamedTuple):
    rows: list[EffortRow]  # for the tasks, and for the overall mean
    mix: Effort | None  # of the cheapest mix that shows the overall difference


def efforts_of(table: Table, tokens: Mapping[str, float], price: float | None) -> Efforts:
    """``tokens`` has by task the input tokens of a question; ``price`` is for a million of them."""
    overall = [row for row in table.means if row.column.kind is Kind.OVERALL]
    mix = _cheapest_mix(table, overall[0], tokens) if overall else {}
    rows = []
    for row in (*table.tasks, *overall):
        difference = row.to[0].difference
        if difference is None:
            continue
        effort = None
        if difference.needed:
            each = _mean_tokens(row, table, tokens)
            total = None if each is None else difference.needed * each
            effort = Effort(difference.needed, total, price)
        rows.append(EffortRow(str(row.column.title), difference, effort, mix.get(row.column.id)))
    if not mix:
        return Efforts(rows, None)
    total = math.fsum(tokens[task] * questions for task, questions in mix.items())
    return Efforts(rows, Effort(sum(mix.values()), total, price))


def _cheapest_mix(table: Table, overall: Row, tokens: Mapping[str, float]) -> dict[str, int]:
    """Questions by task; empty if the difference or the deviation in a task is unknown."""
    differences = {
        row.column.id: row.to[0].difference
        for row in table.tasks
        if row.column.id in overall.column.tasks
    }
    deviations = {
        task: one.deviation for task, one in differences.items() if one and one.n and task in tokens
    }
    mean = overall.to[0].difference
    if mean is None or len(deviations) < len(overall.column.tasks):
        return {}
    return cheapest_questions(deviations, tokens, mean.points) or {}


def _mean_tokens(row: Row, table: Table, tokens: Mapping[str, float]) -> float | None:
    """For a question of this task, or of the mix of questions that were compared."""
    sizes = {
        one.column.id: one.to[0].difference.n
        for one in table.tasks
        if one.column.id in row.column.tasks and one.to[0].difference
    }
    count = sum(sizes.values())
    if not count or set(sizes) - set(tokens):
        return None
    return math.fsum(tokens[task] * size for task, size in sizes.items()) / count
