"""Submissions for real workers: one that keeps a box busy for about a second, so that it can be
met at its work, one that is quick; and how they come to their end.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.db.models.functions import Now

from portal.evaluations.sweeper import sweep
from portal.models import Evaluation, EvaluationState, Release, Submission, User
from portal.releases.importer import import_release
from tests.support.boxes import small_world
from tests.support.handing_in import hand_in, only_evaluation, packed, packed_folder
from tests.support.runs import eventually
from tests.support.workers import slow_words
from tests.support.worlds import write_rows

TASK, EXAMPLES = "longbook_qa_eng", 12


@cache
def slow_upload() -> bytes:
    rows = [{"id": key, "prediction": slow_words(key, 200_000)} for key in range(EXAMPLES)]
    return packed({f"preds_{TASK}.jsonl": "\n".join(map(json.dumps, rows)).encode()})


def slow_release(folder: Path) -> Release:
    rows = [{"id": key, "answer": ["the forest", "an eagle"]} for key in range(EXAMPLES)]
    write_rows(folder / "slow" / f"{TASK}.jsonl", rows)
    return import_release(folder / "slow", slug="slow", title="Slow")


def slow_submission(owner: User, folder: Path) -> Submission:
    return hand_in(owner, slow_release(folder), slow_upload())


def quick_submission(owner: User, folder: Path) -> Submission:
    world = small_world(folder / "quick")
    write_rows(world / "preds" / "preds_passkey.jsonl", [{"id": 0, "prediction": "00000"}])
    release = import_release(world / "gold", slug="quick", title="Quick")
    return hand_in(owner, release, packed_folder(world / "preds"))


def now(submission: Submission) -> Evaluation:
    return only_evaluation(submission)


def eventually_in(submission: Submission, state: EvaluationState) -> Evaluation:
    eventually(lambda: now(submission).state == state, f"{state}, not {now(submission).state}")
    return now(submission)


def scored_once(submission: Submission, attempt: int) -> None:
    """It is scored, by this attempt, and every score and result is there once."""
    evaluation = eventually_in(submission, EvaluationState.SCORED)
    assert evaluation.attempt == attempt
    tasks = dict(evaluation.task_scores.values_list("task", "size"))
    assert evaluation.task_scores.count() == 3 * len(tasks)
    assert evaluation.example_results.count() == sum(tasks.values())


def swept(until: Callable[[], object]) -> None:
    """Sweep until it has come about, as the sweeper does."""

    def turn() -> object:
        sweep()
        return until()

    eventually(turn, "something to sweep")


def returned(submission: Submission) -> None:
    """Its lease runs out, and it waits again."""
    attempt = now(submission).attempt
    swept(
        lambda: (
            now(submission).state != EvaluationState.RUNNING or now(submission).attempt > attempt
        )
    )


def long_ago(submission: Submission) -> None:
    """Nobody has been told of it for a long time."""
    past = Now() - timedelta(hours=1)
    submission.evaluations.update(created=past, enqueued_at=past)


def resend_message(submission: Submission) -> None:
    """Its message was lost, or nobody came: after a while the sweeper sends another."""
    long_ago(submission)
    assert sweep().resent >= 1
