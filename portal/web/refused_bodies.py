"""Read what is left of a refused body, up to a limit, once the response is sent.

A connection that is closed while the client still sends is reset, and the client never sees why.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from time import monotonic
from typing import Any

_MOST = 128 << 20  # bytes: all of an upload that is a bit too large
_SECONDS = 5.0
_CHUNK = 1 << 16

Environ = dict[str, Any]
StartResponse = Callable[..., Callable[[bytes], object]]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


def read_refused_bodies(application: Application) -> Application:
    """Wrap the WSGI application of the site."""

    def wrapped(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        statuses = []

        def start(status: str, *rest: Any) -> Callable[[bytes], object]:
            statuses.append(status)
            return start_response(status, *rest)

        content = application(environ, start)
        is_refused = bool(statuses) and statuses[-1] >= "4"
        has_body = environ["REQUEST_METHOD"] not in ("GET", "HEAD", "OPTIONS")
        return _Refusal(content, environ["wsgi.input"]) if is_refused and has_body else content

    return wrapped


class _Refusal:
    """The content of a response; ``close``, which is called once it is sent, reads the rest."""

    def __init__(self, content: Iterable[bytes], body: Any) -> None:  # noqa: ANN401 - as in PEP 3333
        self._content, self._body = content, body

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._content)

    def close(self) -> None:
        if close := getattr(self._content, "close", None):
            close()  # first: it releases what the request holds
        end, left = monotonic() + _SECONDS, _MOST
        with suppress(OSError):  # it has broken off
            while left > 0 and monotonic() < end and (chunk := self._body.read(_CHUNK)):
                left -= len(chunk)
