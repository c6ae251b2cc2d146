"""The rank that a submission would get on a board."""

import pytest

from leaderboard.board.preview import preview_among
from leaderboard.entries import Entry, Mark
from leaderboard.queries import BoardRelease
from portal.scores.comparison.ranks import Rank, RankPreview
from portal.scores.scores import REPORTED_UNDER
from scoring.catalog import TASKS
from tests.support.factories import plain

RELEASE = BoardRelease(
    "hf", "Release", hidden=False, official=True, is_open=True, sizes=dict.fromkeys(TASKS, 4)
)
OTHERS = [plain(f"model {n}", dict.fromkeys(TASKS, n * 10.0)) for n in range(1, 5)]  # 10 … 40


def preview(own: Entry, others: list[Entry] = OTHERS) -> RankPreview:
    return preview_among(RELEASE, others, own, REPORTED_UNDER)


@pytest.mark.parametrize(("percent", "rank"), [(45, 1), (40, 1), (35, 2), (10, 4), (5, 5)])
def test_it_is_ranked_among_the_entries_and_itself(percent: float, rank: int) -> None:
    found = preview(plain("own", dict.fromkeys(TASKS, percent)))
    assert (found.overall, found.is_best) == (Rank(rank, 5), True)
    assert found.tasks["passkey"] == Rank(rank, 5)


def test_without_all_tasks_it_is_ranked_in_those_that_it_has() -> None:
    found = preview(plain("own", {"passkey": 35.0}))
    assert (found.overall, dict(found.tasks)) == (None, {"passkey": Rank(2, 5)})


def test_a_published_entry_has_the_rank_of_the_board() -> None:
    assert preview(OTHERS[2]).overall == Rank(2, 4)


def test_a_better_entry_of_the_same_model_stays() -> None:
    found = preview(plain("model 4", dict.fromkeys(TASKS, 35.0), id_="own"))
    assert (found.is_best, found.overall) == (False, None)


def test_a_reported_number_of_the_same_model_gives_way() -> None:
    others = [*OTHERS[:3], plain("model 4", dict.fromkeys(TASKS, 40.0), Mark.REPORTED)]
    found = preview(plain("model 4", dict.fromkeys(TASKS, 25.0), id_="own"), others)
    assert (found.is_best, found.overall) == (True, Rank(2, 4))


def test_a_task_that_nobody_else_has_is_not_ranked() -> None:
    assert dict(preview(plain("own", {"passkey": 35.0}), []).tasks) == {}
