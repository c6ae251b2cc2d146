"""The task scores of a submission, with the score of guessing and its rank in each task."""

from functools import lru_cache
from typing import NamedTuple

from portal.review.facts.summary import ReviewSummary
from portal.scores.comparison.ranks import Rank, preview_ranks
from portal.scores.documents.table import TaskRow
from portal.scores.questions.guessing import guessing
from portal.scores.scores import Score
from scoring.catalog import TASKS
from scoring.metrics import PAPER_SET


class TaskStanding(NamedTuple):
    row: TaskRow
    score: Score | None  # under the rules of the paper
    guess: float | None  # percent, by chance or with one answer to all questions; None: not known
    rank: Rank | None  # its actual or possible rank among published entries

    @property
    def is_no_better(self) -> bool:
        """Whether it is no better than guessing."""
        if self.score is None or self.guess is None:
            return False
        return self.score.percent <= self.guess


def task_standings(summary: ReviewSummary) -> list[TaskStanding]:
    """For the submitted tasks, in the order of boards. No ranks on a hidden release: they would
    compare with scores that are not disclosed."""
    submission = summary.submission
    release = submission.release
    scores = {row.id: row.scores[0] for row in summary.tasks}
    preview = None
    if scores and not release.hidden:
        known = {task: score for task, score in scores.items() if score}
        preview = preview_ranks(submission, known, PAPER_SET)
    data_sets = {one.task: one for one in release.data_sets.all()}
    return [
        TaskStanding(
            row,
            scores[row.id],
            _guess(release.slug, row.id, data_sets[row.id].labels_hash, release.hidden),
            preview.tasks.get(row.id) if preview else None,
        )
        for row in summary.tasks
    ]


@lru_cache(maxsize=256)
def _guess(release: str, task: str, _labels_hash: str, hidden: bool) -> float | None:
    """``_labels_hash`` tells data sets of the release apart."""
    return guessing(TASKS[task], release, PAPER_SET, hidden=hidden).most
