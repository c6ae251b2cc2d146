"""A real Redis, which forgets everything when it is killed."""

import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from celery import Celery

from portal.celery import app
from tests.support.processes import eventually

_OPTIONS = {"socket_timeout": 2, "socket_connect_timeout": 2, "max_retries": 1}


class RedisServer:
    """It listens on a socket in a folder of its own, and writes nothing to disk."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis"
        self.url = f"redis+socket://{self.socket}"  # as Celery names it
        self.cache_url = f"unix://{self.socket}?db=1"  # as its own client does
        self.start()

    def start(self) -> None:
        command = ["redis-server", "--port", "0", "--unixsocket", str(self.socket), "--save", ""]
        self.socket.unlink(missing_ok=True)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=self.socket.parent)
        eventually(self._listens, "redis-server")

    def do(self, *command: str) -> str:
        """Run a command, as an operator does with ``redis-cli``."""
        argv = ["redis-cli", "-s", str(self.socket), *command]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

    def fill(self) -> None:
        """Make it refuse every command that needs memory, until ``make_room``."""
        self.do("config", "set", "maxmemory", "1")

    def make_room(self) -> None:
        self.do("config", "set", "maxmemory", "0")

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def messages(self) -> int:
        """How many messages wait."""
        with self.app().connection_for_read() as connection:
            count: int = connection.default_channel.client.llen("scoring")
        return count

    def app(self) -> Celery:
        """An app that sends messages through it, as the site does."""
        found = Celery(broker=self.url, set_as_current=False)
        found.conf.broker_transport_options = _OPTIONS
        found.conf.task_publish_retry = False
        found.conf.task_default_queue = app.conf.task_default_queue
        found.conf.task_queues = app.conf.task_queues
        found.conf.task_routes = app.conf.task_routes
        return found


def redis_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    """Fixture: the site uses a Redis as its broker."""
    with running_redis() as server:
        monkeypatch.setattr(app, "send_task", server.app().send_task)
        yield server


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    if shutil.which("redis-server") is None:
        pytest.skip("NO REDIS: install redis-server to see it killed")
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = RedisServer(Path(folder))
        try:
            yield server
        finally:
            server.kill()
