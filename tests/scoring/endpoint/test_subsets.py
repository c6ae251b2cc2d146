"""Subsets of a release: allocation, spread, and estimates that are honest about their error."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.subsets import LEAST, neyman_allocation, precision, subset_of
from scoring.intervals import estimate, mean_interval
from scoring.releases.design import design_of
from tests.support.endpoint_runs import bare_question

OFFICIAL = {task.id: task.examples for task in TASKS.values()}
PLANS = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.integers(0, 30), st.floats(0, 0.5)),
    min_size=1,
)


def official_release() -> list[ReleaseQuestion]:
    """A release with as many questions of each task as the official data."""
    return [
        bare_question(task, key, f"{task} {key % 40}", depth=key % 7 / 7)._replace(
            tokens=1_000 + (key * 7_919) % 997
        )
        for task, size in OFFICIAL.items()
        for key in range(size)
    ]


@given(PLANS, st.integers(0, 200))
def test_an_allocation_is_full_and_keeps_its_bounds(
    plan: dict[str, tuple[int, float]], n: int
) -> None:
    sizes = {task: size for task, (size, _) in plan.items()}
    found = neyman_allocation(sizes, {task: one for task, (_, one) in plan.items()}, n)
    assert sum(found.values()) == min(n, sum(sizes.values()))
    assert all(found[task] <= size for task, size in sizes.items())
    if n >= sum(min(size, LEAST) for size in sizes.values()):
        assert all(found[task] >= min(size, LEAST) for task, size in sizes.items())
    else:
        full = max(found.values())
        assert all(found[task] >= min(size, full - 1) for task, size in sizes.items())


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(1, 7), st.floats(0.01, 0.5)), min_size=1, max_size=3),
    st.integers(3, 18),
)
def test_no_other_allocation_has_a_smaller_variance(plan: list[tuple[int, float]], n: int) -> None:
    sizes = {str(index): size for index, (size, _) in enumerate(plan)}
    deviations = {str(index): one for index, (_, one) in enumerate(plan)}
    n = max(len(plan), min(n, sum(sizes.values())))

    def variance(counts: tuple[int, ...]) -> float:
        return sum(one**2 / k for one, k in zip(deviations.values(), counts, strict=True))

    found = neyman_allocation(sizes, deviations, n, least=1)
    ranges = [range(1, size + 1) for size in sizes.values()]
    best = min(variance(counts) for counts in product(*ranges) if sum(counts) == n)
    assert variance(tuple(found.values())) == pytest.approx(best)


def test_the_smoke_subset_is_the_shortest_question_of_each_task() -> None:
    release = official_release()
    found = subset_of(release, "smoke", seed=1)
    assert [one.task for one in found] == list(TASKS)
    for one in found:
        assert one.tokens == min(each.tokens or 0 for each in release if each.task == one.task)
    assert subset_of(release, "smoke", seed=2) == found
    two_tasks = [one for one in release if one.task in ("passkey", "math_calc")]
    assert Counter(one.task for one in subset_of(two_tasks, "smoke", 1)) == {
        "passkey": 6, "math_calc": 6,
    }  # fmt: skip
    assert len(subset_of(two_tasks[:5], "smoke", 1)) == 5


def test_a_sample_is_the_same_for_the_same_seed_and_spread_over_depths_and_lengths() -> None:
    release = official_release()
    found = subset_of(release, 200, seed=3)
    assert found == subset_of(list(release), 200, seed=3) != subset_of(release, 200, seed=4)
    assert len(found) == len(set(found)) == 200
    assert subset_of(release, 10_000, seed=3) == subset_of(release, "all", 3) == release
    keys = [one for one in subset_of(release, 1_000, seed=3) if one.task == "kv_retrieval"]
    depths = Counter(one.facets.depth for one in keys)
    assert max(depths.values()) - min(depths.values()) <= 6  # as by chance: 2 √20 either way
    fifths = Counter((one.tokens or 0) // 200 for one in keys)
    assert max(fifths.values()) - min(fifths.values()) <= 3


def test_every_question_of_a_task_has_the_same_chance() -> None:
    release = [bare_question("passkey", key, str(key), depth=key / 10) for key in range(10)]
    counts = Counter(one.key for seed in range(2_000) for one in subset_of(release, 4, seed))
    assert set(counts) == set(range(10))
    assert all(abs(count - 800) < 4 * math.sqrt(2_000 * 0.24) for count in counts.values())


def test_200_questions_of_the_official_release_tell_models_apart_that_differ_by_5_points() -> None:
    chosen = Counter(one.task for one in subset_of(official_release(), 200, seed=1))
    told = precision(chosen)
    assert 4.5 < told.difference <= 5
    assert 3 <= told.half_width <= 4
    assert precision(Counter({task: 4 * n for task, n in chosen.items()})).half_width == (
        pytest.approx(told.half_width / 2)
    )


def test_a_sample_is_unbiased_and_its_interval_holds_the_score_of_the_whole_release() -> None:
    """Tasks of different difficulty, with more failures in the middle and in long texts."""
    random = Random(20261123)
    tasks = (
        "passkey",
        "kv_retrieval",
        "code_run",
        "math_find",
        "code_debug",
        "longbook_choice_eng",
    )
    release, scores = [], {}
    for place, task in enumerate(tasks):
        for key in range(300):
            depth, length = random.random(), random.choice((8, 32, 128))
            one = bare_question(task, key, f"{task} {key}", depth=depth, target_tokens=length)
            share = 0.1 + 0.14 * place - 0.4 * depth * (1 - depth) + (0.1 if length == 8 else 0)
            release.append(one)
            scores[task, one.key] = float(random.random() < share)
    truth = 100 * fmean(scores.values())  # with equally many questions: the mean over tasks
    means, held = [], 0
    for seed in range(300):
        chosen = subset_of(release, 150, seed)
        estimates = []
        for task in tasks:
            asked = [one for one in chosen if one.task == task]
            values = [scores[task, one.key] for one in asked]
            design = design_of(TASKS[task], ((one.text, one.facets) for one in asked))
            found = estimate(TASKS[task], values, design)
            assert found
            estimates.append(found)
        interval = mean_interval(estimates)
        assert interval
        means.append(fmean(one.mean for one in estimates))
        held += interval.low <= truth <= interval.high
    spread = math.sqrt(fmean((mean - truth) ** 2 for mean in means))
    assert abs(fmean(means) - truth) < 3 * spread / math.sqrt(300)
    assert held >= 0.93 * 300


def test_a_run_does_not_go_on_with_another_subset() -> None:
    first = RunSettings("https://example.org/v1", "m", subset=200)
    assert replace(first, subset="smoke").what_decides() != first.what_decides()
