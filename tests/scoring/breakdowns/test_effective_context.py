"""The effective context: readers with a known window, and what must not change it."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.effective_context import (
    _non_increasing,
    effective_context,
    effective_context_of,
)
from scoring.releases.facets import Facets
from tests.scoring.breakdowns.makers import (
    DEMO,
    DOUBLING,
    WINDOWS,
    answers,
    holds,
    window_reader,
)


def ladder(rows: list[list[float]], lengths: tuple[int, ...], task: str = "passkey") -> TaskAnswers:
    facets = [
        Facets(target_tokens=length, ladder=number)
        for number in range(len(rows))
        for length in lengths
    ]
    return answers([score for row in rows for score in row], facets, task=task)


@pytest.mark.parametrize("lengths", [DEMO, DOUBLING])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("fails", "guesses"), [(0.0, 0.0), (0.2, 0.1)])
def test_the_interval_holds_the_window_of_a_reader(
    window: int, lengths: tuple[int, ...], fails: float, guesses: float
) -> None:
    """``tests.scoring.breakdowns.makers`` has the whole simulation."""
    for seed in range(3):
        reader = window_reader(Random(seed), window, lengths, 100, fails=fails, guesses=guesses)
        found = effective_context([reader])
        assert found
        assert holds(found, window), (seed, found)
        assert found.never_below or window / 2 < found.tokens < window * 2


@pytest.mark.slow
@pytest.mark.parametrize("window", WINDOWS)
def test_the_interval_holds_the_window_in_at_least_93_of_100_seeds(window: int) -> None:
    """For readers that get a fifth of what they see wrong, and a tenth of the rest right."""
    found = [
        effective_context([window_reader(Random(seed), window, DEMO, 100, fails=0.2, guesses=0.1)])
        for seed in range(100)
    ]
    assert sum(one is not None and holds(one, window) for one in found) >= 93


def test_it_lies_between_the_lengths_around_the_threshold() -> None:
    rows = [[1.0, 1.0, 1.0]] * 35 + [[1.0, 1.0, 0.0]] * 35
    found = effective_context([ladder(rows, (8_000, 16_000, 32_000))])
    # 1 → 0.5 in one doubling: 0.85 after three tenths of it.
    assert found == (19_700, 16_000, 32_000, 0.85, 70, False, False)


def test_a_score_that_never_falls_has_no_upper_end() -> None:
    found = effective_context([ladder([[1.0, 0.9]] * 60, (4_000, 8_000))])
    assert found == (8_000, 8_000, None, 0.85, 60, True, False)


def test_with_a_control_it_is_a_share_of_the_evidence_only_score() -> None:
    lengths = (4_000, 8_000, 16_000)
    table = np.array([[1.0, 1.0, 1.0]] * 40 + [[1.0, 0.0, 0.0]] * 20 + [[0.0, 0.0, 0.0]] * 20)
    own = effective_context_of(lengths, [table])
    assert own is not None
    assert not own.of_evidence
    assert 4_000 < own.tokens < 8_000  # two thirds are kept at 8K
    easy = effective_context_of(lengths, [table], controls=[np.array([1.0] * 42 + [0.0] * 38)])
    assert easy is not None
    assert (easy.tokens, easy.never_below, easy.of_evidence) == (16_000, True, True)
    hard = effective_context_of(lengths, [table], controls=[np.ones(80)])
    assert hard is not None
    assert (hard.tokens, hard.low, hard.never_below) == (0, 0, False)
    assert effective_context_of(lengths, [table], controls=[np.zeros(80)]) is None


def test_the_share_is_a_choice() -> None:
    rows = [[1.0, 1.0]] * 40 + [[1.0, 0.0]] * 40
    found = effective_context([ladder(rows, (4_000, 8_000))], 0.3)
    assert found
    assert found.never_below


def test_a_later_rise_counts_for_the_lengths_before() -> None:
    """A chance dip does not end the context: 0.8 and 1 are pooled to 0.9."""
    rows = [[1.0, 1.0, 1.0, 0.0]] * 80 + [[1.0, 0.0, 1.0, 0.0]] * 20
    found = effective_context([ladder(rows, (4_000, 8_000, 16_000, 32_000))])
    assert found
    assert 16_000 < found.tokens < 32_000


@pytest.mark.parametrize(
    ("rows", "lengths"),
    [
        ([[1.0, 0.0]] * 59, (4_000, 8_000)),  # too few questions
        ([[1.0]] * 100, (4_000,)),  # no other length
        ([[0.0, 0.0]] * 100, (4_000, 8_000)),  # no score to keep
    ],
)
def test_it_is_not_shown_where_it_says_nothing(
    rows: list[list[float]], lengths: tuple[int, ...]
) -> None:
    assert effective_context([ladder(rows, lengths)]) is None


def test_questions_of_other_lengths_only_are_left_out() -> None:
    facets = [
        Facets(target_tokens=length, ladder=number + (1_000 if length == 8_000 else 0))
        for number in range(80)
        for length in (4_000, 8_000)
    ]
    assert effective_context([answers([1.0] * 160, facets)]) is None


def test_several_tasks_count_equally() -> None:
    many = ladder([[1.0, 1.0]] * 90, (4_000, 8_000))
    few = ladder([[1.0, 0.0]] * 10, (4_000, 8_000), "longbook_qa_eng")
    found = effective_context([many, few])
    assert found
    assert (found.questions, found.never_below) == (100, False)
    assert 4_000 < found.tokens < 8_000


def test_the_order_of_examples_does_not_matter() -> None:
    reader = window_reader(Random(1), 32_000, DEMO, 80, fails=0.2, guesses=0.1)
    order = list(range(reader.size))
    Random(2).shuffle(order)
    other = answers([reader.scores[i] for i in order], [reader.facets[i] for i in order])
    assert effective_context([other]) == effective_context([reader])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_the_fit_never_rises_and_keeps_the_mean(means: list[float]) -> None:
    fit = _non_increasing(np.array([means]))[0]
    assert all(after <= before + 1e-12 for before, after in pairwise(fit))
    assert fit.mean() == pytest.approx(np.mean(means))
    if sorted(means, reverse=True) == means:
        assert fit == pytest.approx(means)
