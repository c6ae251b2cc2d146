"""The two servers: our site as it is in production, and Gradio with the same rows."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from portal.demo.postgres import temporary
from tests.bench.gradio.board import Row
from tests.bench.servers import (
    free_host,
    our_site,
    plain_environment,
    run_python,
    running,
    site_environment,
)

_APP = Path(__file__).with_name("gradio_app.py")


@contextmanager
def our_board(folder: Path) -> Iterator[str]:
    """The address of a board with 100 entries, served by gunicorn from files made ahead of time."""
    with temporary() as server:
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        run_python(environment, "-m", "tests.bench.gradio.fill")
        with our_site(environment, folder) as site:
            yield f"{site}/board/hf/"


@contextmanager
def gradio_board(python: Path, rows: Sequence[Row], folder: Path) -> Iterator[str]:
    """The address of the same in Gradio, run by the Python of its own environment."""
    file = folder / "rows.json"
    file.write_text(json.dumps([row.cells for row in rows]), encoding="utf-8")
    host = free_host()
    quiet = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}
    command = (str(python), str(_APP), str(file), host.rpartition(":")[2])
    with running(command, {**plain_environment(), **quiet}, f"http://{host}/", folder):
        yield f"http://{host}/"
