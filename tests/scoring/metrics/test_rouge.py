"""ROUGE-Lsum is the package's, bit for bit."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.metrics.rouge import rouge_lsum


@cache
def package() -> Any:
    """The official scorer's; a second to load."""
    from rouge_score import rouge_scorer

    return rouge_scorer.RougeScorer(["rougeLsum"])


# Few words and many line ends: implementations differ in ties between equally long subsequences.
WORDS = st.text("ab c1\n.É", max_size=60)


@settings(max_examples=500)
@given(prediction=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
def test_any_text_gives_the_package_s_bits(prediction: str, references: list[str]) -> None:
    expected = package().score_multi(references, prediction)["rougeLsum"].fmeasure
    assert rouge_lsum(prediction, references).f_measure == expected


@given(prediction=st.text(max_size=200), reference=st.text(max_size=200))
def test_any_unicode_gives_the_package_s_bits(prediction: str, reference: str) -> None:
    expected = package().score(reference, prediction)["rougeLsum"].fmeasure
    assert rouge_lsum(prediction, [reference]).f_measure == expected


@pytest.mark.parametrize("prediction", ["", "\n\n", "…", "猫"])
def test_a_summary_without_words_scores_nothing(prediction: str) -> None:
    assert rouge_lsum(prediction, ["a b"]).f_measure == 0.0


def test_no_reference_scores_nothing() -> None:
    assert rouge_lsum("a b", []).f_measure == 0.0
