"""The rank that a submission has, or would have, among the entries of a board.

Boards are read by the leaderboard, which the portal does not import: ``settings.RANK_PREVIEW`` and
``settings.MOVE_PREVIEW`` name the functions.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.conf import settings
from django.utils.module_loading import import_string

from portal.models import Submission
from portal.scores.scores import ByTask


class Rank(NamedTuple):
    rank: int
    ranked: int  # number of entries with a rank, this one included
    low: int | None = None  # of a published entry: the ranks that it cannot be told apart from
    high: int | None = None

    @property
    def text(self) -> str:
        """As on the board."""
        if self.low is None or self.low == self.high:
            return f"#{self.rank if self.low is None else self.low}"
        return f"{self.low}–{self.high}"


class RankPreview(NamedTuple):
    board: str  # the slug of the release whose board it is
    is_best: bool  # False: another entry of the same model and method is shown instead
    overall: Rank | None  # None: tasks are missing
    tasks: Mapping[str, Rank]  # of tasks that others have too


Preview = Callable[[Submission, ByTask, str], RankPreview | None]


def preview_ranks(submission: Submission, scores: ByTask, metric_set: str) -> RankPreview | None:
    """Among what the board shows now; None if the release has no board."""
    preview: Preview = import_string(settings.RANK_PREVIEW)
    return preview(submission, scores, metric_set)


class Place(NamedTuple):
    """Of an entry in a column of a board."""

    percent: float | None  # None: a task is missing
    rank: int | None


class Move(NamedTuple):
    """What would become of an entry."""

    entry: str  # its id
    title: str
    task: tuple[Place, Place]  # before and after
    overall: tuple[Place, Place]


MovePreview = Callable[[str, str, str, Mapping[str, float]], list[Move]]


def preview_moves(
    release: str, metric_set: str, task: str, percents: Mapping[str, float]
) -> list[Move]:
    """What would become of the entries of a board if those with these ids had these scores in the
    task, those first that would lead: each entry whose own score or rank is another then, and each
    of ``percents``."""
    preview: MovePreview = import_string(settings.MOVE_PREVIEW)
    return preview(release, metric_set, task, percents)
