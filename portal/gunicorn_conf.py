"""Settings of gunicorn: ``gunicorn --config python:portal.gunicorn_conf portal.wsgi``.

The address and the number of processes come from the command line. Slow clients are the proxy's
job (``docker/nginx.conf``): here each connection holds a thread while its request is read.
"""

import gc
import os
from pathlib import Path
from typing import Any

from portal.evaluations.sandbox import sandbox
from portal.web.pictures import picture_font
from portal.web.request_metrics import count_in, share_counts, stop_sharing_counts

_MEMORY = Path("/dev/shm")  # noqa: S108 - for unnamed files and a folder that only we can enter
_has_memory = os.access(_MEMORY, os.W_OK | os.X_OK)

preload_app = True
worker_class = "gthread"
# Uploads and downloads hold a thread for long; portal.submissions.files.uploads and
# portal.web.file_responses leave six of them to pages.
threads = 16
timeout = 60  # seconds without a heartbeat of a process; a request may take longer
graceful_timeout = 8
keepalive = 5
limit_request_line = 4094
limit_request_fields = 100
limit_request_field_size = 8190
# No header sets SCRIPT_NAME or the scheme here. By default gunicorn believes both from loopback and
# from any unix socket, where the proxy stands, and with it all of its clients. What the proxy says
# about a client is read by Django alone, with TRUSTED_PROXIES: X-Forwarded-Proto as
# SECURE_PROXY_SSL_HEADER, and X-Forwarded-For for throttles.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
header_map = "refuse"  # names with "_", which look like others in the environment
max_requests, max_requests_jitter = 10_000, 1_000  # bounds memory leaks
# The heartbeat is a touched file: on a slow disk a healthy process would look dead.
worker_tmp_dir = str(_MEMORY) if _has_memory else None
control_socket_disable = True  # every gunicorn of this user would share its default path
errorlog = "-"


def on_starting(_server: object) -> None:
    """Probe the sandbox and try the font once; the forked processes inherit the results.

    Later, gunicorn's SIGCHLD handler would reap the children whose exit codes the probe waits for.
    """
    sandbox()
    picture_font()
    share_counts(_MEMORY if _has_memory else None)


def on_exit(_server: object) -> None:
    stop_sharing_counts()


def pre_fork(server: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn is untyped
    """Give the process the first number that no living process has."""
    taken = {other.metrics_slot for other in server.WORKERS.values()}
    worker.metrics_slot = next(slot for slot in range(len(taken) + 1) if slot not in taken)


def post_fork(_server: object, worker: Any) -> None:  # noqa: ANN401 - likewise
    """Leave what was loaded before the fork out of every later collection of garbage: it lives as
    long as the process, and walking it took 0.2 s."""
    count_in(worker.metrics_slot)
    gc.freeze()
