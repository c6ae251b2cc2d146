"""What an author is told of a hidden release, so that nobody climbs by handing in again and again.

Every exact score tells something of the labels: of 20 questions with four options, 28 random files
tell all of them. So a new score is told only where it beats the best that its owner was told before
by more than chance (``scoring.stats.beats``); or else that best again. What was told is kept for
each owner, data set and metric set, and stays when the submission is withdrawn or deleted.

What is published has its own score told, or else a weaker second language model would stand on the
board with the score of the first. A reviewer decides how often that is.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from portal.models import (
    SCORE_COLUMNS,
    Evaluation,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
    ToldScore,
)
from portal.scores.disclosure import guarded
from scoring.stats import beats, mean_percent

Column = Sequence[float | None]  # the scores of a task under one metric set, in order
Columns = Mapping[str, Mapping[str, Column]]  # by task and metric set
_Key = tuple[str, str]  # task, metric set

_ON_BOARD = (SubmissionState.PUBLISHED, SubmissionState.HIDDEN)


def decide_told(evaluation: Evaluation, rows: Sequence[TaskScore], columns: Columns) -> None:
    """Set what may be told of scores that are about to be stored, in the same transaction.

    Until it ends nothing else is told to this owner of these data. The same score of the same
    submission, scored again, tells the same.
    """
    submission = evaluation.submission
    if not submission.release.hidden:
        return
    own = submission.state in _ON_BOARD
    best = _locked_best(submission, rows)
    before = _told_before(submission)
    for row in rows:
        earlier = before.get(_key(row))
        if earlier and (earlier.mean, earlier.data_set_id) == (row.mean, row.data_set_id):
            row.told, row.told_again = earlier.told, earlier.told_again
        else:
            _decide(row, columns[row.task][row.metric_set], best[_key(row)], own=own)


def tell_own(submission: Submission) -> None:
    """Tell the submission's own scores from now on, since it is published: in the transaction that
    does it, and before anything else in it (``portal.board_version`` is locked last)."""
    evaluation = submission.evaluations.scored().first()
    if evaluation is None or not submission.release.hidden:
        return
    rows = list(evaluation.task_scores.select_related("data_set"))
    columns = _columns(evaluation)
    best = _locked_best(submission, rows)
    for row in rows:
        _decide(row, columns[row.task][row.metric_set], best[_key(row)], own=True)
    TaskScore.objects.bulk_update(rows, ["told", "told_again"])


def _decide(row: TaskScore, column: Column, best: ToldScore, *, own: bool) -> None:
    row.told = guarded(row.mean, answered=row.answered, size=row.size)
    row.told_again = False
    if row.told is None:
        return
    scores = [score or 0.0 for score in column]  # a missing prediction counts 0
    if own or not best.scores or beats(scores, best.scores):
        _keep(best, row.told, scores)
    else:
        row.told, row.told_again = best.percent, True


def _keep(best: ToldScore, percent: float, scores: list[float]) -> None:
    """As the best, if it is: what is published may be less."""
    known = mean_percent(best.scores)
    if best.owner_id and (known is None or (mean_percent(scores) or 0.0) > known):
        best.percent, best.scores = percent, scores
        best.save(update_fields=["percent", "scores"])


def _told_before(submission: Submission) -> dict[_Key, TaskScore]:
    """What was told of the newest scores of a submission, where something was."""
    rows = TaskScore.objects.filter(evaluation__submission=submission, told__isnull=False)
    return {_key(row): row for row in rows.order_by("evaluation")}


def _locked_best(submission: Submission, rows: Iterable[TaskScore]) -> dict[_Key, ToldScore]:
    """The best that the owner was told so far, locked; all in the same order, so that of two
    evaluations at once one waits for the other."""
    fresh = [_nothing_told(submission.owner_id, row.data_set, row.metric_set) for row in rows]
    if submission.owner_id is None:  # the site's own: nobody climbs
        return {_key(one): one for one in fresh}
    hashes = {one.labels_hash for one in fresh}
    fresh.sort(key=attrgetter("task", "metric_set"))
    ToldScore.objects.bulk_create(fresh, ignore_conflicts=True)
    known = ToldScore.objects.filter(owner=submission.owner_id, labels_hash__in=hashes)
    return {_key(one): one for one in known.order_by("pk").select_for_update()}


def _nothing_told(owner_id: Any, data_set: TaskDataSet, metric_set: str) -> ToldScore:  # noqa: ANN401 - a key
    return ToldScore(
        owner_id=owner_id,
        labels_hash=data_set.labels_hash,
        task=data_set.task,
        metric_set=metric_set,
    )


def _key(row: TaskScore | ToldScore) -> _Key:
    return row.task, row.metric_set


def _columns(evaluation: Evaluation) -> Columns:
    """As they are stored."""
    names = list(SCORE_COLUMNS.values())
    found: dict[str, dict[str, list[float | None]]] = {}
    rows = evaluation.example_results.order_by("task", "index").values_list("task", *names)
    for task, *scores in rows.iterator():
        columns = found.setdefault(task, {name: [] for name in SCORE_COLUMNS})
        for column, score in zip(columns.values(), scores, strict=True):
            column.append(score)
    return found
