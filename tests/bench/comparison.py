"""How long it takes to tell a thousand entries apart."""

from time import perf_counter

import numpy as np

from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.comparison.board import Board
from scoring.comparison.vectors import Entry, TaskVector
from tests.bench.ratios import Row, best_of

ENTRIES = 1_000
_FRACTIONAL = ("longbook_sum_eng", "longbook_qa_eng", "longbook_qa_chn", "math_calc")
_COLUMNS = (
    {task: {task: 1.0} for task in TASKS}
    | {domain: dict.fromkeys(tasks_of(domain), 1.0) for domain in DOMAINS}
    | {"overall": dict.fromkeys(TASKS, 1.0)}
)


def comparison_ratios() -> list[Row]:
    """Each against a bound in seconds, on two cores that have nothing else to do."""
    random = np.random.default_rng(1)
    entries = {number: _entry(random) for number in range(ENTRIES)}
    newest = _entry(random)

    start = perf_counter()
    board = Board(entries, _COLUMNS)
    for column in _COLUMNS:
        board.ranks(column)
    full = perf_counter() - start

    def add_one() -> None:
        nonlocal board
        board = board.with_entry(len(board.entries), newest)
        for column in _COLUMNS:
            board.ranks(column)

    return [
        Row("18 columns, ranks of 1,000 entries / 10 s", full, 10.0, 1, "s"),
        Row("ranks with one entry more / 0.2 s", best_of(3, add_one), 0.2, 1, "s"),
    ]


def _entry(random: np.random.Generator) -> Entry:
    """Scores of all 3,946 questions; those of two tasks are about sixty novels."""
    strength, first = random.normal(), 0
    vectors = {}
    for task in TASKS.values():
        questions = np.arange(first, first + task.examples)
        first += task.examples
        shares = 1 / (1 + np.exp(questions % 7 - 3 - strength))
        scores = (random.random(task.examples) < shares).astype(np.float64)
        fractional = task.id in _FRACTIONAL
        vectors[task.id] = TaskVector(
            scores * random.random(task.examples) if fractional else scores,
            questions,
            questions % 60 - 60 if task.id.startswith("longbook_") else questions,
            questions % 7 if task.id == "math_find" else np.zeros_like(questions),
            fractional,
        )
    return vectors
