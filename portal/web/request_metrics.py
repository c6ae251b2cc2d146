"""Counts requests and how long they take, for Prometheus (``portal.operations.metrics``).

Labels are names of views, methods that exist, and statuses: nothing that clients choose, so that
their number is bounded. Each process of gunicorn counts in files of its own, which are added up on
request.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the package reads it from the environment
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

_registry = CollectorRegistry()
_requests = Counter(
    "infinitebench_requests",
    "Requests, by view, method and status.",
    ("view", "method", "status"),
    registry=_registry,
)
_durations = Histogram(
    "infinitebench_request_seconds",
    "Seconds until the response begins.",
    ("view",),
    buckets=_SECONDS,
    registry=_registry,
)
_slot = ["master"]  # of this process: no two living processes have the same


def count_requests(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    if not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        view = (match.view_name if match else "") or "none"
        method = request.method if request.method in _METHODS else "other"
        _requests.labels(view, method, str(response.status_code)).inc()
        _durations.labels(view).observe(time.perf_counter() - start)
        return response

    return middleware


def request_metrics() -> CollectorRegistry:
    """Of all processes of this server."""
    if _FOLDER not in os.environ:
        return _registry
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


# For gunicorn, whose processes come and go: one that ends gives its files to the next, so that
# there are never more files than processes, and no count goes back.


def share_counts(parent: Path | None) -> None:
    """In the process that forks the others, before it does."""
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="infinitebench-metrics-", dir=parent)
    values.ValueClass = values.MultiProcessValue(lambda: _slot[0])  # type: ignore[no-untyped-call]


def count_in(slot: int) -> None:
    """In a forked process."""
    _slot[0] = str(slot)


def stop_sharing_counts() -> None:
    shutil.rmtree(os.environ.pop(_FOLDER, ""), ignore_errors=True)
