"""A score, and the mean of several, as people may read them."""

import pytest

from portal.scores.scores import Score, mean_of


def test_a_mean_is_unweighted_and_counts_examples() -> None:
    scores = {"a": Score(10.0, 3.0, size=10, answered=9), "b": Score(40.0, 4.0, size=90)}
    assert mean_of("ab", scores) == Score(25.0, 2.5, size=100)


def test_without_one_of_its_tasks_there_is_no_mean() -> None:
    assert mean_of("ab", {"a": Score(10.0)}) is None
    assert mean_of("", {}) is None


@pytest.mark.parametrize(
    ("score", "interval"),
    [
        (Score(50.0, 10.0), (30.4, 69.6)),
        (Score(99.0, 10.0), (79.4, 100.0)),
        (Score(50.0), None),
    ],
)
def test_an_interval_stays_within_what_a_score_can_be(
    score: Score, interval: tuple[float, float] | None
) -> None:
    assert score.interval == (pytest.approx(interval, abs=0.01) if interval else None)
