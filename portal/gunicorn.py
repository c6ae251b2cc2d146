"""How gunicorn serves the site: ``gunicorn --config python:portal.gunicorn portal.wsgi``.

Where it listens and how many processes there are is said on its command line.
"""

import os
from pathlib import Path

from portal.sandbox import sandbox

_MEMORY = Path("/dev/shm")  # noqa: S108 - files without names, made there by gunicorn

preload_app = True
worker_class = "gthread"
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
