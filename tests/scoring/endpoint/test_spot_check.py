"""Spot checks: which answers agree, which questions are asked, how often a verdict is wrong."""

import math
from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from scoring.endpoint.spot_check import (
    ALPHA,
    BETA,
    COMPARED,
    LEAST_P0,
    MOST,
    P1,
    SpotTest,
    Verdict,
    answer_to_compare,
    spot_sample,
)
from scoring.labels import Label
from scoring.metrics import Question
from tests.tools.spot_checks import MODELS, checks_of, read_answers

SEEDS = 1_000


@pytest.mark.parametrize("p0", [LEAST_P0, 0.85, 0.9, 0.95, 1.0])
def test_wrong_verdicts_are_as_rare_as_promised(p0: float) -> None:
    test = SpotTest(p0)
    errors = test.errors
    assert errors.alpha <= ALPHA
    assert errors.beta <= BETA
    at_p0, at_p1 = (
        Counter(
            test.verdict([random.random() < share for _ in range(MOST)])
            for random in map(Random, range(SEEDS))
        )
        for share in (min(p0, 0.95), P1)
    )
    for counts, wrong, expected in (
        (at_p0, Verdict.DISAGREES, errors.alpha),
        (at_p1, Verdict.AGREES, errors.beta),
    ):
        reach = 3 * math.sqrt(SEEDS * expected * (1 - expected)) + 1
        assert abs(counts[wrong] - SEEDS * expected) <= reach
        assert set(counts) <= {Verdict.AGREES, Verdict.DISAGREES}  # decided after 60 at the latest


def test_no_60_answers_could_tell_of_an_endpoint_that_repeats_80_percent() -> None:
    """By Neyman and Pearson, the test that looks at all 60 answers is the most powerful one."""
    kept = [
        last
        for last in range(MOST)
        if binom.cdf(last, MOST, 0.8) <= ALPHA and binom.sf(last, MOST, P1) <= BETA
    ]
    assert kept == []
    assert SpotTest(0.8).verdict([True] * MOST) is Verdict.CANNOT_TELL


@given(st.lists(st.booleans(), max_size=MOST), st.floats(LEAST_P0, 1))
def test_what_comes_after_a_verdict_does_not_change_it(outcomes: list[bool], p0: float) -> None:
    verdicts = [SpotTest(p0).verdict(outcomes[:n]) for n in range(len(outcomes) + 1)]
    decided = [one for one in verdicts if one is not Verdict.OPEN]
    assert len(set(decided)) <= 1
    assert verdicts[: len(verdicts) - len(decided)] == [Verdict.OPEN] * (
        len(verdicts) - len(decided)
    )
    assert len(decided) == 0 or len(verdicts) - len(decided) >= len(COMPARED)


@pytest.mark.parametrize(
    ("task", "label", "one", "other", "agree"),
    [
        ("passkey", "1", "The pass key is 71432.", "71432", True),
        ("passkey", "1", "71432", "71433", False),
        ("kv_retrieval", "x", "no idea", "none", None),
        ("code_run", 5, "The result is 7.", "7.0", True),
        ("longbook_choice_eng", ("Red", "A"), "B. Blue", "Blue", True),
        ("longbook_choice_eng", ("Red", "A"), "A", "B", False),
        ("longbook_qa_eng", ("x",), "The old hall.", "old  Hall", True),
        ("longbook_qa_eng", ("x",), "the old hall", "the hall", False),
        ("math_calc", (1, 2, 3, 4), "1, 2, 9, 4", "[1, 2, 9]", True),
        ("math_calc", (1, 2, 3, 4), "1, 2, 3", "1, 2, 3, 4", False),
        ("math_calc", (1, 2, 3, 4), "", "none", None),
        ("longbook_sum_eng", ("x",), "a summary", "a summary", None),
    ],
)
def test_predictions_agree_when_their_answers_do(
    task: str, label: Label, one: str, other: str, agree: bool | None
) -> None:
    """None: there is no answer to compare."""
    question = Question(("Red", "Blue") if task == "longbook_choice_eng" else ())
    found = [answer_to_compare(task, text, label, question) for text in (one, other)]
    if agree is None:
        assert found == [None, None]
    else:
        assert None not in found
        assert (found[0] == found[1]) is agree


def test_questions_are_drawn_in_rounds_over_the_tasks_by_the_seed_alone() -> None:
    keys = {task: list(range(20)) for task in [*COMPARED, "longbook_sum_eng"]}
    sample = spot_sample(keys, b"head of the log")
    assert len(set(sample)) == MOST
    for start in range(0, MOST - len(COMPARED), len(COMPARED)):
        assert {task for task, _ in sample[start : start + len(COMPARED)]} == set(COMPARED)
    assert sample == spot_sample(dict(reversed(keys.items())), b"head of the log")
    assert sample != spot_sample(keys, b"another head")
    few = spot_sample({"passkey": [1, 2, 3], "math_find": [4]}, b"x")
    assert sorted(few) == [("math_find", 4), *(("passkey", key) for key in (1, 2, 3))]


@pytest.mark.slow
def test_no_released_model_passes_for_another(real_data: Path) -> None:
    """But each passes for itself."""
    answers = {model: read_answers(real_data / "results" / model) for model in MODELS}
    for file, endpoint in permutations(MODELS, 2):
        found = checks_of(answers[file], answers[endpoint], seeds=100)
        assert found.agreement < 0.4
        assert set(found.agrees.values()) == {0.0}
    assert set(checks_of(answers["kimi"], answers["kimi"], seeds=20).agrees.values()) == {1.0}
