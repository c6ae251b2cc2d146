"""How long it takes to break the scores of a task down."""

from dataclasses import replace
from functools import partial
from random import Random

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.breakdown import By, break_down
from scoring.catalog import TASKS
from scoring.releases.facets import Facets
from tests.bench.ratios import Row, best_of

_LENGTHS = (4_000, 16_000, 64_000, 128_000)
_DOUBLING = (4_000, 8_000, 16_000, 32_000, 64_000, 128_000)


def breakdown_ratios() -> list[Row]:
    """Each against a bound in seconds, without the time of the database."""
    rows = [("kv_retrieval", (4_000,), 500, By.DEPTH), ("kv_retrieval", _LENGTHS, 100, By.LENGTH)]
    rows += [("kv_retrieval", _LENGTHS, 100, By.LENGTH_DEPTH)]
    rows += [("kv_retrieval", _DOUBLING, 500, by) for by in (By.LENGTH, By.DEPTH, By.LENGTH_DEPTH)]
    rows += [("longbook_qa_eng", _LENGTHS, 50, By.LENGTH_DEPTH)]
    found = []
    for task, lengths, questions, by in rows:
        answers = _answers(task, lengths, questions)
        seconds = best_of(5, partial(_break_down, answers, by))
        size = f"{len(lengths)} x {questions}" if len(lengths) > 1 else str(questions)
        found.append(Row(f"{TASKS[task].title}, {size} by {by} / 30 ms", seconds, 0.03, 1, "s"))
    return found


def _break_down(answers: TaskAnswers, by: By) -> None:
    break_down(replace(answers), by)  # of which nothing is kept


def _answers(task: str, lengths: tuple[int, ...], questions: int) -> TaskAnswers:
    random = Random(1)
    facets = [
        Facets(target_tokens=length, ladder=number, depth=number / questions)
        for length in lengths
        for number in range(questions)
    ]
    is_partial = TASKS[task].fractional
    scores = [random.random() if is_partial else float(random.random() < 0.6) for _ in facets]
    return TaskAnswers(TASKS[task], scores, facets, [None] * len(facets), [""] * len(facets))
