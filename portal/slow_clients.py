"""Clients that are slow, or only seem to be: how long a thread of the web process waits for them.

Threads are few. Whoever says that a body comes and then sends nothing, or a byte now and then,
would hold one for ever; a dozen of them would hold the site.
"""

import errno
import socket
import time
from contextlib import suppress
from typing import Any

SLOWEST = 50_000  # bytes in a second; somebody slower uses up our patience
_LEAVE = 2.0  # seconds
_CHUNK = 1 << 16  # bytes


class ClientSocket(socket.socket):
    """A connection whose ``recv`` waits only so long, at once and altogether.

    Only waiting counts, not the time that we take ourselves. A timeout of the socket, where it is
    shorter, holds beside it.
    """

    patience = 0.0  # seconds without a byte; likewise in all, beside what the bytes may take
    _waited = 0.0  # seconds
    _received = 0  # bytes

    def begin(self, patience: float) -> None:
        """Count anew: a request begins, or another part of it."""
        self.patience, self._waited, self._received = patience, 0.0, 0

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Raises ``ConnectionResetError``, and finds no more bytes after it, when we give up."""
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
        self._stop_listening()
        raise ConnectionResetError(errno.ECONNRESET, "the client is too slow")

    def take_leave(self) -> None:
        """Let the client read our answer to its end before the connection goes.

        Closed with bytes unread, it would be reset, and the answer lost.
        """
        until = time.monotonic() + _LEAVE
        with suppress(OSError):
            self.shutdown(socket.SHUT_WR)
            while (seconds := until - time.monotonic()) > 0:
                self.settimeout(seconds)
                if not self.recv(_CHUNK):
                    break
        self._stop_listening()

    def _stop_listening(self) -> None:
        with suppress(OSError):  # of a client that is gone
            self.shutdown(socket.SHUT_RD)
