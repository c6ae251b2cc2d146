"""Whether the site lives, and whether it can do its work."""

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from portal.evaluations.sandbox import may_score, sandbox
from portal.models import Evaluation


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """The database, the sandbox, and how long the oldest evaluation waits; 503 where it is no use.

    That age tells more than a look at processes: workers have been seen to live and do nothing.
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
