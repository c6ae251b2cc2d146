"""How the site is doing, in numbers that every machine can read from the database, and the disks of
this machine. A few queries, each by an index."""

import shutil
from collections import Counter
from collections.abc import Mapping
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
    EndpointRun,
    Evaluation,
    EvaluationState,
    Heartbeat,
    HeartbeatKind,
    HubFetch,
    Notice,
    NoticeState,
    RunSlice,
    Tally,
)

DAY = timedelta(hours=24)


class Queue(NamedTuple):
    name: str
    waiting: int  # rows that are due, and that no worker has
    oldest: float | None  # seconds that the oldest has waited; None: there is none


class Disk(NamedTuple):
    name: str
    free: int  # bytes
    total: int

    @property
    def percent_free(self) -> float:
        return 100 * self.free / self.total


class Outcome(NamedTuple):
    state: str
    failure: str  # a code; empty unless they have failed
    number: int


def job_queues() -> list[Queue]:
    """Counted from the rows, which are the jobs, whatever messages there are."""
    runs = RunSlice.objects.claimable().count()
    imports = HubFetch.objects.claimable().count()
    evaluations, mail = Evaluation.objects.all(), Notice.objects.all()
    return [
        Queue("scoring", evaluations.due().count(), _seconds(evaluations.longest_wait())),
        Queue("mail", mail.due().count(), _seconds(mail.longest_wait())),
        Queue("runs", runs, _seconds(longest_wait_of_runs())),
        Queue("imports", imports, _seconds(longest_wait_of_imports())),
    ]


def worker_queues() -> list[str]:
    """The broker's queues that tasks are sent to; each needs a worker."""
    routes: Mapping[str, Mapping[str, str]] = app.conf.task_routes or {}
    routed = {str(route["queue"]) for route in routes.values() if "queue" in route}
    return sorted({str(app.conf.task_default_queue), *routed})


def evaluations_by_outcome() -> list[Outcome]:
    counts = Evaluation.objects.order_by("state", "failure").values_list("state", "failure")
    failed = str(EvaluationState.FAILED)  # others may have the code of an earlier attempt
    found: Counter[tuple[str, str]] = Counter()
    for state, failure, number in counts.annotate(n=Count("pk")):
        found[state, failure if state == failed else ""] += number
    return [Outcome(*key, number) for key, number in sorted(found.items())]


def recent_failures() -> list[Outcome]:
    """Those of the last 24 hours, the most frequent first."""
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
    """Seconds since the newest heartbeat of this kind; None: there is none."""
    rows = Heartbeat.objects.filter(kind=kind)
    return _seconds(rows.aggregate(age=Now() - Max("at"))["age"])


def silent_queues() -> list[str]:
    """Queues without a living worker."""
    alive = Heartbeat.objects.of(HeartbeatKind.WORKER).alive()
    served = {queue for queues in alive.values_list("queues", flat=True) for queue in queues}
    return [queue for queue in worker_queues() if queue not in served]


def missed_workers() -> list[str]:
    """Workers that fell silent in the last hour, and were not asked to stop."""
    return list(Heartbeat.objects.missed().values_list("name", flat=True))


def database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        [size] = cursor.fetchone() or [0]
    return int(size)


def disks() -> list[Disk]:
    """The disks of this machine that the site writes to."""
    folders = {"state": Path(settings.STATE_DIR)}
    with suppress(NotImplementedError):  # a storage on other machines
        folders["storage"] = Path(default_storage.path(""))
    found = []
    for name, folder in folders.items():
        usage = shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists()))
        found.append(Disk(name, usage.free, usage.total))
    return found


def _seconds(wait: timedelta | None) -> float | None:
    return None if wait is None else wait.total_seconds()
