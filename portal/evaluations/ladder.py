"""The Ladder rule: what an author sees of a score on a hidden release, so that repeated
submissions, from however many accounts, reveal no labels.

Every exact score reveals something about the labels: 28 random files reveal all of 20 questions
with four options. So before a reviewer publishes a submission, its scores are disclosed only to
accounts that an admin has admitted to the release (``ReleaseAdmission``), under one metric set, and
as ``portal.scores.disclosure.disclose`` decides: first in coarse bands, later only if they beat, by
more than chance (``scoring.stats.is_significantly_better``), the best that the owner has seen and
all that anybody has seen. Otherwise the owner's best is shown again. What was disclosed is stored
for each data set, and survives withdrawal and deletion.

A run by this site that has not asked everything discloses nothing: its estimates are not scores of
all questions, and cannot be compared with earlier disclosures.

A published submission shows its own score; otherwise a weaker second language model would be on the
board with the score of the first. A reviewer decides how often that happens.
"""

from collections.abc import Iterable, Mapping, Sequence

from portal.models import (
    SCORE_COLUMNS,
    BestDisclosedScore,
    Evaluation,
    ReleaseLadder,
    Submission,
    SubmissionState,
    TaskScore,
)
from portal.scores.disclosure import (
    DISCLOSED_SET,
    Disclosure,
    differ,
    disclose,
    enough_answered,
    rounded_score,
)
from scoring.stats import mean_percent

Column = Sequence[float | None]  # the scores of a task under one metric set, in order
Columns = Mapping[str, Mapping[str, Column]]  # by task and metric set

_ON_BOARD = (SubmissionState.PUBLISHED, SubmissionState.HIDDEN)


def apply_ladder(evaluation: Evaluation, rows: Sequence[TaskScore], columns: Columns) -> None:
    """Set what is disclosed of scores that are about to be stored, in the same transaction.

    Locks what was disclosed on these data until the transaction ends. A submission that is scored
    again with the same result shows the same.
    """
    submission = evaluation.submission
    if not submission.release.hidden or _is_sample(rows):
        return
    disclosed = TaskScore.objects.filter(
        evaluation__submission=submission, public_percent__isnull=False
    )
    newest = {(row.task, row.metric_set): row for row in disclosed.order_by("evaluation")}
    undecided = []
    for row in rows:
        earlier = newest.get((row.task, row.metric_set))
        if earlier and (earlier.mean, earlier.data_set_id) == (row.mean, row.data_set_id):
            row.public_percent, row.public_width = earlier.public_percent, earlier.public_width
            row.is_previous_best = earlier.is_previous_best
        else:
            undecided.append(row)
    if submission.state in _ON_BOARD:
        _disclose_own(submission, undecided, columns)
    elif submission.release.admissions.filter(account=submission.owner_id).exists():
        _disclose_by_rule(submission, undecided, columns)


def disclose_own_scores(submission: Submission) -> None:
    """Show the submission's own scores, since it is being published. Call it first in the
    transaction that publishes: ``portal.board_version`` is locked last."""
    evaluation = submission.evaluations.scored().first()
    if evaluation is None or not submission.release.hidden:
        return
    rows = list(evaluation.task_scores.select_related("data_set"))
    if _is_sample(rows):
        return
    _disclose_own(submission, rows, _stored_columns(evaluation))
    TaskScore.objects.bulk_update(rows, ["public_percent", "public_width", "is_previous_best"])


def _is_sample(rows: Iterable[TaskScore]) -> bool:
    return any(row.asked is not None for row in rows)


def _disclose_own(submission: Submission, rows: Iterable[TaskScore], columns: Columns) -> None:
    """Under every metric set, whatever was disclosed before."""
    of_tasks = []
    for row in rows:
        percent = rounded_score(row.mean, answered=row.answered, size=row.size)
        row.public_percent, row.public_width, row.is_previous_best = percent, 0, False
        if percent is not None and row.metric_set == DISCLOSED_SET:
            of_tasks.append(row)
    ladders, best = _lock(submission, of_tasks)
    for row in of_tasks:
        ladder, own, scores = ladders[row.task], best.get(row.task), _scores(row, columns)
        if all(differ(scores, step) for step in ladder.steps):
            _add_step(ladder, scores)
        known = mean_percent(own.scores) if own else None  # a published score may be lower
        if own and (known is None or row.mean > known):
            _set_best(own, Disclosure(row.public_percent or 0.0), scores)


def _disclose_by_rule(submission: Submission, rows: Iterable[TaskScore], columns: Columns) -> None:
    of_tasks = [
        row
        for row in rows
        if row.metric_set == DISCLOSED_SET and enough_answered(answered=row.answered, size=row.size)
    ]
    ladders, best = _lock(submission, of_tasks)
    for row in of_tasks:
        ladder, own, scores = ladders[row.task], best[row.task], _scores(row, columns)
        shown = disclose(scores, best=own.scores, steps=ladder.steps)
        if shown:
            _set_best(own, shown, scores)
        if shown and shown.is_step:
            _add_step(ladder, scores)
        row.public_percent, row.public_width = own.percent, own.width
        row.is_previous_best = shown is None


def _set_best(best: BestDisclosedScore, shown: Disclosure, scores: list[float]) -> None:
    best.percent, best.width, best.scores = shown.percent, shown.width, scores
    best.save(update_fields=["percent", "width", "scores"])


def _add_step(ladder: ReleaseLadder, scores: list[float]) -> None:
    ladder.steps.append(scores)
    ladder.save(update_fields=["steps"])


def _lock(
    submission: Submission, rows: Iterable[TaskScore]
) -> tuple[dict[str, ReleaseLadder], dict[str, BestDisclosedScore]]:
    """By task, what was disclosed to anybody, and to the owner; the latter is empty for the site's
    own submissions.

    Missing rows are created, and all are locked in one order, so that concurrent evaluations wait
    for each other instead of deadlocking.
    """
    data = sorted((row.data_set.task, row.data_set.labels_hash) for row in rows)
    fresh = [ReleaseLadder(task=task, labels_hash=labels) for task, labels in data]
    ReleaseLadder.objects.bulk_create(fresh, ignore_conflicts=True)
    hashes = [labels for _, labels in data]
    ladders = ReleaseLadder.objects.filter(labels_hash__in=hashes)
    locked = {one.task: one for one in ladders.order_by("pk").select_for_update()}
    owner_id = submission.owner_id
    if owner_id is None:
        return locked, {}
    unseen = [
        BestDisclosedScore(owner_id=owner_id, task=task, labels_hash=labels)
        for task, labels in data
    ]
    BestDisclosedScore.objects.bulk_create(unseen, ignore_conflicts=True)
    best = BestDisclosedScore.objects.filter(owner=owner_id, labels_hash__in=hashes)
    return locked, {one.task: one for one in best.order_by("pk").select_for_update()}


def _scores(row: TaskScore, columns: Columns) -> list[float]:
    """A missing prediction counts as 0."""
    return [score or 0.0 for score in columns[row.task][row.metric_set]]


def _stored_columns(evaluation: Evaluation) -> Columns:
    names = list(SCORE_COLUMNS.values())
    found: dict[str, dict[str, list[float | None]]] = {}
    rows = evaluation.example_results.order_by("task", "index").values_list("task", *names)
    for task, *scores in rows.iterator():
        columns = found.setdefault(task, {name: [] for name in SCORE_COLUMNS})
        for column, score in zip(columns.values(), scores, strict=True):
            column.append(score)
    return found
