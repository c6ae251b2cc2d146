"""Shared wrong answers: the exact p is that of a permutation, and tells a copy from chance."""

from itertools import permutations

import numpy as np
import pytest

from scoring.item_analysis.shared_answers import shared_wrong_answers
from tests.scoring.item_analysis.readers import world


def test_p_is_that_of_dealing_the_answers_to_each_question_anew() -> None:
    wrong: list[list[str | None]] = [
        ["x", "x", "u", None, "a"],
        ["x", "x", "v", "b", "a"],
        ["y", "x", "u", "b", None],
        ["x", "z", "u", "c", None],
    ]
    [found] = [one for one in shared_wrong_answers(wrong, 0) if one.entry == 1]
    assert (found.both, found.same) == (4, 3)
    # By question: the share of permutations under which entries 0 and 1 agree.
    agree = []
    for answers in [("x", "x", "y", "x"), ("x", "x", "x", "z"), ("u", "v", "u", "u"), ("a", "a")]:
        dealt = [order[0] == order[1] for order in permutations(answers)]
        agree.append(sum(dealt) / len(dealt))
    assert found.expected == pytest.approx(sum(agree))
    draws = np.random.default_rng(1).random((200_000, 4)) < agree
    assert found.p == pytest.approx((draws.sum(axis=1) >= 3).mean(), abs=0.005)


def test_a_copy_with_some_changes_is_found_among_independent_readers() -> None:
    makers = list("abcdefgh")
    scores, wrong, *_ = world(3, makers, [0.3, 0.3, 0.35, 0.4, 0.4, 0.5, 0.5, 0.6], questions=300)
    original = 2
    copied = np.random.default_rng(4).random(300) < 0.5
    wrong[5] = [
        mine if take else own
        for own, mine, take in zip(wrong[5], wrong[original], copied, strict=True)
    ]
    first, *others = shared_wrong_answers(wrong, 5)
    assert first.entry == original
    assert first.adjusted < 1e-4
    assert first.same > first.expected
    assert all(one.adjusted > 0.05 for one in others)
    assert len(scores) == len(others) + 2


def test_independent_readers_are_rarely_taken_for_copies() -> None:
    makers, rates = list("abcdef"), [0.5] * 6
    found = [
        one
        for seed in range(40)
        for one in shared_wrong_answers(world(seed, makers, rates, questions=120).wrong, 0)
    ]
    assert sum(one.p <= 0.05 for one in found) / len(found) <= 0.08
    assert sum(one.adjusted <= 0.05 for one in found) <= 4  # of 40 readers


def test_what_only_two_entries_miss_says_nothing() -> None:
    wrong: list[list[str | None]] = [["x"] * 9, ["x"] * 9, [None] * 9]
    assert [(one.both, one.same, one.p) for one in shared_wrong_answers(wrong, 0)] == [
        (9, 9, 1.0), (0, 0, 1.0),
    ]  # fmt: skip
    assert shared_wrong_answers([[None, "a"]], 0) == []
