"""Logs for programs: a JSON object on each line, with the evaluation and submission it is about.

log.info("attempt %s", number, extra={"evaluation": 1, "submission": "…"})
"""

import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

_SUBJECTS = ("evaluation", "submission", "method", "path", "status", "milliseconds")

Answer = Callable[[HttpRequest], HttpResponse]
log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: str(record.__dict__[name]) for name in _SUBJECTS if name in record.__dict__}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_requests(get_response: Answer) -> Answer:
    """A line for each request; never its query, its body or who asks: they may hold secrets."""

    def middleware(request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = get_response(request)
        about = {
            "method": request.method,
            "path": request.path,
            "status": response.status_code,
            "milliseconds": round(1000 * (time.perf_counter() - start)),
        }
        log.info("answered", extra=about)
        return response

    return middleware
