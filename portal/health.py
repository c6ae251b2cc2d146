"""Liveness and readiness, for monitoring."""

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from portal.evaluations.sandbox import may_score, sandbox
from portal.models import Evaluation


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is checked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """The database, the sandbox and the age of the oldest queued evaluation; 503 if not ready.

    That age says more than a list of processes: workers have been seen to run and do nothing.
    """
    try:
        oldest = Evaluation.objects.queued().oldest_wait()
    except DatabaseError:
        return JsonResponse({"ready": False, "database": "down"}, status=503)
    found = {
        "ready": may_score(),
        "database": "up",
        "sandbox": {"level": sandbox().level, "reason": sandbox().reason},
        "oldest_waits_seconds": None if oldest is None else oldest.total_seconds(),
    }
    return JsonResponse(found, status=200 if found["ready"] else 503)
