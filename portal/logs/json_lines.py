"""Logs for programs: a JSON object on each line, with the evaluation and submission it is about.

log.info("attempt %s", number, extra={"evaluation": 1, "submission": "…"})
"""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from pythonjsonlogger.json import JsonFormatter

from portal.logs.request_ids import chosen_request_id, current_request_id, for_request

_EXTRA = (
    "evaluation", "submission", "run", "check", "hub_job", "notice", "user", "address", "method",
    "path", "status", "milliseconds",
)  # fmt: skip
_MAX_LENGTH, _MAX_TRACE = 1_000, 16_000  # characters of a value
_QUIET = ("/healthz", "/readyz", "/metrics")  # polled every few seconds; their failures are logged

_HEADER = "HTTP_X_REQUEST_ID"
_BUSY = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE)

GetResponse = Callable[[HttpRequest], HttpResponse]
log = logging.getLogger(__name__)


class JsonLines(JsonFormatter):
    """Only the extra fields in ``_EXTRA`` are logged, never a whole request."""

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        log_data["at"] = datetime.fromtimestamp(record.created, UTC).isoformat(
            timespec="milliseconds"
        )
        log_data["level"] = record.levelname.lower()
        log_data["logger"] = record.name
        log_data["message"] = record.getMessage()
        if request_id := current_request_id():
            log_data["request"] = request_id
        log_data.update({name: str(vars(record)[name]) for name in _EXTRA if name in vars(record)})
        if record.exc_info and isinstance(record.exc_info[1], SuspiciousOperation):
            # The client's fault, and its message says which: scanners would fill the log.
            log_data["level"] = "warning"
        elif "exc_info" in message_dict:
            log_data["error"] = message_dict["exc_info"]
        request = vars(record).get("request")
        if isinstance(request, HttpRequest):  # Django's own lines
            log_data.update(_request_fields(request))
            log_data["message"] = _without_key(request, record.getMessage())

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Shorten the middle: clients choose how long some texts are, and a trace ends with why."""
        for name, text in log_data.items():
            cap = _MAX_TRACE if name == "error" else _MAX_LENGTH
            if len(text) > cap:
                log_data[name] = f"{text[: cap // 2]} … {text[-cap // 2 :]}"
        return log_data


class OnceAMinute(logging.Filter):
    """Passes one in a minute, with their number, of the lines that a busy site repeats.

    Django's lines for 503, which is how the site says that it is busy, become warnings; its other
    lines, and every error with a trace, pass as they are.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = Lock()
        self._lines: dict[object, tuple[float, int]] = {}  # when one passed, and how many did not

    def filter(self, record: logging.LogRecord) -> bool:
        status = vars(record).get("status_code")
        if record.exc_info or (status is not None and status not in _BUSY):
            return True
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        with self._lock:
            now, key = self._clock(), status or record.msg
            last, dropped = self._lines.get(key, (now - 60, 0))
            if now - last < 60:
                self._lines[key] = (last, dropped + 1)
                return False
            self._lines[key] = (now, 0)
        if dropped:
            record.msg = f"{record.getMessage()} (and {dropped} more like it)"
            record.args = None
        return True


def log_requests(get_response: GetResponse) -> GetResponse:
    """Number each request, and log a line for it, without query, body and user, which may be
    secret. The number is that of the proxy, where there is one of ours, or else a new one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        has_proxy = settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0
        request_id = chosen_request_id(request.META.get(_HEADER) if has_proxy else None)
        with for_request(request_id):
            response = answer(request)
        response.headers["X-Request-ID"] = request_id
        return response

    def answer(request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = get_response(request)
        milliseconds = round(1000 * (time.perf_counter() - start))
        if request.path not in _QUIET or response.status_code != 200:
            outcome = {"status": str(response.status_code), "milliseconds": str(milliseconds)}
            log.info("answered", extra=_request_fields(request) | outcome)
        return response

    return middleware


def _request_fields(request: HttpRequest) -> dict[str, str]:
    fields = {"method": str(request.method), "path": _without_key(request, request.path)}
    match = request.resolver_match
    if match and "submission_id" in match.kwargs:
        fields["submission"] = str(match.kwargs["submission_id"])
    return fields


def _without_key(request: HttpRequest, text: str) -> str:
    """Links in emails have a key in their path with which anyone can act for the user."""
    parts = request.resolver_match.kwargs if request.resolver_match else {}
    key = parts.get("key") or parts.get("token")
    return text.replace(key, "…") if key else text
