"""The number of a request, which the page of a failure, the log of the web process, the worker that
scores, and its sandbox share."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_LENGTH = 64
_VALID = re.compile(rf"[0-9A-Za-z-]{{8,{MAX_LENGTH}}}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The number of the request that this thread works for; empty if there is none."""
    return _current.get()


def chosen_request_id(offered: str | None) -> str:
    """The number that our proxy has sent, if it is valid; else a new one."""
    return offered if offered and _VALID.fullmatch(offered) else secrets.token_hex(8)


@contextmanager
def for_request(request_id: str) -> Iterator[None]:
    """What is done and logged in the block is done for this request."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)
