"""Whether the site lives, and whether it can do its work."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from portal.sandbox import may_score, sandbox


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
        seconds = _oldest_waits()
    except DatabaseError:
        return JsonResponse({"ready": False, "database": "down"}, status=503)
    found = {
        "ready": may_score(),
        "database": "up",
        "sandbox": {"level": sandbox().level, "reason": sandbox().reason},
        "oldest_waits_seconds": seconds,
    }
    return JsonResponse(found, status=200 if found["ready"] else 503)


def _oldest_waits() -> float | None:
    """Seconds by the database's clock; None where nothing waits."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM statement_timestamp() - min(created))::float8"
            " FROM portal_evaluation WHERE state = 'queued'"
        )
        (seconds,) = cursor.fetchone()
    return None if seconds is None else float(seconds)
