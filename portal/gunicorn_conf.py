"""Settings of gunicorn: ``gunicorn --config python:portal.gunicorn_conf portal.wsgi``.

The address and the number of processes come from the command line. Slow clients are the proxy's
job (``docker/nginx.conf``): here each connection holds a thread while its request is read.
"""

import gc
import os
from pathlib import Path

from portal.evaluations.sandbox import sandbox
from portal.web.pictures import picture_font

_MEMORY = Path("/dev/shm")  # noqa: S108 - only for unnamed files, which gunicorn makes there

preload_app = True
worker_class = "gthread"
# Uploads and downloads hold a thread for long; portal.submissions.uploads and
# portal.web.file_responses leave six of them to pages.
threads = 16
timeout = 60  # seconds without a heartbeat of a process; a request may take longer
graceful_timeout = 8
keepalive = 5
limit_request_line = 4094
limit_request_fields = 100
limit_request_field_size = 8190
max_requests, max_requests_jitter = 10_000, 1_000  # bounds memory leaks
# The heartbeat is a touched file: on a slow disk a healthy process would look dead.
worker_tmp_dir = str(_MEMORY) if os.access(_MEMORY, os.W_OK | os.X_OK) else None
control_socket_disable = True  # its default place is shared by every gunicorn of this user
errorlog = "-"


def on_starting(_server: object) -> None:
    """Measure the sandbox and try the font once; the forked processes inherit the results.

    The sandbox not later: gunicorn's SIGCHLD handler would reap the children whose exit codes it
    waits for.
    """
    sandbox()
    picture_font()


def post_fork(_server: object, _worker: object) -> None:
    """Leave what was loaded before the fork out of every later collection of garbage: it lives as
    long as the process, and walking it took 0.2 s."""
    gc.freeze()
