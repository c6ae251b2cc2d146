"""Liveness and readiness, for monitoring."""

from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from portal.evaluations.sandbox import may_score, sandbox
from portal.models import EndpointRun, Evaluation, HubFetch, Notice


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is checked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """The database, the sandbox, and how long the oldest evaluation, mail, job of the Hub, and
    endpoint run or test of a connection have waited for a worker; 503 if not ready,
    with the reasons as codes.

    That wait says more than a list of processes: workers have been seen to run and do nothing.
    """
    try:
        waits = {
            "evaluations_wait": Evaluation.objects.all().longest_wait(),
            "mail_waits": Notice.objects.all().longest_wait(),
            "runs_wait": longest_wait_of_runs(),
            "imports_wait": longest_wait_of_imports(),
        }
    except DatabaseError:
        down = {"ready": False, "reasons": ["database_down"], "database": "down"}
        return JsonResponse(down, status=503)
    most = timedelta(seconds=settings.MAX_WAIT)
    reasons = [code for code, wait in waits.items() if wait and wait > most]
    if not may_score():
        reasons.append("no_sandbox")
    evaluation, mail, runs, imports = (wait and wait.total_seconds() for wait in waits.values())
    found = {
        "ready": not reasons,
        "reasons": reasons,
        "database": "up",
        "sandbox": {"level": sandbox().level, "reason": sandbox().reason},
        "oldest_waits_seconds": evaluation,
        "oldest_mail_waits_seconds": mail,
        "oldest_run_waits_seconds": runs,
        "oldest_import_waits_seconds": imports,
    }
    return JsonResponse(found, status=503 if reasons else 200)


def longest_wait_of_runs() -> timedelta | None:
    """For the workers of the queue ``runs``."""
    runs = EndpointRun.objects.all()
    waits = (
        runs.longest_wait(),
        runs.longest_wait_for_test(),
    )
    return max((wait for wait in waits if wait), default=None)


def longest_wait_of_imports() -> timedelta | None:
    """For the workers of the queue ``imports``."""
    return HubFetch.objects.all().longest_wait()
