"""Answers whose pattern is known, made in one line each.

``python -m tests.scoring.breakdowns.makers SEEDS`` prints how often the interval of the effective
context holds the window of simulated readers (docs/statistics.md).
"""

import sys
from collections.abc import Sequence
from random import Random

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.effective_context import EffectiveContext, effective_context
from scoring.catalog import TASKS
from scoring.releases.facets import NO_FACETS, Facets

DEMO = (4_000, 16_000, 64_000, 128_000)
DOUBLING = (4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000)
WINDOWS = (8_000, 32_000, 128_000)


def answers(
    scores: Sequence[float],
    facets: Sequence[Facets] = (),
    *,
    tokens: Sequence[int | None] = (),
    texts: Sequence[str] = (),
    task: str = "passkey",
    missing: Sequence[int] = (),
    empty: Sequence[int] = (),
) -> TaskAnswers:
    size = len(scores)
    return TaskAnswers(
        TASKS[task],
        scores,
        facets or [NO_FACETS] * size,
        tokens or [None] * size,
        texts or [""] * size,
        frozenset(missing),
        frozenset(empty),
    )


def window_reader(
    random: Random,
    window: int,
    lengths: Sequence[int],
    questions: int,
    *,
    fails: float = 0.0,
    guesses: float = 0.0,
    task: str = "passkey",
) -> TaskAnswers:
    """A reader that sees the first and the last half of its window. Evidence lies anywhere. These
    are the probabilities of a wrong answer in sight and of a right one out of sight."""
    scores, facets = [], []
    for number in range(questions):
        depth = random.random()
        for length in lengths:
            half = window / 2
            sees = length <= window or depth * length < half or (1 - depth) * length < half
            scores.append(float(random.random() < (1 - fails if sees else guesses)))
            facets.append(Facets(target_tokens=length, ladder=number, depth=depth))
    return answers(scores, facets, task=task)


def holds(found: EffectiveContext, window: int) -> bool:
    return found.low <= window and (found.high is None or window <= found.high)


def _print_coverage(seeds: int) -> None:
    for lengths in (DEMO, DOUBLING):
        for window in WINDOWS:
            for questions in (60, 200):
                for fails, guesses in ((0.0, 0.0), (0.1, 0.1), (0.4, 0.05)):
                    found = []
                    for seed in range(seeds):
                        reader = window_reader(
                            Random(seed), window, lengths, questions, fails=fails, guesses=guesses
                        )
                        context = effective_context([reader])
                        assert context
                        found.append(context)
                    held = sum(holds(one, window) for one in found)
                    ratios = (one.tokens / window for one in found)
                    off = sum(not 0.5 < ratio < 2 for ratio in ratios)
                    print(
                        f"{len(lengths)} lengths, window {window:,}, {questions} questions, fails "
                        f"{fails}, guesses {guesses}: held {held} of {seeds}, off by 2x {off}"
                    )


if __name__ == "__main__":
    _print_coverage(int(sys.argv[1]))
