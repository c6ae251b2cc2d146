"""Whether the position of the evidence matters: real effects, and how often chance shows one."""

from random import Random

import pytest

from scoring.breakdowns.position import PositionEffect, position_effect
from scoring.releases.facets import Facets
from tests.scoring.breakdowns.makers import answers, window_reader

SHARES = [number / 199 for number in range(200)]


def by_depth(scores: list[float]) -> PositionEffect | None:
    depths = [number / (len(scores) - 1) for number in range(len(scores))]
    return position_effect(answers(scores, [Facets(depth=depth) for depth in depths]))


def test_a_reader_that_forgets_the_beginning_is_found() -> None:
    found = by_depth([float(share > 0.3) for share in SHARES])
    assert found == (1 / 2001, 200, 10)


def test_what_is_lost_in_the_middle_is_found_with_few_questions() -> None:
    reader = window_reader(Random(1), 8_000, (4_000, 16_000, 64_000), 30)
    found = position_effect(reader)
    assert found
    assert (found.p < 0.01, found.parts) == (True, 3)


def test_what_is_scattered_evenly_is_no_effect() -> None:
    found = position_effect(
        answers(
            [float(number % 2) for number in range(200)],
            [Facets(depth=number // 2 / 99) for number in range(200)],
        )
    )
    assert found
    assert found.p == 1.0


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_where_all_are_alike_there_is_nothing_to_see(score: float) -> None:
    assert by_depth([score] * 200) is None


def test_with_one_depth_there_is_nothing_to_compare() -> None:
    facets = [Facets(depth=0.5)] * 40
    assert position_effect(answers([0.0, 1.0] * 20, facets)) is None
    assert position_effect(answers([0.0, 1.0] * 20)) is None


def test_what_hops_explain_is_no_effect_of_depth() -> None:
    """Chains of two are right and chains of ten wrong, and they lie at different depths."""
    random = Random(3)
    facets = [
        Facets(depth=random.uniform(*((0, 0.5) if hops == 2 else (0.5, 1))), hops=hops)
        for hops in (2, 10)
        for _ in range(100)
    ]
    assert position_effect(answers([1.0] * 100 + [0.0] * 100, facets)) is None


def test_equal_data_have_equal_digits_in_any_order() -> None:
    random = Random(4)
    scores = [float(random.random() < 0.4 + 0.2 * share) for share in SHARES]
    facets = [Facets(depth=share, hops=number % 3) for number, share in enumerate(SHARES)]
    order = list(range(200))
    random.shuffle(order)
    shuffled = answers([scores[i] for i in order], [facets[i] for i in order])
    assert position_effect(shuffled) == position_effect(answers(scores, facets))


def null_p(random: Random, case: str) -> float:
    """The p value of a reader that depth does not affect."""
    scores, facets = [], []
    for number in range(60):
        depth, strength = random.random(), random.random()
        for length in (4_000, 16_000, 64_000) if case == "ladder" else (4_000,):
            one = strength if case == "partial" else float(random.random() < strength)
            scores.append(one)
            ladder = number if case == "ladder" else None
            facets.append(Facets(target_tokens=length, ladder=ladder, depth=depth))
    found = position_effect(answers(scores, facets))
    assert found
    return found.p


@pytest.mark.parametrize("case", ["right or wrong", "partial", "ladder"])
def test_p_is_as_often_small_as_it_says(case: str) -> None:
    """Even where the same questions are hard at every length: these trials are not independent."""
    random = Random(5)
    found = [null_p(random, case) for _ in range(150)]
    for level in (0.05, 0.25, 0.5):
        share = sum(p <= level for p in found) / len(found)
        assert abs(share - level) < 3.5 * (level * (1 - level) / len(found)) ** 0.5 + 0.02, level
