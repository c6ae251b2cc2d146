"""Clients that are slow, or only seem to be: how long a thread of the web process waits for them.

Threads are few. Whoever says that a body comes and then sends nothing, or a byte now and then,
would hold one for ever; a dozen of them would hold the site. So a request gets a thread when all of
it is there, and only one with a large body when its head is: who then is too slow is cut off.
"""

import errno
import re
import socket
import time
from contextlib import suppress
from typing import Any

SLOWEST = 50_000  # bytes in a second; somebody slower uses up our patience
LARGE = 1 << 16  # bytes of a body, and of a head; more than that is not waited for
LEAVE = 2.0  # seconds for a client to read our answer
_LEFT_UNREAD = 256 << 20  # bytes that a client may send meanwhile
_CHUNK = 1 << 16  # bytes
_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding[ \t]*:", re.IGNORECASE)


class ClientSocket(socket.socket):
    """A connection whose ``recv`` waits only so long, at once and altogether.

    Only waiting counts, not the time that we take ourselves. A timeout of the socket, where it is
    shorter, holds beside it.
    """

    patience = 0.0  # seconds without a byte; likewise in all, beside what the bytes may take
    leave = LEAVE  # seconds
    is_whole = False  # all of the request has come
    _gathered = b""  # received, but not yet asked for
    _waited = 0.0  # seconds
    _received = 0  # bytes

    def begin(self, patience: float) -> None:
        """Count anew: a request begins, or another part of it."""
        self.patience, self._waited, self._received = patience, 0.0, 0

    def gather(self, before: bytes = b"") -> bool:
        """Take what is there, without waiting; tell whether a thread is to look at it now.

        That is when all of the request has come, or the head of one with a large body, or its end,
        or what can be no request. ``before``: what has been received of it already.
        """
        self._gathered += before
        data = self._there()
        self._gathered += data or b""
        needed = size_of(self._gathered)
        self.is_whole = needed is not None and needed <= len(self._gathered)
        too_much = needed is None and len(self._gathered) > LARGE
        return self.is_whole or data == b"" or too_much or (needed or 0) > 2 * LARGE

    def _there(self) -> bytes | None:
        """None: nothing just now; empty: nothing any more."""
        self.setblocking(False)
        try:
            return super().recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""
