"""``/metrics`` for Prometheus: requests to this server, and figures of the whole site."""

from collections.abc import Iterator
from secrets import compare_digest

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from portal.evaluations.sandbox import sandbox
from portal.models import Heartbeat, HeartbeatKind
from portal.operations import figures
from portal.web.request_metrics import request_metrics
from scoring.sandbox.run import Level


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """404 without ``METRICS_TOKEN``: then nobody may read them."""
    if not settings.METRICS_TOKEN:
        raise Http404
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    expected = settings.METRICS_TOKEN.encode()
    if scheme.lower() != "bearer" or not compare_digest(token.strip().encode(), expected):
        refused = HttpResponse("Send the token: Authorization: Bearer …\n", status=401)
        refused.headers["WWW-Authenticate"] = "Bearer"
        refused.headers["Content-Type"] = "text/plain; charset=utf-8"
        return refused
    registry = CollectorRegistry()
    registry.register(SiteCollector())
    text = generate_latest(request_metrics()) + generate_latest(registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


class SiteCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        up = _gauge("database_up", "Whether the database answers.")
        try:
            yield from list(_database_metrics())
            up.add_metric([], 1)
        except (DatabaseError, InterfaceError):
            up.add_metric([], 0)
        yield up
        free = _gauge("disk_free_bytes", "Free on the disks of this machine.", "disk")
        total = _gauge("disk_bytes", "Size of the disks of this machine.", "disk")
        for disk in figures.disks():
            free.add_metric([disk.name], disk.free)
            total.add_metric([disk.name], disk.total)
        yield from (free, total)


def _database_metrics() -> Iterator[Metric]:
    lengths = _gauge("queue_length", "Jobs that are due and that no worker has.", "queue")
    oldest = _gauge("queue_oldest_seconds", "How long the oldest of them has waited.", "queue")
    for queue in figures.job_queues():
        lengths.add_metric([queue.name], queue.waiting)
        oldest.add_metric([queue.name], queue.oldest or 0)
    yield from (lengths, oldest)

    outcomes = _gauge(
        "evaluations", "Evaluations by state, and by why they failed.", "state", "failure"
    )
    for outcome in figures.evaluations_by_outcome():
        outcomes.add_metric([outcome.state, outcome.failure], outcome.number)
    yield outcomes

    runs = _gauge("runs", "Endpoint runs by state.", "state")
    for state, number in figures.runs_by_state().items():
        runs.add_metric([state], number)
    yield runs

    mail = _gauge("mail", "Emails that wait, also for another attempt, or have failed.", "state")
    mail.add_metric(["waiting"], figures.waiting_mail())
    mail.add_metric(["failed"], figures.failed_mail())
    yield mail

    lost = CounterMetricFamily(
        "infinitebench_leases_lost", "Jobs that were taken from workers that fell silent."
    )
    lost.add_metric([], figures.lost_leases())
    yield lost

    workers = _gauge("workers", "Workers that are alive, by queue of the broker.", "queue")
    boxes = _gauge("box_level", "Workers that are alive, by the level of their sandbox.", "level")
    alive = list(Heartbeat.objects.of(HeartbeatKind.WORKER).alive())
    for name in figures.worker_queues():
        workers.add_metric([name], sum(name in worker.queues for worker in alive))
    for level in Level:
        boxes.add_metric([level], sum(worker.sandbox == level for worker in alive))
    yield from (workers, boxes)
    own = _gauge("web_box_level", "1 for the level of the sandbox on this machine.", "level")
    for level in Level:
        own.add_metric([level], sandbox().level is level)
    yield own

    for kind in (HeartbeatKind.SWEEPER, HeartbeatKind.BACKUP):
        seconds = figures.last_seconds(kind)
        if seconds is not None:
            age = _gauge(f"{kind}_age_seconds", f"Since the {kind} last ended a turn.")
            age.add_metric([], seconds)
            yield age

    size = _gauge("database_bytes", "Size of the database.")
    size.add_metric([], figures.database_bytes())
    yield size


def _gauge(name: str, documentation: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"infinitebench_{name}", documentation, labels=labels)
