"""How gunicorn serves the site: ``gunicorn --config python:portal.gunicorn_conf portal.wsgi``.

Where it listens and how many processes there are is said on its command line.
"""

import os
import time
from functools import partial
from pathlib import Path
from selectors import EVENT_READ
from typing import Any

from django.conf import settings
from gunicorn.workers.gthread import ThreadWorker

from portal.evaluations.sandbox import sandbox
from portal.web.slow_clients import ClientSocket

_MEMORY = Path("/dev/shm")  # noqa: S108 - files without names, made there by gunicorn

preload_app = True
worker_class = "portal.gunicorn_conf.Worker"
# Requests of each process at once. What people send and take away holds a thread for long; of these
# portal.submissions.uploads and portal.web.file_responses leave six to pages.
threads = 16
timeout = 60  # seconds without a sign of life from a process, not of a request
graceful_timeout = 8
keepalive = 5
max_requests, max_requests_jitter = 10_000, 1_000  # whatever leaks, leaks for so long
# A process shows that it lives by touching a file: on a slow disk it would seem to be dead.
worker_tmp_dir = str(_MEMORY) if os.access(_MEMORY, os.W_OK | os.X_OK) else None
control_socket_disable = True  # it would lie in the home folder, for everybody's gunicorn
errorlog = "-"


def on_starting(_server: object) -> None:
    """The sandbox is measured once; the processes inherit the answer.

    Here and no later: once gunicorn handles the end of its children, it would take away the exit
    codes that the measurement waits for.
    """
    sandbox()


class Worker(ThreadWorker):  # type: ignore[misc]  # a package without types
    """Gives a thread to who has sent a request, and takes it from who then is too slow."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as in gunicorn
        super().__init__(*args, **kwargs)
        self._leaving: set[Any] = set()

    def enqueue_req(self, conn: Any) -> None:  # noqa: ANN401 - as in gunicorn
        """A connection of which a request is to be read. Until that has come, it waits outside."""
        if not isinstance(conn.sock, ClientSocket):
            conn.sock = ClientSocket(fileno=conn.sock.detach())
        conn.timeout = time.monotonic() + settings.PATIENCE
        self.pending_conns.append(conn)
        callback = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, EVENT_READ, callback)
        self.on_pending_socket_readable(conn, conn.sock)

    def on_pending_socket_readable(self, conn: Any, client: Any) -> None:  # noqa: ANN401 - likewise
        conn.sock.begin(settings.PATIENCE)
        if conn.sock.gather():
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            conn.data_ready = True
            super().enqueue_req(conn)

    def handle_request(self, req: Any, conn: Any) -> object:  # noqa: ANN401 - likewise
        """Nobody waits for the rest of a body that a page has not read."""
        if not conn.sock.is_whole:
            req.force_close()
        return super().handle_request(req, conn)

    def handle(self, conn: Any) -> object:  # noqa: ANN401 - likewise
        stays = super().handle(conn)
        if stays:
            conn.sock.put_back(conn.parser.unreader.take_buffered())
        return stays

    def finish_request(self, conn: Any, fs: Any) -> None:  # noqa: ANN401 - likewise
        if fs.cancelled() or fs.exception() or not fs.result():
            self._see_off(conn)
        elif conn.sock.has_more:
            self.enqueue_req(conn)
        else:
            super().finish_request(conn, fs)

    def _see_off(self, conn: Any) -> None:  # noqa: ANN401 - likewise
        """Without a thread: a client may send for long what nobody wants."""
        conn.timeout = time.monotonic() + conn.sock.leave
        try:
            conn.sock.begin_leave()
            self.poller.register(conn.sock, EVENT_READ, partial(self._discard, conn))
        except (OSError, ValueError):  # the client has gone, or we have closed
            self._close(conn)
        else:
            self._leaving.add(conn)

    def _discard(self, conn: Any, client: Any) -> None:  # noqa: ANN401 - likewise
        if conn.sock.discard():
            self.poller.unregister(client)
            self._leaving.remove(conn)
            self._close(conn)

    def _close(self, conn: Any) -> None:  # noqa: ANN401 - likewise
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Those too that take too long to leave."""
        super().murder_pending()
        now = time.monotonic()
        for conn in [conn for conn in self._leaving if conn.timeout < now]:
            self.poller.unregister(conn.sock)
            self._leaving.remove(conn)
            self._close(conn)
