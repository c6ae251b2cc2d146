"""The statistics of questions, checked by hand and against a plain loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.item_analysis.items import (
    Disagreement,
    Floats,
    disagreement,
    discrimination,
    information,
    item_analysis,
)

NAN = float("nan")


def test_each_question_has_its_counts() -> None:
    items = item_analysis(
        np.array(
            [
                [1, 1, 0, 1, 0, NAN, 0.4],
                [1, 0, 0, 1, 1, NAN, 0.5],
                [1, 1, 0, NAN, 0, NAN, 0.0],
            ]
        )
    )
    assert items.answered.tolist() == [3, 3, 3, 2, 3, 0, 3]
    assert items.solved_by.tolist() == [3, 2, 0, 2, 1, 0, 1]
    assert items.only_failing.tolist() == [-1, 1, -1, -1, -1, -1, -1]
    assert items.only_solving.tolist() == [-1, -1, -1, -1, 1, -1, 1]
    assert items.everybody_solves.tolist() == [True, False, False, True, False, False, False]
    assert items.nobody_solves.tolist() == [False, False, True, False, False, False, False]
    expected = [0, 1 / 3, 1, 0, 2 / 3, NAN, 0.7]
    assert items.difficulty == pytest.approx(expected, nan_ok=True)


SCORES = st.lists(
    st.lists(st.sampled_from([0.0, 0.3, 1.0, NAN]), min_size=4, max_size=4), min_size=1, max_size=7
).map(np.array)


@given(SCORES)
def test_discrimination_is_the_correlation_with_the_mean_of_the_other_scores(
    scores: Floats,
) -> None:
    found = discrimination(scores)
    for question in range(scores.shape[1]):
        pairs = []
        for row in scores:
            others = np.delete(row, question)
            others = others[~np.isnan(others)]
            if not np.isnan(row[question]) and len(others):
                pairs.append((row[question], others.mean()))
        varies = len(pairs) >= 3 and all(np.ptp(one) > 1e-9 for one in zip(*pairs, strict=True))
        expected = np.corrcoef(np.array(pairs).T)[0, 1] if varies else NAN
        assert found[question] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_no_entry_and_no_question_have_statistics_without_a_warning() -> None:
    assert item_analysis(np.empty((0, 3))).answered.tolist() == [0, 0, 0]
    assert item_analysis(np.empty((2, 0))).difficulty.tolist() == []


def test_metric_sets_disagree_by_range_and_by_share_of_entries() -> None:
    scores = np.array([[[1, 0, 0.2], [1, NAN, 0.4]], [[0, 0, 0.6], [1, NAN, 0.4]]])
    found = disagreement(scores)
    assert found.range == pytest.approx([0.5, 0, 0.2])
    assert found.share == pytest.approx([0.5, 0, 0.5])
    assert np.isnan(disagreement(scores[:, 1:]).share[1])


def test_a_reviewer_sees_first_what_parts_entries_the_scorers_or_the_text_and_the_label() -> None:
    good, bad = [1, 1, 1, 1, 1], [0, 1, 0, 1, 1]
    items = item_analysis(np.array([good, good, bad, bad]))
    none = Disagreement(np.zeros(5), np.zeros(5))
    nothing = np.zeros(5, dtype=bool)
    assert information(items, none, nothing).tolist() == pytest.approx([1, 0, 1, 0, 0])
    scorers = Disagreement(np.array([0, 0.3, 0, 0, NAN]), np.zeros(5))
    gold_missing = np.array([False, False, False, True, False])
    assert information(items, scorers, gold_missing) == pytest.approx([1, 0.3, 1, 1, 0])
