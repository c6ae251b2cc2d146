"""Logs for programs: a JSON object on each line, with the evaluation and submission it is about.

log.info("attempt %s", number, extra={"evaluation": 1, "submission": "…"})
"""

import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse

_SUBJECTS = ("evaluation", "submission", "notice", "method", "path", "status", "milliseconds")
_CAP, _CAP_OF_TRACES = 1_000, 16_000  # characters of a value
_QUIET = ("/healthz", "/readyz")  # asked every few seconds; their failures are logged

Answer = Callable[[HttpRequest], HttpResponse]
log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: str(record.__dict__[name]) for name in _SUBJECTS if name in record.__dict__}
        if record.exc_info and isinstance(record.exc_info[1], SuspiciousOperation):
            # Somebody else's doing, told by its message: scanners would fill the log with traces.
            line["level"] = "warning"
        elif record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        request = record.__dict__.get("request")
        if isinstance(request, HttpRequest):  # Django's own lines
            line |= _about(request)
            line["message"] = _without_key(request, record.getMessage())
        return json.dumps({name: _short(name, text) for name, text in line.items()})


def _short(name: str, text: str) -> str:
    """Its begin and its end, where a trace says what it is: strangers choose how long texts are."""
    cap = _CAP_OF_TRACES if name == "error" else _CAP
    return text if len(text) <= cap else f"{text[: cap // 2]} … {text[-cap // 2 :]}"


def log_requests(get_response: Answer) -> Answer:
    """A line for each request; never its query, its body or who asks: they may hold secrets."""

    def middleware(request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = get_response(request)
        milliseconds = round(1000 * (time.perf_counter() - start))
        if request.path not in _QUIET or response.status_code != 200:
            about = _about(request) | {"status": response.status_code, "milliseconds": milliseconds}
            log.info("answered", extra=about)
        return response

    return middleware


def _about(request: HttpRequest) -> dict[str, str]:
    about = {"method": str(request.method), "path": _without_key(request, request.path)}
    match = request.resolver_match
    if match and "submission_id" in match.kwargs:
        about["submission"] = str(match.kwargs["submission_id"])
    return about


def _without_key(request: HttpRequest, text: str) -> str:
    """Links that were mailed to somebody have a key in their path: whoever reads it may use it."""
    key = request.resolver_match and request.resolver_match.kwargs.get("key")
    return text.replace(key, "…") if key else text
