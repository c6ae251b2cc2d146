"""Attacks on ``strict``: no constant and no list of candidates beats the best constant guess."""

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scoring.catalog import TASKS
from scoring.labels import Label, release_label
from scoring.metrics.rule import Question
from scoring.metrics.strict import rules
from scoring.metrics.strict.guess import OneGuess

# Percent, on the labels of ``hf``: the score of each task's most frequent letter, name or number.
BEST_CONSTANT = {
    "code_debug": 28.17,
    "longbook_choice_eng": 29.69,
    "math_find": 4.29,
    "code_run": 3.25,
    "longdialogue_qa_eng": 1.0,
    "passkey": 0.34,
    "kv_retrieval": 0.20,
    "number_string": 0.17,
}
ROUNDING = 0.005

OPENINGS = (
    "", "The answer is ", "Answer: ", "A answer is: ", "$$MASK$$ is ", "The character is ", "B. ",
    "The value is ", "The return value is ", "Option ", "The error is in ", '["',
)  # fmt: skip
SEPARATORS = (
    " ", ", ", "\n", "; ", " or ", " and ", "/", " | ", ". ", "\n\n", '", "', " is ", ": ", " - ",
    "",
)  # fmt: skip
PIECES = (
    *OPENINGS, *SEPARATORS, "A", "B", "C", "D", "a", "(", ")", "**", '"', "option ", "the ", "So ",
    "Mr. ", "key ", "returns ", "= ", "-", "\\boxed{", "}", "contains the error", "Question: ",
    "</think>", "</s>", "E. ", "not ", "but ", "it is ", "func_1(3)", "1", "答案是", "选",
    "is the character",
)  # fmt: skip


@cache
def _labels(data: Path, task: str) -> tuple[Label, ...]:
    text = (data / "gold" / "hf" / f"{task}.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return tuple(release_label(TASKS[task], row["answer"]) for row in rows)


def _candidates(data: Path, task: str) -> list[str]:
    """All names, option texts, UUIDs or numbers that are the right answer to some question."""
    choice = task in ("code_debug", "longbook_choice_eng")
    return [
        str(text)
        for label in _labels(data, task)
        for text in (label if isinstance(label, tuple) else (label,))
        if not (choice and text in tuple("ABCD"))
    ]


class Target:
    """A task under attack. Reading an answer never depends on the label, so it is done once."""

    def __init__(self, data: Path, task: str) -> None:
        self.rule, self.labels = rules.RULES[task], _labels(data, task)
        self.known: dict[str | None, float] = {None: 0.0}

    def score(self, prediction: str) -> float:
        """The percentage that the constant scores over all examples of the task."""
        guess = self.rule.read(prediction) if isinstance(self.rule, OneGuess) else None
        read = guess.text if guess else None
        if not isinstance(self.rule, OneGuess):
            read = self.rule(prediction, self.labels[0], Question()).extracted
        if read not in self.known:
            right = [self._right(prediction, read or "", label) for label in self.labels]
            self.known[read] = 100 * sum(right) / len(right)
        return self.known[read]

    def _right(self, prediction: str, read: str, label: Label) -> float:
        if isinstance(self.rule, OneGuess):
            return float(self.rule.is_right(read, label))
        return self.rule(prediction, label, Question()).score


def _dumps(candidates: list[str]) -> Iterator[str]:
    for order in (candidates, sorted(set(candidates)), list("ABCD")):
        for separator in SEPARATORS[:9]:
            yield from (opening + separator.join(order) for opening in OPENINGS)


def _climb(target: Target, words: list[str], generator: random.Random) -> Iterator[float]:
    """Hill climbing over 250 constants: change one piece at a time, keep what scores no less."""
    parts, best = [generator.choice(words)], -1.0
    for _ in range(250):
        changed = list(parts)
        place = generator.randrange(len(changed) + 1)
        changed[place : place + generator.randrange(2)] = [
            generator.choice(generator.choice((words, PIECES)))
            for _ in range(generator.randrange(3))
        ]
        score = target.score("".join(changed))
        yield score
        if score >= best and 0 < len(changed) < 30:
            parts, best = changed, score


def _best_constant(target: Target, data: Path, task: str) -> float:
    constants = dict.fromkeys([*"ABCD", *_candidates(data, task)])
    return max(map(target.score, constants))


@pytest.mark.parametrize("task", BEST_CONSTANT)
def test_no_dump_of_candidates_beats_the_best_constant(released: Path, task: str) -> None:
    target = Target(released, task)
    best = _best_constant(target, released, task)
    for dump in _dumps(_candidates(released, task)):
        assert target.score(dump) <= best, dump[:80]


@pytest.mark.parametrize("task", BEST_CONSTANT)
def test_no_constant_of_a_thousand_found_by_search_beats_it(released: Path, task: str) -> None:
    target, words = Target(released, task), _candidates(released, task)
    best = _best_constant(target, released, task)
    words += [part for word in words for part in word.replace(".", " ").split()]
    for seed in range(8):
        scores = list(_climb(target, words, random.Random(seed)))
        assert max(scores) <= best


@pytest.mark.parametrize("task", BEST_CONSTANT)
def test_the_best_constant_is_what_the_documentation_says(real_data: Path, task: str) -> None:
    best = _best_constant(Target(real_data, task), real_data, task)
    assert best == pytest.approx(BEST_CONSTANT[task], abs=ROUNDING)


WEAKNESSES = [  # under the official rules, in BENCHMARK order
    ("code_debug", "A answer is: B C"),
    ("longbook_choice_eng", "D A"),
    ("longbook_choice_eng", "Based on the text, I am not sure."),
]


@pytest.mark.parametrize(("task", "prediction"), WEAKNESSES)
def test_texts_that_fool_the_official_rules_score_nothing(
    released: Path, task: str, prediction: str
) -> None:
    assert Target(released, task).score(prediction) == 0
