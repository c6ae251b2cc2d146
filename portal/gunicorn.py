"""How gunicorn serves the site: ``gunicorn --config python:portal.gunicorn portal.wsgi``.

Where it listens and how many processes there are is said on its command line.
"""

import os
from functools import partial
from pathlib import Path
from selectors import EVENT_READ
from typing import Any

from django.conf import settings
from gunicorn.workers.gthread import ThreadWorker

from portal.sandbox import sandbox
from portal.slow_clients import ClientSocket

_MEMORY = Path("/dev/shm")  # noqa: S108 - files without names, made there by gunicorn

preload_app = True
worker_class = "portal.gunicorn.Worker"
threads = 8  # requests of each process at once; an upload holds one as long as it takes
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
    """Gives a thread to who has sent something, and takes it from who then is too slow."""

    def enqueue_req(self, conn: Any) -> None:  # noqa: ANN401 - as in gunicorn
        """A connection of which a request is to be read. Without a byte of it, it waits outside."""
        if not isinstance(conn.sock, ClientSocket):
            conn.sock = ClientSocket(fileno=conn.sock.detach())
        if conn.initialized or conn.data_ready:
            conn.sock.begin(settings.PATIENCE)
            super().enqueue_req(conn)
            return
        conn.set_timeout()
        self.pending_conns.append(conn)
        callback = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, EVENT_READ, callback)

    def handle(self, conn: Any) -> object:  # noqa: ANN401 - as in gunicorn
        """Take leave here: the main thread, which would do it, has to accept others meanwhile."""
        stays = super().handle(conn)
        if not stays:
            conn.sock.take_leave()
        return stays
