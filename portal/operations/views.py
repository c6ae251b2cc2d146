"""The page on which admins see how the site is doing. Queues are counted from the rows that wait,
so the page is right whatever processes claim to be there."""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from portal.evaluations.failures import FAILURES
from portal.evaluations.sandbox import sandbox
from portal.models import Heartbeat, HeartbeatKind
from portal.operations import figures
from portal.operations.postgres_programs import server_major
from portal.permissions.access import admin_of

_QUEUES: dict[str, str] = {
    "scoring": "scoring", "mail": "email", "runs": "endpoint runs",
    "imports": "imports from the Hub",
}  # fmt: skip


class QueueRow(NamedTuple):
    queue: figures.Queue
    title: str
    late: bool

    @property
    def since(self) -> object:
        """When the oldest began to wait; None: none does."""
        oldest = self.queue.oldest
        return None if oldest is None else timezone.now() - timedelta(seconds=oldest)


class FailureRow(NamedTuple):
    code: str
    message: str
    number: int


@login_required
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    admin_of(request)
    workers = list(Heartbeat.objects.of(HeartbeatKind.WORKER).order_by("name"))
    alive = set(Heartbeat.objects.alive().values_list("pk", flat=True))
    context = {
        "queues": [
            QueueRow(
                queue, _QUEUES.get(queue.name, queue.name), (queue.oldest or 0) > settings.MAX_WAIT
            )
            for queue in figures.job_queues()
        ],
        "silent": figures.silent_queues(),
        "workers": [(worker, worker.pk in alive) for worker in workers],
        "sweeper": Heartbeat.objects.of(HeartbeatKind.SWEEPER).first(),
        "backup": Heartbeat.objects.of(HeartbeatKind.BACKUP).first(),
        "failures": [
            FailureRow(
                one.failure,
                FAILURES[one.failure].message if one.failure in FAILURES else "",
                one.number,
            )
            for one in figures.recent_failures()
        ],
        "lost": figures.lost_leases(),
        "waiting_mail": figures.waiting_mail(),
        "failed_mail": figures.failed_mail(),
        "disks": figures.disks(),
        "least": settings.MIN_FREE,
        "database": figures.database_bytes(),
        "server": server_major(),
        "sandbox": sandbox(),
    }
    return render(request, "operations/status.html", context)
