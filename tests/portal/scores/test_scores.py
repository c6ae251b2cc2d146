"""A score and the mean of several, as shown to people."""

import math

import pytest

from portal.scores.scores import Score, mean_of, reported_score
from scoring.intervals import Interval


def test_a_mean_is_unweighted_and_counts_examples() -> None:
    scores = {"a": Score(10.0, size=10, answered=9), "b": Score(40.0, size=90)}
    assert mean_of("ab", scores) == Score(25.0, size=100)


def test_a_mean_of_disclosed_scores_has_one_decimal_place() -> None:
    """More would tell apart scores that are rounded to whole percent for that very reason."""
    rounded = {"a": Score(10.0, digits=0), "b": Score(10.0, digits=0), "c": Score(11.0, digits=0)}
    mean = mean_of("abc", rounded)
    assert mean
    assert mean.percent == 10.3


def test_without_one_of_its_tasks_there_is_no_mean() -> None:
    assert mean_of("ab", {"a": Score(10.0)}) is None
    assert mean_of("", {}) is None


def test_weights_move_the_mean_and_its_interval() -> None:
    scores = {
        "a": Score(10.0, interval=Interval(4.0, 16.0, "t"), covariances={"a": 9.0, "b": 0.0}),
        "b": Score(40.0, interval=Interval(32.0, 48.0, "t"), covariances={"a": 0.0, "b": 16.0}),
    }
    equal, weighted = mean_of("ab", scores), mean_of("ab", scores, {"a": 3.0})
    assert equal
    assert (equal.stderr, equal.interval) == (2.5, Interval(20.0, 30.0, "mover"))
    assert weighted
    assert weighted.percent == 17.5
    assert weighted.interval == pytest.approx(
        (17.5 - math.hypot(4.5, 2), 17.5 + math.hypot(4.5, 2), "mover")
    )


def test_without_an_interval_of_each_task_a_mean_has_none() -> None:
    scores = {"a": Score(10.0, interval=Interval(4.0, 16.0, "t")), "b": Score(40.0)}
    mean = mean_of("ab", scores)
    assert mean
    assert (mean.interval, mean.stderr) == (None, None)


def test_a_reported_score_has_the_interval_of_so_many_questions() -> None:
    score = reported_score("longbook_choice_eng", 67.25)
    assert score.interval
    assert (str(score.interval), score.interval.method) == ("60.9–73.0", "wilson-from-n")
