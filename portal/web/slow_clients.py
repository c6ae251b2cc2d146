"""Clients that are slow, or only seem to be: how long a thread of the web process waits for them.

Threads are few. Whoever says that a body comes and then sends nothing, or a byte now and then,
would hold one for ever; a dozen of them would hold the site. So a request gets a thread when all of
it is there, and only one with a large body when its head is: who then is too slow is cut off.
"""

import errno
import math
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

    def gather(self) -> bool:
        """Take what is there, without waiting; tell whether a thread is to look at it now.

        That is when all of the request has come, or the head of one with a large body, or nothing
        more comes, or what can be no request.
        """
        data = self._there()
        self._gathered += data or b""
        needed = size_of(self._gathered)
        self.is_whole = needed is not None and needed <= len(self._gathered)
        if needed is None and len(self._gathered) > LARGE:
            self.patience = 0.0
            return True
        missing = 0 if needed is None else needed - len(self._gathered)
        return self.is_whole or data == b"" or missing > LARGE

    def _there(self) -> bytes | None:
        """None: nothing just now; empty: nothing any more."""
        self.setblocking(False)
        try:
            return super().recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def put_back(self, data: bytes) -> None:
        """What has been received of the next request, to be gathered with its rest."""
        self._gathered = data + self._gathered

    @property
    def has_more(self) -> bool:
        """Whether something of the next request is here already."""
        return bool(self._gathered)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Raises ``ConnectionResetError``, and finds no more bytes after it, when we give up."""
        if self._gathered:
            data, self._gathered = self._gathered[:size], self._gathered[size:]
            return data
        timeout = self.gettimeout()
        if timeout == 0:
            return super().recv(size, flags)
        left = self.patience + self._received / SLOWEST - self._waited
        begun = time.monotonic()
        try:
            data = self._recv_within(min(left, self.patience, timeout or left), size, flags)
        finally:
            self._waited += time.monotonic() - begun
            self.settimeout(timeout)
        self._received += len(data)
        return data

    def sendall(self, data: Any, flags: int = 0, /) -> None:  # noqa: ANN401 - as in socket
        """Raises ``ConnectionResetError`` where the client reads more slowly than ``SLOWEST``.

        What it takes long to read is sent in pieces, and each has its own time: so a download may
        take hours, but not for ever.
        """
        timeout = self.gettimeout()
        if timeout == 0 or not self.patience:
            return super().sendall(data, flags)
        self.settimeout(self.patience + len(data) / SLOWEST)
        try:
            super().sendall(data, flags)
        except TimeoutError as error:
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow") from error
        finally:
            self.settimeout(timeout)

    def _recv_within(self, seconds: float, size: int, flags: int) -> bytes:
        with suppress(TimeoutError):
            if seconds > 0:
                self.settimeout(seconds)
                return super().recv(size, flags)
        with suppress(OSError):  # of a client that is gone
            self.shutdown(socket.SHUT_RD)
        raise ConnectionResetError(errno.ECONNRESET, "the client is too slow")

    def begin_leave(self) -> None:
        """From here on nothing waits: our answer has been sent. Raises ``OSError``.

        Closed with bytes unread, the connection would be reset, and the answer lost; so
        ``discard`` them until it says that this is enough.
        """
        self._gathered, self._received = b"", 0
        self.setblocking(False)
        self.shutdown(socket.SHUT_WR)

    def discard(self) -> bool:
        """Tell whether the client has taken its leave, or sends more than is worth it."""
        data = self._there()
        self._received += len(data or b"")
        return data == b"" or self._received > _LEFT_UNREAD


def size_of(received: bytes) -> float | None:
    """The bytes of a request, with its body; infinite where it does not tell; None: of no head yet.

    Where the length is told twice, or in another way than as a number, the server refuses it.
    """
    end = received.find(_END)
    if end < 0:
        return None
    head = received[: end + 2]
    if _CHUNKED.search(head):
        return math.inf
    length = _LENGTH.search(head)
    return end + len(_END) + (int(length[1]) if length else 0)
