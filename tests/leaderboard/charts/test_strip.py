"""All entries of a board as a strip: the positions of marks, and the finding."""

import pytest

from leaderboard.charts.strip import Scored, strip_finding, strip_of
from leaderboard.entries import Mark


def scored(percent: float, *, half: float = 2.0, may_be_first: bool | None = None) -> Scored:
    interval = (max(0.0, percent - half), min(100.0, percent + half))
    return Scored(
        "id", f"Model {percent}", Mark.SCORED, percent, f"{percent:.1f}", interval, "", may_be_first
    )


def test_marks_lie_on_one_axis_the_best_on_top() -> None:
    entries = [scored(100), scored(50), scored(0)]
    strip = strip_of(entries, guesses=[("chance", 25)])
    best, middle, worst = strip.marks
    axis = {tick.label: tick.at for tick in strip.scores}
    assert (worst.score, middle.score, best.score) == (axis["0"], axis["50"], axis["100"])
    assert best.y < middle.y < worst.y < strip.bottom <= strip.height
    assert middle.low is not None
    assert middle.high is not None
    assert middle.score - middle.low == pytest.approx(middle.high - middle.score, abs=0.11)
    assert strip.guesses[0].at == axis["25"]


def test_a_score_without_an_interval_has_no_whisker() -> None:
    [mark] = strip_of([scored(50)._replace(interval=None)], guesses=[]).marks
    assert (mark.low, mark.high) == (None, None)


def test_a_thousand_entries_take_little_more_room_than_a_few() -> None:
    few = strip_of([scored(50)], guesses=[])
    many = strip_of([scored(50)], [40.0] * 1_000, guesses=[])
    assert many.height - few.height <= 200
    assert many.rest.count("M") == 1_000


@pytest.mark.parametrize(
    ("entries", "guess", "finding"),
    [
        ([scored(50)], None, "Model 50 has the highest score (50.0 %)"),
        ([scored(50, may_be_first=True), scored(49, may_be_first=True)], None,
         "2 of 2 entries may be first"),
        ([scored(50, may_be_first=True), scored(9, may_be_first=False)], None,
         "Model 50 is significantly better than all others (50.0 %)"),
        ([scored(50), scored(26)], 25,
         "Model 50 has the highest score (50.0 %); 1 of 2 is not shown to be better than guessing"),
        ([scored(50), scored(30)], 25, "Model 50 has the highest score (50.0 %)"),
    ],
)  # fmt: skip
def test_the_finding_says_who_is_first_and_who_may_have_guessed(
    entries: list[Scored], guess: float | None, finding: str
) -> None:
    assert strip_finding(entries, len(entries), guess) == finding
