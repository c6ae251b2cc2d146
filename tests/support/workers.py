"""Real workers, in processes of their own, and what they are given to do."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection

from tests.conftest import ROOT
from tests.support.boxes import scorers
from tests.support.runs import eventually

LEASE = 1.5  # seconds
_COMMAND = (
    sys.executable, "-m", "celery", "-A", "portal.celery", "worker", "--loglevel", "INFO",
    "--without-gossip", "--without-mingle", "--without-heartbeat", "--concurrency",
)  # fmt: skip


def environment() -> dict[str, str]:
    """The variables of a process that works on the database and the files of this test."""
    place: dict[str, Any] = connection.settings_dict
    host = quote(str(place["HOST"]), safe="")
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "SECRET_KEY": "known to everybody: for tests only",
        "DATABASE_URL": f"postgresql://{place['USER']}@{host}:{place['PORT']}/{place['NAME']}",
        "STATE_DIR": str(settings.STATE_DIR),
        "STORAGE_DIR": default_storage.path(""),
        "CACHE_DIR": str(settings.CACHE_DIR),
        "LEASE_SECONDS": str(LEASE),
        "HEARTBEAT_SECONDS": "0.2",
    }


def starts_with(program: str, folder: Path) -> dict[str, str]:
    """The variables with which every Python runs a program before anything else."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(program)
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


class Worker:
    def __init__(
        self, log: Path, concurrency: int, before: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*before, *_COMMAND, str(concurrency)],
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
        """To the worker and its children; its boxes have groups of their own."""
        os.killpg(self.process.pid, number)

    def boxes(self) -> set[int]:
        return scorers(self.process.pid)

    def at_work(self) -> set[int]:
        """Its boxes, as soon as there are any."""
        eventually(self.boxes, "a box")
        return self.boxes()

    def children(self) -> set[int]:
        """The processes that do its jobs."""
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
        concurrency: int = 1,
        before: Sequence[str] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> Worker:
        """A worker, at the end of a command that prepares its place, with variables of its own."""
        log = self.folder / f"worker-{len(self.all)}.log"
        worker = Worker(log, concurrency, before, variables)
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
    """Text on which ROUGE takes its time."""
    random = Random(seed)
    return " ".join(random.choices(["a", "be", "see", "dear", "eagle", "forest"], k=count))
