"""Answers of made-up readers of several organisations, with known error rates."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.item_analysis.items import Floats


class World(NamedTuple):
    scores: Floats  # (readers, questions)
    wrong: list[list[str | None]]
    wrong_labels: frozenset[int]  # the questions with a wrong label
    labels: list[int]  # options
    answers: list[list[int]]  # (readers, questions): options


def world(
    seed: int,
    organisations: Sequence[str],
    error_rates: Sequence[float],
    *,
    questions: int = 1_000,
    wrong_labels: int = 20,
    options: int = 4,
) -> World:
    """Option 0 is right. A tenth of the questions are three times as hard as the others; each has a
    wrong option as popular as all others together; and half of a reader's behaviour is shared with
    its organisation."""
    random = np.random.default_rng(seed)
    hardness = np.where(random.random(questions) < 0.1, 2.4, 0.8)
    popular = random.integers(1, options, questions)

    def draws() -> tuple[Floats, Floats]:
        other = random.integers(1, options, questions)
        return random.random(questions), np.where(random.random(questions) < 0.5, popular, other)

    common = {organisation: draws() for organisation in organisations}
    answers = []
    for organisation, rate in zip(organisations, error_rates, strict=True):
        as_common = random.random(questions) < 0.5
        luck, option = (
            np.where(as_common, shared, own)
            for shared, own in zip(common[organisation], draws(), strict=True)
        )
        answers.append(np.where(luck < rate * hardness, option, 0))
    labels = np.zeros(questions, dtype=np.int64)
    planted = random.choice(questions, wrong_labels, replace=False)
    labels[planted] = random.integers(1, options, wrong_labels)
    right = np.array(answers) == labels
    wrong = [
        [None if is_right else str(answer) for answer, is_right in zip(*row, strict=True)]
        for row in zip(answers, right, strict=True)
    ]
    known = frozenset(planted.tolist())
    options_of = np.array(answers).tolist()
    return World(right.astype(float), wrong, known, labels.tolist(), options_of)
