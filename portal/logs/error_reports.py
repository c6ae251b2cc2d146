"""Reports failures to Sentry, or a service that speaks its protocol. Django loads this module only
where ``SENTRY_DSN`` is set (``portal.settings``); without it nothing is imported, and nothing sent.

A report says what failed where, and the number of the request: no body, no cookie, no header, no
query, no values of variables, no address of a person; and what looks like a key is struck out.
"""

import re
from typing import Any

import sentry_sdk
from django.apps import AppConfig
from django.conf import settings
from sentry_sdk.integrations.atexit import AtexitIntegration
from sentry_sdk.integrations.celery import CeleryIntegration
from sentry_sdk.integrations.dedupe import DedupeIntegration
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.integrations.excepthook import ExcepthookIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.types import Event, Hint

from portal.logs.request_ids import current_request_id
from scoring import __version__

_KEY = re.compile(
    r"(?i)\b(bearer|basic|token|key|secret|password)([\s=:\"']+)[^\s\"',;&]{6,}"
    r"|\b(sk|hf|pk|ghp|gho|gsk|ibt?)[-_][\w-]{8,}"
    r"|\bgAAAA[\w=-]{20,}"
    r"|(://[^\s/:@]+:)[^\s/@]+@"
    r"|[\w.+-]+@[\w-]+\.[\w.]+"
)
# Links in emails have a key in their path with which anyone can act for the user.
_KEY_IN_PATH = re.compile(r"(/(?:key|confirm-email|confirm|accept)/)[^/\s]+")
_FIELDS = (
    "environment", "event_id", "exception", "level", "logentry", "logger", "message", "platform",
    "release", "sdk", "server_name", "tags", "timestamp", "transaction",
)  # fmt: skip
_CAP = 2_000  # characters of a text


class ErrorReports(AppConfig):
    name = "portal.logs.error_reports"
    path = str(settings.BASE_DIR / "portal" / "logs")  # has no templates or translations

    def ready(self) -> None:
        sentry_sdk.init(
            dsn=settings.SENTRY_DSN,
            environment=settings.SENTRY_ENVIRONMENT,
            release=__version__,
            send_default_pii=False,
            include_local_variables=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            default_integrations=False,
            auto_enabling_integrations=False,
            integrations=[
                AtexitIntegration(callback=lambda _pending, _timeout: None),
                CeleryIntegration(),
                DedupeIntegration(),
                DjangoIntegration(),
                ExcepthookIntegration(),
                LoggingIntegration(),
            ],
            before_send=scrub,
        )


def scrub(event: Event, _hint: Hint) -> Event:
    """What may leave the site."""
    kept: dict[str, Any] = {name: value for name, value in event.items() if name in _FIELDS}
    request: dict[str, Any] = event.get("request") or {}
    if request:
        url = str(request.get("url", "")).partition("?")[0]
        kept["request"] = {"method": request.get("method"), "url": url}
    if request_id := current_request_id():
        kept["tags"] = {**(kept.get("tags") or {}), "request": request_id}
    return _scrubbed(kept)  # type: ignore[no-any-return]  # of the same shape


def _scrubbed(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        short = value if len(value) <= _CAP else f"{value[: _CAP // 2]} … {value[-_CAP // 2 :]}"
        return _KEY_IN_PATH.sub(r"\1…", _KEY.sub("…", short))
    if isinstance(value, dict):
        return {key: _scrubbed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_scrubbed(one) for one in value]
    return value
