"""The number of a request, by which a person who reports a failure, the log of the web process, the
worker that scores, and its box speak of the same thing."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_LENGTH = 64
_VALID = re.compile(rf"[0-9A-Za-z-]{{8,{MAX_LENGTH}}}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """Of what this thread does; empty for what nobody has asked for."""
    return _current.get()


def chosen_request_id(offered: str | None) -> str:
    """What a proxy of ours has sent, if it looks like one; else a new one."""
    return offered if offered and _VALID.fullmatch(offered) else secrets.token_hex(8)


@contextmanager
def for_request(request_id: str) -> Iterator[None]:
    """What is done and logged in the block is done for this request."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)
