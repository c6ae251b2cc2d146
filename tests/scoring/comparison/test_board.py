"""Which entries of a board can be told apart, and the range of ranks of each."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.comparison.board import Board, ColumnRanks
from scoring.comparison.cohorts import Cohort, TaskScores
from scoring.comparison.pairs import compare
from scoring.comparison.vectors import Layout, TaskVector
from scoring.distributions import binomial_two_sided, t_two_sided
from tests.scoring.comparison.entries import clustered_scores, vector

Entries = dict[str, dict[str, TaskVector]]
COLUMNS = {"right": {"right": 1.0}, "f1": {"f1": 1.0}, "mean": {"right": 1.0, "f1": 1.0}}


def world(seed: int, models: int, spread: float = 0.3) -> Entries:
    """Entries of different strength: a task of right answers, and one of F1 on shared texts."""
    random = np.random.default_rng(seed)
    texts = np.repeat(np.arange(1000, 1040), 3)
    strengths = random.normal(0.5, spread, models)
    return {
        f"model {i}": {
            "right": vector((random.random(150) < strength).astype(float)),
            "f1": vector(
                np.clip(random.normal(strength, 0.3, 120), 0, 1), texts, first=500, fractional=True
            ),
        }
        for i, strength in enumerate(strengths)
    }


def ranges(ranks: ColumnRanks[str]) -> dict[str, tuple[int, int, float]]:
    columns = (ranks.rank_low.tolist(), ranks.rank_high.tolist(), ranks.means.tolist())
    return dict(zip(ranks.entries, zip(*columns, strict=True), strict=True))


def assert_same(one: ColumnRanks[str], other: ColumnRanks[str]) -> None:
    assert ranges(one) == ranges(other)
    assert one[5:] == other[5:]


def test_two_entries_are_told_apart_where_their_comparison_is_significant() -> None:
    # With two entries there is one pair, and nothing to correct for.
    entries = world(1, models=30, spread=0.15)
    for first, second in zip(list(entries)[::2], list(entries)[1::2], strict=True):
        pair = {name: entries[name] for name in (first, second)}
        board = Board(pair, COLUMNS)
        for column, weights in COLUMNS.items():
            found = compare(pair[first], pair[second], weights)
            assert board.ranks(column).apart()[0, 1] == (found.p <= 0.05)


@pytest.mark.parametrize("strata", [1, 5])
@pytest.mark.parametrize("spread", [0.02, 0.3])
def test_the_t_of_a_pair_on_a_board_has_the_p_of_the_comparison(strata: int, spread: float) -> None:
    random = np.random.default_rng(12)
    designed = np.arange(150) % strata
    base = (random.random(150) < 0.6).astype(float)  # few questions differ at a small spread
    rows = [np.where(random.random(150) < spread, 1 - base, base) for _ in range(12)]
    vectors = [vector(row, strata=designed) for row in [*rows, np.ones(150), np.zeros(150)]]
    scores = TaskScores.of(
        Layout.of(vectors[0])[1], [one.scores[Layout.of(one)[0]] for one in vectors], False
    )
    cohort = Cohort.of([scores], [1.0], np.arange(14)[None, :], np.arange(14))
    t, errors = cohort.statistics(cohort)
    for i, j in combinations(range(14), 2):
        found = compare({"task": vectors[i]}, {"task": vectors[j]}, {"task": 1})
        assert t_two_sided(t[i, j], cohort.df) == pytest.approx(found.p, rel=1e-7, abs=1e-12)
        assert np.sign(t[i, j]) in (0, np.sign(found.difference))
        assert 100 * errors[i, j] == pytest.approx(found.error)
        b, c = (int(np.sum(vectors[x].scores > vectors[y].scores)) for x, y in ((i, j), (j, i)))
        exact = b + c < 25
        assert found.test == ("mcnemar-exact" if exact else "paired-t")
        if exact:
            assert found.p == pytest.approx(binomial_two_sided(b, b + c))


def test_above_100_entries_only_holm_is_used() -> None:
    entries = {i: {"task": vector([1, 0, 1])} for i in range(101)}
    board = Board(entries, {"task": {"task": 1}})
    assert board.ranks("task").method == "holm"


def test_ranks_count_those_significantly_better_and_worse() -> None:
    random = np.random.default_rng(3)
    strengths = [0.95, 0.5, 0.5, 0.05]
    entries = {
        i: {"right": vector((random.random(200) < strength).astype(float))}
        for i, strength in enumerate(strengths)
    }
    ranks = Board(entries, {"right": {"right": 1}}).ranks("right")
    assert ranks.rank_low.tolist() == [1, 2, 2, 4]
    assert ranks.rank_high.tolist() == [1, 3, 3, 4]
    assert ranks.apart().tolist()[1] == [True, False, False, True]


def test_the_order_and_names_of_entries_change_nothing() -> None:
    entries = world(4, models=25)
    backwards = dict(reversed(entries.items()))
    for column in COLUMNS:
        assert_same(Board(entries, COLUMNS).ranks(column), Board(backwards, COLUMNS).ranks(column))


def test_the_order_of_equal_scores_on_other_questions_changes_nothing() -> None:
    right = {"right": {"right": 1.0}}
    entries: Entries = {
        "two": {"right": vector([1, 1, 0])},
        "the same of other questions": {"right": vector([1, 1, 0], first=10)},
        "none": {"right": vector([0, 0, 0])},
        "some": {"right": vector([1, 0, 1, 0, 0])},
    }
    for order in permutations(entries):
        ranks = Board({name: entries[name] for name in order}, right).ranks("right")
        assert_same(ranks, Board(entries, right).ranks("right"))


def test_a_copy_is_never_told_apart_and_has_the_same_ranks() -> None:
    entries = world(5, models=20)
    entries["copy"] = dict(entries["model 3"])
    for column in COLUMNS:
        ranks = Board(entries, COLUMNS).ranks(column)
        assert not ranks.apart()[3, 20]
        found = ranges(ranks)
        assert found["copy"] == found["model 3"]


@pytest.mark.parametrize("models", [1, 2, 12, 105])
def test_an_entry_that_is_added_gives_the_same_board(models: int) -> None:
    entries = world(6, models + 2)
    names = list(entries)
    board = Board({name: entries[name] for name in names[:-2]}, COLUMNS)
    grown = board.with_entry(names[-2], entries[names[-2]])
    sibling = board.with_entry(names[-1], entries[names[-1]])
    both = grown.with_entry(names[-1], entries[names[-1]])
    for column in COLUMNS:
        assert_same(both.ranks(column), Board(entries, COLUMNS).ranks(column))
        others = {name: entries[name] for name in (*names[:-2], names[-1])}
        assert_same(sibling.ranks(column), Board(others, COLUMNS).ranks(column))
        assert board.ranks(column).entries == tuple(names[:-2])


def test_an_entry_with_other_questions_shares_what_is_equal() -> None:
    entries = world(7, models=6)
    random = np.random.default_rng(70)
    entries["other"] = {"right": vector(random.integers(0, 2, 150), first=75)}
    board = Board(entries, COLUMNS)
    assert "other" not in board.ranks("mean").entries
    pairs = {"a": entries["model 0"], "b": entries["other"]}
    ranks = Board(pairs, {"right": {"right": 1}}).ranks("right")
    found = compare(pairs["a"], pairs["b"], {"right": 1})
    assert found.unpaired == 150
    assert ranks.apart()[0, 1] == (found.p <= 0.05)
    first, *rest = entries.items()
    grown = Board(dict([first]), COLUMNS)
    for name, entry in rest:
        grown = grown.with_entry(name, entry)
    for column in COLUMNS:
        assert_same(board.ranks(column), grown.ranks(column))


def test_the_smallest_difference_is_that_of_neighbours() -> None:
    entries = world(8, models=3)
    ranks = Board(entries, COLUMNS).ranks("f1")
    best, middle, worst = (list(entries)[i] for i in np.argsort(-ranks.means))
    errors = [
        compare(entries[a], entries[b], {"f1": 1}).error
        for a, b in ((best, middle), (middle, worst))
    ]
    assert ranks.smallest_difference == pytest.approx(2.8016 * np.mean(errors), rel=1e-4)


def test_a_board_of_one_entry_or_none_has_no_pairs() -> None:
    board = Board(world(9, models=1), COLUMNS)
    assert ranges(board.ranks("mean"))["model 0"][:2] == (1, 1)
    assert board.ranks("mean").smallest_difference is None
    assert Board[str]({}, COLUMNS).ranks("mean").entries == ()


def test_an_entry_is_added_once() -> None:
    entries = world(10, models=2)
    with pytest.raises(ValueError, match="already"):
        Board(entries, COLUMNS).with_entry("model 0", entries["model 0"])


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.integers(0, 1), min_size=12, max_size=12), min_size=1, max_size=8))
def test_ranks_hold_the_plain_rank(rows: list[list[int]]) -> None:
    entries = {i: {"right": vector(row)} for i, row in enumerate(rows)}
    ranks = Board(entries, {"right": {"right": 1}}).ranks("right")
    k, means = len(rows), ranks.means
    above = (means[:, None] > means).sum(axis=0)
    below = (means[:, None] < means).sum(axis=0)
    assert np.all((ranks.rank_low >= 1) & (ranks.rank_high <= k))
    assert np.all((ranks.rank_low <= 1 + above) & (ranks.rank_high >= k - below))
    assert not np.any(ranks.better & (means[:, None] <= means))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "questions", "rho"),
    [(60, 5, 0.1), (15, 8, 0.3), (150, 1, 0), (40, range(1, 12), 0.2)],
)
def test_equal_models_are_rarely_told_apart(texts: int, questions: int | range, rho: float) -> None:
    # On at most 5 % of boards is even one pair of twenty equally good models told apart.
    random = np.random.default_rng(11)
    wrong, boards = 0, 150
    for seed in range(boards):
        scores, codes = clustered_scores(random, 20, texts, questions, share=0.5, rho=rho)
        entries = {i: {"task": vector(row, codes)} for i, row in enumerate(scores)}
        ranks = Board(entries, {"task": {"task": 1}}).ranks("task", seed)
        wrong += bool(ranks.better.any())
    assert wrong / boards <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / boards)
