"""Length × depth: cells of equal information, and the values they are shrunk to."""

from itertools import product
from random import Random

import pytest

from scoring.breakdowns.bins import LEAST
from scoring.breakdowns.breakdown import Breakdown, By, Method, break_down
from scoring.releases.facets import Facets
from tests.scoring.breakdowns.makers import answers

LENGTHS = (4_000, 16_000, 64_000)


def grid(
    right: dict[tuple[int, bool], float], of_each: int = 60, parts: int = 2, noise: int = 0
) -> Breakdown:
    """By length, and whether the evidence is in the second half: the share of right answers."""
    scores, facets = [], []
    for length, late in product(LENGTHS, (False, True)):
        for number in range(of_each):
            scores.append(float(number < round(right[length, late] * of_each)))
            depth = (number + 0.5) / of_each / 2 + 0.5 * late
            facets.append(Facets(target_tokens=length, ladder=number + of_each * late, depth=depth))
    order = list(range(len(scores)))
    Random(noise).shuffle(order)
    given = answers([scores[i] for i in order], [facets[i] for i in order])
    found = break_down(given, By.LENGTH_DEPTH, parts)
    assert found
    return found


def test_cells_are_rows_of_lengths_and_columns_of_depth() -> None:
    found = grid(dict.fromkeys(product(LENGTHS, (False, True)), 0.5))
    assert found.method is Method.GRID
    assert [one.start for one in found.bins] == [4_000, 4_000, 16_000, 16_000, 64_000, 64_000]
    assert [one.n for one in found.bins] == [60] * 6
    assert found.bins[0].depths
    assert found.bins[1].depths
    assert found.bins[0].depths[0] == 0
    assert found.bins[0].depths[1] == found.bins[1].depths[0]
    assert found.bins[1].depths[1] == 1
    assert found.bins[0].label == "4K, 0–0.504"


def test_there_are_as_many_columns_as_have_enough_examples() -> None:
    found = grid(dict.fromkeys(product(LENGTHS, (False, True)), 0.5), of_each=40, parts=10)
    assert len(found.bins) == 3 * (80 // LEAST)
    assert all(one.n >= LEAST for one in found.bins)


def test_few_examples_are_one_cell() -> None:
    facets = [Facets(target_tokens=4_000, depth=number / 20) for number in range(20)]
    found = break_down(answers([1.0] * 20, facets), By.LENGTH_DEPTH)
    assert found
    assert [one.n for one in found.bins] == [20]


def test_lengths_that_were_found_are_quantiles() -> None:
    random = Random(1)
    facets = [Facets(depth=random.random()) for _ in range(400)]
    tokens = [round(1_000 * 2 ** random.uniform(0, 8)) for _ in range(400)]
    scores = [float(random.random() < 0.5) for _ in range(400)]
    found = break_down(answers(scores, facets, tokens=tokens), By.LENGTH_DEPTH)
    assert found
    assert len(found.bins) >= 9
    assert all(one.n >= LEAST for one in found.bins)


def test_without_an_effect_nothing_stands_out() -> None:
    """Cells that vary only by chance are shrunk to what their row and column predict."""
    random = Random(6)
    facets = [
        Facets(target_tokens=length, depth=random.random())
        for length in LENGTHS
        for _ in range(100)
    ]
    scores = [float(random.random() < 0.5) for _ in facets]
    found = break_down(answers(scores, facets), By.LENGTH_DEPTH, 4)
    assert found
    raw = [(one.mean or 0) - 100 * sum(scores) / 300 for one in found.bins]
    shrunk = [one.shrunk or 0 for one in found.bins]
    assert sum(map(abs, shrunk)) < 0.8 * sum(map(abs, raw))


def test_a_hole_stays_one() -> None:
    shares = dict.fromkeys(product(LENGTHS, (False, True)), 0.95)
    shares[64_000, False] = 0.05
    found = grid(shares)
    mean = 100 * sum(shares.values()) / 6
    hole = found.bins[4]
    assert hole.mean == pytest.approx(5)
    assert hole.shrunk
    assert hole.shrunk == pytest.approx(5 - mean, abs=8)


def test_partial_scores_are_shrunk_by_how_much_they_vary() -> None:
    """Scores that hardly vary inside a cell say much about it."""
    facets = [
        Facets(target_tokens=length, depth=number / 59)
        for length in LENGTHS
        for number in range(60)
    ]
    scores = [
        (0.2 if one.target_tokens == 64_000 and (one.depth or 0) < 0.5 else 0.6)
        + 0.001 * (number % 7)
        for number, one in enumerate(facets)
    ]
    found = break_down(answers(scores, facets, task="longbook_qa_eng"), By.LENGTH_DEPTH, 2)
    assert found
    mean = 100 * sum(scores) / len(scores)
    for one in found.bins:
        assert one.shrunk == pytest.approx((one.mean or 0) - mean, abs=1)


def test_wide_intervals_are_marked() -> None:
    found = grid(dict.fromkeys(product(LENGTHS, (False, True)), 0.5), of_each=15)
    assert all(one.wide for one in found.bins)
    found = grid(dict.fromkeys(product(LENGTHS, (False, True)), 0.5), of_each=200)
    assert not any(one.wide for one in found.bins)
