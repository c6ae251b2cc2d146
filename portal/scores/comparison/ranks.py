"""The rank that a submission has, or would have, among the entries of a board.

The leaderboard computes boards, and the portal does not import it: ``settings.RANK_PREVIEW`` names
its function.
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
