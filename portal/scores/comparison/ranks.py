"""The rank that a submission has, or would have, among the entries of a board.

The leaderboard computes boards, and the portal does not import it: ``settings.RANK_PREVIEW`` and
``settings.MOVE_PREVIEW`` name its functions.
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
    low: int | None = None  # for a published entry: the range of ranks that it may have
    high: int | None = None

    @property
    def text(self) -> str:
        """As on the board."""
        if self.low is None or self.low == self.high:
            return f"#{self.rank if self.low is None else self.low}"
        return f"{self.low}–{self.high}"


class RankPreview(NamedTuple):
    board: str  # the slug of the release whose board it is
    is_best: bool  # False: the board shows another entry of the same model and method
    overall: Rank | None  # None: tasks are missing
    tasks: Mapping[str, Rank]  # of tasks that others have too


Preview = Callable[[Submission, ByTask, str], RankPreview | None]


def preview_ranks(submission: Submission, scores: ByTask, metric_set: str) -> RankPreview | None:
    """The ranks among what the board shows at present; None if the release has no board."""
    preview: Preview = import_string(settings.RANK_PREVIEW)
    return preview(submission, scores, metric_set)


class Place(NamedTuple):
    """The place of an entry in a column of a board."""

    percent: float | None  # None: a task is missing
    rank: int | None


class Move(NamedTuple):
    """How the places of an entry would change."""

    entry: str  # its id
    title: str
    task: tuple[Place, Place]  # before and after
    overall: tuple[Place, Place]


MovePreview = Callable[[str, str, str, Mapping[str, float]], list[Move]]


def preview_moves(
    release: str, metric_set: str, task: str, percents: Mapping[str, float]
) -> list[Move]:
    """How a board would change if the entries with these ids had these scores in the task: each
    entry whose score or rank changes, and each of ``percents``, in the order that they would
    have."""
    preview: MovePreview = import_string(settings.MOVE_PREVIEW)
    return preview(release, metric_set, task, percents)
