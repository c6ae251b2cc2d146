"""The Ladder rule: what an author sees of a score on a hidden release, so that repeated
submissions reveal no labels.

Every exact score reveals something of the labels: of 20 questions with four options, 28 random
files reveal them all. So a new score is disclosed only where it beats the best score that its owner
has seen by more than chance (``scoring.stats.is_significantly_better``); otherwise that best score
is shown again.
The best is kept for each owner, data set and metric set, and survives withdrawal and deletion.

A published submission shows its own score, or else a weaker second language model would stand on
the board with the score of the first. A reviewer decides how often that happens.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from portal.models import (
    SCORE_COLUMNS,
    BestDisclosedScore,
    Evaluation,
    Submission,
    SubmissionState,
    TaskScore,
)
from portal.scores.disclosure import rounded_score
from scoring.stats import is_significantly_better, mean_percent

Column = Sequence[float | None]  # the scores of a task under one metric set, in order
Columns = Mapping[str, Mapping[str, Column]]  # by task and metric set
_Key = tuple[str, str]  # task, metric set

_ON_BOARD = (SubmissionState.PUBLISHED, SubmissionState.HIDDEN)


def apply_ladder(evaluation: Evaluation, rows: Sequence[TaskScore], columns: Columns) -> None:
    """Set the public percentages of scores that are about to be stored, in the same transaction.

    Locks the owner's best scores on these data until it ends. A submission that is scored again
    with the same result shows the same percentages.
    """
    submission = evaluation.submission
    if not submission.release.hidden:
        return
    own = submission.state in _ON_BOARD
    best = _lock_best_scores(submission, rows)
    disclosed = TaskScore.objects.filter(
        evaluation__submission=submission, public_percent__isnull=False
    )
    newest = {_key(row): row for row in disclosed.order_by("evaluation")}
    for row in rows:
        earlier = newest.get(_key(row))
        if earlier and (earlier.mean, earlier.data_set_id) == (row.mean, row.data_set_id):
            row.public_percent = earlier.public_percent
            row.is_previous_best = earlier.is_previous_best
        else:
            _disclose(row, columns[row.task][row.metric_set], best[_key(row)], own=own)


def disclose_own_scores(submission: Submission) -> None:
    """Show the submission's own scores from now on, since it is published. Call it first in the
    transaction that publishes: ``portal.board_version`` is locked last."""
    evaluation = submission.evaluations.scored().first()
    if evaluation is None or not submission.release.hidden:
        return
    rows = list(evaluation.task_scores.select_related("data_set"))
    columns = _stored_columns(evaluation)
    best = _lock_best_scores(submission, rows)
    for row in rows:
        _disclose(row, columns[row.task][row.metric_set], best[_key(row)], own=True)
    TaskScore.objects.bulk_update(rows, ["public_percent", "is_previous_best"])


def _disclose(row: TaskScore, column: Column, best: BestDisclosedScore, *, own: bool) -> None:
    """Decide for one score; ``own``: whatever the best is. A new best is stored."""
    row.public_percent = rounded_score(row.mean, answered=row.answered, size=row.size)
    row.is_previous_best = False
    if row.public_percent is None:
        return
    scores = [score or 0.0 for score in column]  # a missing prediction counts 0
    if not own and best.scores and not is_significantly_better(scores, best.scores):
        row.public_percent, row.is_previous_best = best.percent, True
        return
    known = mean_percent(best.scores)  # a published score may be lower
    if best.owner_id and (known is None or (mean_percent(scores) or 0.0) > known):
        best.percent, best.scores = row.public_percent, scores
        best.save(update_fields=["percent", "scores"])


def _lock_best_scores(
    submission: Submission, rows: Iterable[TaskScore]
) -> dict[_Key, BestDisclosedScore]:
    """The owner's best disclosed scores, created where missing, and locked in one order, so that
    concurrent evaluations wait for each other and do not deadlock."""
    owner_id: Any = submission.owner_id  # None is not stored
    fresh = [
        BestDisclosedScore(
            owner_id=owner_id,
            labels_hash=row.data_set.labels_hash,
            task=row.data_set.task,
            metric_set=row.metric_set,
        )
        for row in rows
    ]
    if owner_id is None:  # the site's own: no author to keep anything from
        return {_key(one): one for one in fresh}
    hashes = {one.labels_hash for one in fresh}
    fresh.sort(key=attrgetter("task", "metric_set"))
    BestDisclosedScore.objects.bulk_create(fresh, ignore_conflicts=True)
    known = BestDisclosedScore.objects.filter(owner=owner_id, labels_hash__in=hashes)
    return {_key(one): one for one in known.order_by("pk").select_for_update()}


def _key(row: TaskScore | BestDisclosedScore) -> _Key:
    return row.task, row.metric_set


def _stored_columns(evaluation: Evaluation) -> Columns:
    names = list(SCORE_COLUMNS.values())
    found: dict[str, dict[str, list[float | None]]] = {}
    rows = evaluation.example_results.order_by("task", "index").values_list("task", *names)
    for task, *scores in rows.iterator():
        columns = found.setdefault(task, {name: [] for name in SCORE_COLUMNS})
        for column, score in zip(columns.values(), scores, strict=True):
            column.append(score)
    return found
