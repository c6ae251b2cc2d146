"""Real workers in processes of their own, the tasks they get, and the results."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType

from django.db.models.functions import Now

from portal.evaluations.sweeper import sweep
from portal.models import Evaluation, EvaluationState, Release, Submission, User
from portal.releases.importer import import_release
from tests.support.environments import environment
from tests.support.factories import make_submission, only_evaluation, packed, packed_folder
from tests.support.paths import ROOT
from tests.support.processes import eventually
from tests.support.sandbox import scorers, small_world
from tests.support.worlds import write_rows

_COMMAND = (
    sys.executable, "-m", "celery", "-A", "portal.celery", "worker",
    "--without-gossip", "--without-mingle", "--without-heartbeat",
)  # fmt: skip


def starts_with(program: str, folder: Path) -> dict[str, str]:
    """Environment variables that make every Python process run this program first."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(program)
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


class Worker:
    def __init__(
        self, log: Path, pool: Sequence[str], before: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*before, *_COMMAND, *pool, "--hostname", f"{log.stem}@%h"],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                env={**environment(), **variables},
                start_new_session=True,
            )
        eventually(lambda: self.has_said(" ready."), "a worker that is ready")

    def has_said(self, text: str) -> bool:
        assert self.process.poll() is None or text in self.log.read_text(), self.log.read_text()
        return text in self.log.read_text()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the worker and its children, but not to its boxes: these have groups of
        their own."""
        os.killpg(self.process.pid, number)

    def boxes(self) -> set[int]:
        return scorers(self.process.pid)

    def at_work(self) -> set[int]:
        """Wait until the worker has boxes, and return them."""
        eventually(self.boxes, "a box")
        return self.boxes()

    def children(self) -> set[int]:
        """The child processes that run its tasks."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return set(map(int, children.read_text().split()))

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.send(signal.SIGKILL)
        self.process.wait()


class Workers:
    """Starts workers, and ends them all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.all: list[Worker] = []

    def start(
        self,
        concurrency: int | None = 1,
        before: Sequence[str] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
        queue: str = "",
    ) -> Worker:
        """Start a worker with these variables, at the end of a command that prepares its place.
        Without a ``queue`` it takes the default one, of tasks that have no queue of their own.

        With ``concurrency`` it runs tasks in child processes; without, it is as in production.
        """
        log = self.folder / f"worker-{len(self.all)}.log"
        pool = ("--concurrency", str(concurrency)) if concurrency else ("--pool", "solo")
        queues = ("--queues", queue) if queue else ()
        worker = Worker(log, [*pool, *queues], before, variables)
        self.all.append(worker)
        return worker


def workers_in(tmp_path: Path) -> Iterator[Workers]:
    """Fixture."""
    found = Workers(tmp_path)
    try:
        yield found
    finally:
        for worker in found.all:
            worker.kill()


def slow_words(seed: int, count: int) -> str:
    """Text on which ROUGE is slow."""
    random = Random(seed)
    return " ".join(random.choices(["a", "be", "see", "dear", "eagle", "forest"], k=count))


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
    return make_submission(owner, slow_release(folder), slow_upload())


def quick_submission(owner: User, folder: Path) -> Submission:
    world = small_world(folder / "quick")
    write_rows(world / "preds" / "preds_passkey.jsonl", [{"id": 0, "prediction": "00000"}])
    release = import_release(world / "gold", slug="quick", title="Quick")
    return make_submission(owner, release, packed_folder(world / "preds"))


def now(submission: Submission) -> Evaluation:
    return only_evaluation(submission)


def eventually_in(submission: Submission, state: EvaluationState) -> Evaluation:
    eventually(lambda: now(submission).state == state, f"{state}, not {now(submission).state}")
    return now(submission)


def scored_once(submission: Submission, attempt: int) -> None:
    """Check that this attempt has scored it, and that every score and result is stored once."""
    evaluation = eventually_in(submission, EvaluationState.SCORED)
    assert evaluation.attempt == attempt
    tasks = dict(evaluation.task_scores.values_list("task", "size"))
    assert evaluation.task_scores.count() == 3 * len(tasks)
    assert evaluation.example_results.count() == sum(tasks.values())


def swept(until: Callable[[], object]) -> None:
    """Sweep until the condition holds, as the sweeper does."""

    def turn() -> object:
        sweep()
        return until()

    eventually(turn, "something to sweep")


def returned(submission: Submission) -> None:
    """Sweep until its lease has run out: it is queued again, or on its next attempt."""
    attempt = now(submission).attempt
    swept(
        lambda: (
            now(submission).state != EvaluationState.RUNNING or now(submission).attempt > attempt
        )
    )


def long_ago(submission: Submission) -> None:
    """Pretend that its message was sent a long time ago."""
    past = Now() - timedelta(hours=1)
    submission.evaluations.update(created=past, due=past, enqueued_at=past)


def resend_message(submission: Submission) -> None:
    """Make the sweeper send another message, as it does when the first was lost or not taken."""
    long_ago(submission)
    assert sweep().resent >= 1
