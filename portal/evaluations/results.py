"""Store the result of an attempt: in one transaction, and only while its lease holds.

The report comes from a sandbox that has read untrusted text, so it is checked against the release,
and means are computed here from the stored examples.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from itertools import count, groupby, islice
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from portal.board_version import raise_board_version
from portal.evaluations.failures import FAILURES
from portal.evaluations.ladder import apply_ladder
from portal.evaluations.leases import Lease
from portal.models import (
    BLOCK_SIZE,
    SCORE_COLUMNS,
    Evaluation,
    Release,
    ScoredAttempt,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
)
from portal.queue import enqueue_evaluation_on_commit
from portal.scores.estimates import estimate_scores
from portal.scores.samples import settled_questions
from portal.states import WorkerStep, change_evaluation
from scoring.sandbox.results_file import Example, ResultsFileError

QUESTIONS = ("release", "version", "alignment")  # in a report: what the author has to choose
Document = Mapping[str, Any]
Scores = dict[str, list[float | None]]  # by metric set, in the order of the data set

_COPY = (
    "COPY portal_resultblock (evaluation_id, task, block, predictions, "
    f"{', '.join(SCORE_COLUMNS.values())}) FROM STDIN"
)


def store_outcome(
    lease: Lease,
    document: Document,
    examples: Iterable[Example],
    *,
    level: str,
    contents: list[list[str]] | None = None,
) -> None:
    """Store the scores, or the question to the author, or that nothing could be scored; and
    ``contents``, the tasks that were read from each file of the submission.

    Raises ``LeaseLostError`` if another worker has taken over, and ``ResultsFileError`` if the
    box's output is malformed; nothing is changed then.
    """
    by_task = [problem for task in document["tasks"].values() for problem in task["problems"]]
    found: dict[str, Any] = {
        "problems": [*document["problems"], *by_task],
        "sandbox_level": level,
        "contents": contents,
    }
    if "signature" in document:
        _store_scores(lease, document, examples, found)
    elif question := {kind: document[kind] for kind in QUESTIONS if kind in document}:
        with lease.locked_evaluation() as evaluation:
            _finish("ask", evaluation, question=question, **found)
    else:
        store_failure(lease, "nothing_to_score", **found)


def store_failure(lease: Lease, code: str, details: str = "", **found: Any) -> None:
    """End this attempt: queue the evaluation for another one, or let it fail.

    The second attempt starts at once, the last one when the sweeper enqueues it: a full disk may
    have room again by then. Raises ``LeaseLostError``.
    """
    # PostgreSQL refuses NUL and lone surrogates.
    storable = details.replace("\0", "\\0").encode(errors="backslashreplace").decode()
    found["failure_details"] = storable
    with lease.locked_evaluation() as evaluation:
        left = evaluation.attempts_allowed - evaluation.attempt
        if not FAILURES[code].again or left <= 0:
            _finish("fail", evaluation, failure=code, finished=Now(), **found)
            return
        pause = timedelta(seconds=0 if left > 1 else settings.RESEND)
        _finish("requeue", evaluation, enqueued_at=Now(), due=Now() + pause, **found)
        if left > 1:
            enqueue_evaluation_on_commit(evaluation.pk)


def _finish(step: WorkerStep, evaluation: Evaluation, **values: Any) -> None:
    rows = Evaluation.objects.filter(pk=evaluation.pk)
    change_evaluation(step, rows, lease_until=None, **values)


def _store_scores(
    lease: Lease, document: Document, examples: Iterable[Example], found: Mapping[str, Any]
) -> None:
    with lease.locked_evaluation() as evaluation:
        release = evaluation.submission.release
        data_sets = _scored_data_sets(document, release)
        scores = _copy_examples(evaluation.pk, examples)
        _check_agreement(document, scores, data_sets)
        unknown = {task: document["tasks"][task]["unknown"] for task in scores}
        settled = settled_questions(evaluation.submission)
        stored = estimate_scores(evaluation, scores, data_sets, unknown, settled)
        apply_ladder(evaluation, stored.task_scores, scores)
        stored.create()
        submission, digest = evaluation.submission, document["signature"]["input"]
        count_attempt(submission, digest)
        if settled is not None:
            found = {**found, "problems": _problems_of_run(found["problems"], stored.task_scores)}
        _finish(
            "store scores",
            evaluation,
            finished=Now(),
            signature=document["signature"],
            predictions_hash=digest,
            failure_details="",
            **found,
        )
        # A submission in review may be published before this is committed.
        if submission.state != SubmissionState.PRIVATE:
            raise_board_version()


def count_attempt(submission: Submission, digest: str) -> None:
    """Unless the same predictions were counted before. What the site itself has imported is no
    attempt."""
    if submission.owner_id is None:
        return
    model = submission.language_model
    attempt = ScoredAttempt(
        owner=submission.owner_id,
        release=submission.release.slug,
        language_model=model.slug,
        model_name=model.name,
        # With the first operand dropped, the same rows are other predictions.
        predictions=f"{digest}+drop_first" if submission.drop_first else digest,
        submission=submission.pk,
    )
    ScoredAttempt.objects.bulk_create([attempt], ignore_conflicts=True)


def _problems_of_run(
    problems: Iterable[Mapping[str, Any]], rows: Iterable[TaskScore]
) -> list[Mapping[str, Any]]:
    """The problems of a run by this site, without what is no fault of its files: that the endpoint
    gave no answer, which the page of the run shows; and that predictions are missing for questions
    that were not asked."""
    partly = {row.task for row in rows if row.asked is not None}
    return [
        one
        for one in problems
        if one["code"] != "prediction_unusable"
        and (one["code"] != "predictions_missing" or one["task"] not in partly)
    ]


def _scored_data_sets(document: Document, release: Release) -> dict[str, TaskDataSet]:
    """By task, the release's data sets with the labels that the report names."""
    gold = document["signature"]["gold"]
    found: dict[str, TaskDataSet] = {}
    for data_set in TaskDataSet.objects.to_score(release):
        hashes = gold.get(data_set.task, {})
        if hashes.get("labels") != data_set.labels_hash:
            continue
        # Two may differ only in what is known about their questions.
        if data_set.task not in found or hashes.get("questions") == data_set.questions_hash:
            found[data_set.task] = data_set
    return found


def _copy_examples(evaluation_id: int, examples: Iterable[Example]) -> dict[str, Scores]:
    """Store the result of each example. Returns the scores by task. Raises
    ``ResultsFileError``."""
    scores: dict[str, Scores] = {}
    with connection.cursor() as cursor, cursor.copy(_COPY) as rows:
        for task, of_task in groupby(examples, key=attrgetter("task")):
            if task in scores:
                raise ResultsFileError(f"{task}: its examples are apart")
            columns = scores[task] = {name: [] for name in SCORE_COLUMNS}
            for block in count():
                start, predictions = block * BLOCK_SIZE, []
                for index, example in enumerate(islice(of_task, BLOCK_SIZE), start):
                    if example.index != index:
                        raise ResultsFileError(f"{task}: an example is not in its place")
                    predictions.append(example.prediction)
                    for name, column in columns.items():
                        column.append(example.verdicts[name].score if example.verdicts else None)
                if not predictions:
                    break
                of_block = (column[start:] for column in columns.values())
                rows.write_row((evaluation_id, task, block, predictions, *of_block))
    return scores


def _check_agreement(
    document: Document, scores: Mapping[str, Scores], data_sets: Mapping[str, TaskDataSet]
) -> None:
    """Check report, examples and release against each other. Raises ``ResultsFileError``."""
    gold = document["signature"]["gold"]
    if not scores or not scores.keys() == document["tasks"].keys() == gold.keys():
        raise ResultsFileError("the report and the examples are not of the same tasks")
    for task, columns in scores.items():
        data_set, reported = data_sets.get(task), document["tasks"][task]
        if data_set is None:
            raise ResultsFileError(f"{task} was scored with other labels")
        if any(len(column) != data_set.size for column in columns.values()):
            raise ResultsFileError(f"{task} has not as many examples as its data set")
        if any(reported["examples"][name] != column for name, column in columns.items()):
            raise ResultsFileError(f"{task}: the report and the examples differ")
