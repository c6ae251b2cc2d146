"""Faults of the machine under the scorer: no room on its disk, no memory in its box."""

import json
from pathlib import Path

import pytest

from portal.evaluations.failures import FAILURES
from portal.models import EvaluationState, Release, Submission, User
from tests.support.disks import SmallDisk, with_small_disk
from tests.support.factories import make_submission, packed
from tests.support.processes import eventually
from tests.support.workers import (
    Worker,
    Workers,
    eventually_in,
    now,
    quick_submission,
    resend_message,
    scored_once,
    slow_words,
    starts_with,
    workers_in,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)


@pytest.fixture
def quick(alice: User, tmp_path: Path) -> Submission:
    return quick_submission(alice, tmp_path)


# A full disk


def with_full_disk(workers: Workers, folder: Path) -> tuple[Worker, SmallDisk]:
    """A worker whose boxes have no room for what they write."""
    before = with_small_disk(folder)
    worker = workers.start(before=before, variables={"TMPDIR": str(folder)})
    disk = SmallDisk(worker.process.pid, folder)
    disk.fill()
    return worker, disk


def tried_again(submission: Submission, attempt: int) -> None:
    """This attempt has failed, and there will be another."""

    def is_back() -> bool:
        found = now(submission)
        return (found.attempt, found.state) == (attempt, EvaluationState.QUEUED)

    eventually(is_back, f"the end of attempt {attempt}")
    assert "No space left" in now(submission).failure_details


def test_on_a_full_disk_scoring_is_retried_until_there_is_space(
    alice: User, tmp_path: Path, workers: Workers
) -> None:
    worker, disk = with_full_disk(workers, tmp_path / "scratch")
    quick = quick_submission(alice, tmp_path)
    tried_again(quick, attempt=2)
    assert worker.has_said("scorer_disk: ")
    disk.make_room()
    resend_message(quick)
    scored_once(quick, attempt=3)
    assert list(disk.filler.parent.glob("box-*")) == []  # nothing is left of what it tried


def test_on_a_disk_that_stays_full_scoring_fails_with_the_reason(
    alice: User, tmp_path: Path, workers: Workers
) -> None:
    with_full_disk(workers, tmp_path / "scratch")
    quick = quick_submission(alice, tmp_path)
    tried_again(quick, attempt=2)
    resend_message(quick)
    evaluation = eventually_in(quick, EvaluationState.FAILED)
    assert (evaluation.failure, evaluation.attempt) == ("scorer_disk", 3)
    assert FAILURES[evaluation.failure].message == "The scorer's disk is full."


# Memory

_LESS_MEMORY = """\
from scoring.sandbox.worker import job
job.LIMITS = job.BoxLimits(memory=96 << 20)
"""


def greedy_submission(owner: User, release: Release) -> Submission:
    """Within every limit of an upload; its texts take more memory than those boxes have."""
    text = slow_words(1, 150_000)
    rows = [{"id": key, "prediction": text} for key in range(100)]
    lines = "\n".join(map(json.dumps, rows)).encode()
    assert len(lines) > 40 << 20
    return make_submission(owner, release, packed({"preds_passkey.jsonl": lines}))


def test_a_file_that_needs_too_much_memory_fails_without_a_retry(
    alice: User, release: Release, quick: Submission, tmp_path: Path, workers: Workers
) -> None:
    greedy = greedy_submission(alice, release)
    worker = workers.start(variables=starts_with(_LESS_MEMORY, tmp_path / "less"))
    evaluation = eventually_in(greedy, EvaluationState.FAILED)
    assert (evaluation.failure, evaluation.attempt) == ("scorer_memory", 1)
    assert "more memory than one submission may use" in FAILURES[evaluation.failure].message
    scored_once(quick, attempt=1)
    after = quick_submission(alice, tmp_path / "after")
    scored_once(after, attempt=1)
    assert worker.process.poll() is None
