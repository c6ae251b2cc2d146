"""Bins by length, depth, hops and kind: known values, and what always holds."""

import json
import math
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import KIND_ORDER, LEAST, quantile_groups
from scoring.breakdowns.breakdown import By, Method, break_down, known_facets
from scoring.breakdowns.resampling import bootstrap_ratios
from scoring.catalog import FIND_KINDS, TASKS
from scoring.generators.haystack.bugs import BUGS
from scoring.generators.novel.questions import KINDS
from scoring.intervals import bootstrap_ratios as plain_ratios
from scoring.intervals import estimate
from scoring.releases.facets import Facets
from scoring.releases.official import FACTS
from tests.scoring.breakdowns.makers import answers

HOPS = [Facets(hops=hops) for hops in (4, 2, 4, 10)]


def official(data: Path, model: str, task: str) -> TaskAnswers:
    """Official scores of the released files, with the facets that follow from the ids."""
    scores = json.loads((data / "official_scores" / f"{model}.json").read_text())
    rows, facts = scores[task]["88b3daa"]["examples"], FACTS[task]
    facets = [
        Facets(
            depth=facts.depth(key) if facts.depth else None,
            hops=facts.hops(key) if facts.hops else None,
            kind=facts.kind(key) if facts.kind else "",
        )
        for key, _ in rows
    ]
    return answers([float(score or 0) for _, score in rows], facets, task=task)


@pytest.mark.parametrize(
    ("model", "task", "by", "means"),
    [
        ("kimi", "kv_retrieval", By.DEPTH, [2, 26, 30, 48, 44, 46, 74, 86, 80, 100]),
        ("gpt4", "code_run", By.HOPS, [63.75, 35, 7.5, 8.75, 1.25]),
        ("gpt4", "math_find", By.KIND, [100, 98, 44, 100, 52, 8, 18]),
    ],
)
def test_the_known_findings_of_the_released_files(
    real_data: Path, model: str, task: str, by: By, means: list[float]
) -> None:
    found = break_down(official(real_data, model, task), by)
    assert found
    assert [one.mean for one in found.bins] == pytest.approx(means)
    if by is By.DEPTH:
        assert found.position
        assert found.position.p < 0.001
    if by is By.KIND:
        assert [one.label for one in found.bins] == list(FIND_KINDS)


def test_where_all_are_right_no_position_matters(real_data: Path) -> None:
    found = break_down(official(real_data, "gpt4", "passkey"), By.DEPTH)
    assert found
    assert (found.position, found.n) == (None, 590)


def test_a_bin_says_what_it_is_made_of() -> None:
    given = answers([1.0, 0.0, 0.0, 0.0], HOPS, missing=[2], empty=[3])
    found = break_down(given, By.HOPS)
    assert found
    assert (found.method, found.unknown, found.n) == (Method.VALUES, 0, 4)
    assert [(one.label, one.start, one.end) for one in found.bins] == [
        ("2", 2, 2),
        ("4", 4, 4),
        ("10", 10, 10),
    ]
    assert [one.examples for one in found.bins] == [(1,), (0, 2), (3,)]
    assert [(one.mean, one.missing, one.empty) for one in found.bins] == [
        (0, 0, 0),
        (50, 1, 0),
        (0, 0, 1),
    ]


def test_examples_without_the_facet_are_left_out_and_counted() -> None:
    found = break_down(answers([1.0] * 5, [*HOPS, Facets()]), By.HOPS)
    assert found
    assert (found.n, found.unknown) == (4, 1)


def test_a_facet_that_is_not_known_has_no_breakdown() -> None:
    given = answers([1.0] * 4, HOPS)
    assert known_facets(given) == (By.HOPS,)
    assert [by for by in By if break_down(given, by)] == [By.HOPS]


def test_depths_are_in_equal_parts_of_which_some_are_empty() -> None:
    facets = [Facets(depth=depth) for depth in (0.0, 0.1, 0.199, 0.2, 1.0)]
    found = break_down(answers([1.0, 1.0, 0.0, 0.0, 1.0], facets), By.DEPTH)
    assert found
    assert [one.n for one in found.bins] == [1, 2, 1, 0, 0, 0, 0, 0, 0, 1]
    assert [one.mean for one in found.bins][:4] == [100.0, 50.0, 0.0, None]
    assert (found.bins[1].label, found.bins[1].start, found.bins[1].end) == ("0.1–0.2", 0.1, 0.2)
    assert found.bins[3].interval is None
    assert found.bins[3].wide


def test_kinds_come_as_the_generators_have_them() -> None:
    assert set(KIND_ORDER) == {*FIND_KINDS, *BUGS, *KINDS, "summary"}
    names = ["of our own", "2nd max", "median", "max", "any"]
    found = break_down(answers([1.0] * 5, [Facets(kind=kind) for kind in names]), By.KIND)
    assert found
    assert [one.label for one in found.bins] == ["max", "2nd max", "median", "any", "of our own"]
    assert found.bins[0].start is None


def test_lengths_that_were_found_are_in_quantiles() -> None:
    tokens = [1_000 * 2 ** (number // 10) for number in range(100)]
    found = break_down(answers([1.0] * 100, tokens=tokens), By.LENGTH, 4)
    assert found
    assert (found.method, [one.n for one in found.bins]) == (Method.QUANTILES, [30, 20, 30, 20])
    assert [(one.start, one.end) for one in found.bins][:2] == [(1_000, 4_000), (8_000, 16_000)]


def test_on_a_ladder_each_length_is_compared_with_the_shortest() -> None:
    """The interval of the difference is narrower than those of the two lengths."""
    random = Random(1)
    hard = [random.random() < 0.5 for _ in range(200)]
    scores, facets = [], []
    for length in (16_000, 4_000):
        for number in range(200):
            scores.append(float(not hard[number] and not (length > 4_000 and number % 6 == 0)))
            facets.append(Facets(target_tokens=length, ladder=number))
    found = break_down(answers(scores, facets), By.LENGTH)
    assert found
    short, long = found.bins
    assert (found.method, short.label, long.label) == (Method.TARGETS, "4K", "16K")
    assert short.paired is None
    assert long.paired
    assert long.mean is not None
    assert short.mean is not None
    assert long.paired.difference == pytest.approx(long.mean - short.mean)
    assert long.paired.n == 200
    assert long.paired.high < 0
    assert long.interval
    width = long.paired.high - long.paired.low
    assert width < 0.6 * (long.interval.high - long.interval.low)


def test_lengths_with_questions_of_their_own_are_not_paired() -> None:
    facets = [
        Facets(target_tokens=length, ladder=index)
        for index, length in enumerate([4_000] * 5 + [8_000] * 5)
    ]
    found = break_down(answers([1.0] * 10, facets), By.LENGTH)
    assert found
    assert [one.paired for one in found.bins] == [None, None]


FACETS = st.builds(
    Facets,
    target_tokens=st.none(),
    ladder=st.none(),
    depth=st.none() | st.floats(0, 1),
    hops=st.none() | st.integers(1, 5),
    kind=st.sampled_from(["", "max", "min", "other"]),
)
EXAMPLES = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0]),
        FACETS,
        st.none() | st.integers(1_000, 200_000),
        st.sampled_from(["", "a", "b", "c"]),
    ),
    min_size=1,
    max_size=80,
)


@given(EXAMPLES, st.integers(2, 20), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_what_holds_of_every_breakdown(
    rows: list[tuple[float, Facets, int | None, str]], parts: int, random: Random
) -> None:
    columns = list(zip(*rows, strict=True))
    order = list(range(len(rows)))
    random.shuffle(order)
    given, shuffled = (
        answers(*(tuple(column[i] for i in places) for column in columns[:2]),
                tokens=[columns[2][i] for i in places], texts=[columns[3][i] for i in places],
                missing=[place for place, i in enumerate(places) if i % 3 == 0])
        for places in (range(len(rows)), order)
    )  # fmt: skip
    for by in By:
        found, other = break_down(given, by, parts), break_down(shuffled, by, parts)
        assert (found is None) == (by not in known_facets(given))
        if found is None or other is None:
            continue
        indices = [index for one in found.bins for index in one.examples]
        assert len(indices) == len(set(indices)) == found.n  # each example is in one bin
        assert found.n + found.unknown == len(rows)
        total = math.fsum((one.mean or 0.0) * one.n for one in found.bins)
        assert total == pytest.approx(100 * math.fsum(rows[i][0] for i in indices))
        for one, same in zip(found.bins, other.bins, strict=True):
            assert (one.label, one.n, one.mean) == (same.label, same.n, same.mean)
            assert one.texts == same.texts
            assert one.interval == pytest.approx(same.interval, abs=1e-9)
            assert one.shrunk == pytest.approx(same.shrunk, abs=1e-9)
            assert one.n == 0 or one.estimate is not None
            assert one.missing == sum(index % 3 == 0 for index in one.examples)
        assert found.position == other.position


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(1, 20))
def test_quantiles_have_enough_examples_and_keep_equal_values_together(
    values: list[int], most: int
) -> None:
    groups = quantile_groups(dict(enumerate(values)), most)
    assert sorted(index for group in groups for index in group) == list(range(len(values)))
    assert len(groups) <= most
    assert len(groups) == 1 or all(len(group) >= LEAST for group in groups)
    ranges = [{values[index] for index in group} for group in groups]
    for before, after in pairwise(ranges):
        assert max(before) < min(after)


def test_the_interval_of_a_bin_is_that_of_its_questions() -> None:
    """With a whole task in one bin, its interval is that of the task."""
    random = Random(2)
    scores = [random.random() for _ in range(90)]
    texts = [f"text {number % 20}" for number in range(90)]
    given = answers(scores, tokens=[5_000] * 90, texts=texts, task="longbook_qa_eng")
    found = break_down(given, By.LENGTH)
    of_task = estimate(TASKS["longbook_qa_eng"], scores, given.design)
    assert found
    assert of_task
    [one] = found.bins
    assert one.mean == of_task.mean
    assert of_task.interval
    assert one.interval
    assert one.interval.method == of_task.interval.method == "cluster-bootstrap-t"
    assert one.interval[:2] == pytest.approx(of_task.interval[:2], abs=1e-9)
    assert one.texts == 20


@given(st.lists(st.tuples(st.integers(0, 64), st.integers(1, 9)), min_size=2, max_size=29))
@settings(max_examples=15)
def test_the_fast_bootstrap_is_the_plain_one(texts: list[tuple[int, int]]) -> None:
    clusters = [(size * share / 64, size) for share, size in texts]
    mean = sum(total for total, _ in clusters) / sum(size for _, size in clusters)
    fast, plain = bootstrap_ratios(clusters, mean), plain_ratios(clusters, mean)
    assert fast == pytest.approx(plain, rel=1e-6, abs=1e-6)
