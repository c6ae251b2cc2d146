"""How the site does, in numbers that every machine can read: from the database, and of the disks of
this machine. A few statements, each by an index."""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import Count, Max
from django.db.models.functions import Now

from portal.celery import app
from portal.health import longest_wait_of_imports, longest_wait_of_runs
from portal.models import (
    CardRequest,
    EndpointRun,
    Evaluation,
    EvaluationState,
    Heartbeat,
    HeartbeatKind,
    HubFetch,
    Notice,
    NoticeState,
    RunSlice,
    SpotCheck,
    Tally,
)

DAY = timedelta(hours=24)


class Queue(NamedTuple):
    name: str
    waiting: int  # rows that are due, and that no worker has
    oldest: float | None  # seconds; None: none is


class Disk(NamedTuple):
    name: str
    free: int  # bytes
    total: int

    @property
    def percent_free(self) -> float:
        return 100 * self.free / self.total


class Outcome(NamedTuple):
    state: str
    failure: str  # a code; empty but of failed ones
    number: int


def job_queues() -> list[Queue]:
    """By what waits: rows are the jobs, whatever messages there are."""
    runs = RunSlice.objects.claimable().count() + SpotCheck.objects.claimable().count()
    imports = HubFetch.objects.claimable().count() + CardRequest.objects.claimable().count()
    evaluations, mail = Evaluation.objects.all(), Notice.objects.all()
    return [
        Queue("scoring", evaluations.due().count(), _seconds(evaluations.longest_wait())),
        Queue("mail", mail.due().count(), _seconds(mail.longest_wait())),
        Queue("runs", runs, _seconds(longest_wait_of_runs())),
        Queue("imports", imports, _seconds(longest_wait_of_imports())),
    ]


def worker_queues() -> list[str]:
    """Those of the broker that tasks are sent to, each of which needs a worker."""
    routes: Mapping[str, Mapping[str, str]] = app.conf.task_routes or {}
    routed = {str(route["queue"]) for route in routes.values() if "queue" in route}
    return sorted({str(app.conf.task_default_queue), *routed})


def evaluations_by_outcome() -> list[Outcome]:
    counts = Evaluation.objects.order_by("state", "failure").values_list("state", "failure")
    failed = str(EvaluationState.FAILED)  # of others, the code is of an earlier attempt
    found: Counter[tuple[str, str]] = Counter()
    for state, failure, number in counts.annotate(n=Count("pk")):
        found[state, failure if state == failed else ""] += number
    return [Outcome(*key, number) for key, number in sorted(found.items())]


def recent_failures() -> list[Outcome]:
    """Of 24 hours, the most frequent first."""
    recent = Evaluation.objects.filter(state=EvaluationState.FAILED, finished__gte=Now() - DAY)
    counts = recent.order_by().values_list("failure").annotate(n=Count("pk")).order_by("-n")
    return [Outcome(EvaluationState.FAILED, failure, number) for failure, number in counts]


def runs_by_state() -> dict[str, int]:
    counts = EndpointRun.objects.order_by("state").values_list("state")
    return dict(counts.annotate(n=Count("pk")))


def failed_mail() -> int:
    return Notice.objects.filter(state=NoticeState.FAILED).count()


def waiting_mail() -> int:
    """All that is not sent yet, paused mail too."""
    return Notice.objects.waiting().count()


def lost_leases() -> int:
    counts = Tally.objects.filter(name=Tally.Name.LOST_LEASES).values_list("count", flat=True)
    return counts.first() or 0


def last_seconds(kind: HeartbeatKind) -> float | None:
    """Since the newest heartbeat of this kind; None: there is none."""
    rows = Heartbeat.objects.filter(kind=kind)
    return _seconds(rows.aggregate(age=Now() - Max("at"))["age"])


def silent_queues() -> list[str]:
    """Those that no living worker takes from."""
    alive = Heartbeat.objects.of(HeartbeatKind.WORKER).alive()
    served = {queue for queues in alive.values_list("queues", flat=True) for queue in queues}
    return [queue for queue in worker_queues() if queue not in served]


def missed_workers() -> list[str]:
    """Those that fell silent in the last hour, and were not asked to stop."""
    return list(Heartbeat.objects.missed().values_list("name", flat=True))


def database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        [size] = cursor.fetchone() or [0]
    return int(size)


def disks() -> list[Disk]:
    """Of this machine: those that the site writes to. A storage elsewhere has none."""
    return [
        Disk(name, usage.free, usage.total)
        for name, folder in _folders()
        for usage in [shutil.disk_usage(folder)]
    ]


def _folders() -> Iterator[tuple[str, Path]]:
    places = [("state", Path(settings.STATE_DIR))]
    with suppress(NotImplementedError):  # a storage on other machines
        places.append(("storage", Path(default_storage.path(""))))
    for name, place in places:
        yield name, next(one for one in (place, *place.parents) if one.exists())


def _seconds(wait: timedelta | None) -> float | None:
    return None if wait is None else wait.total_seconds()
