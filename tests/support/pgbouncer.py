"""A real pgbouncer in transaction mode in front of the tests' PostgreSQL, with so few connections
that code which relies on getting the same one again fails."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from tests.support.processes import eventually, free_port

_SERVER_CONNECTIONS = 3
_INI = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr =
listen_port = {own_port}
server_login_retry = 0.1
query_wait_timeout = 30
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
logfile = {folder}/log
"""
_PROGRAM = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")


class PgBouncer:
    def __init__(self, folder: Path) -> None:
        place = connection.settings_dict
        self.folder, self.port = folder, free_port()
        self.url = (
            f"postgresql://{place['USER']}@{str(folder).replace('/', '%2F')}:{self.port}"
            f"/{place['NAME']}?pool_mode=transaction"
        )
        config = folder / "pgbouncer.ini"
        config.write_text(
            _INI.format(
                host=place["HOST"], port=place["PORT"], user=place["USER"], folder=folder,
                own_port=self.port, size=_SERVER_CONNECTIONS,
            )
        )  # fmt: skip
        command = [str(_PROGRAM), "-q", str(config)]
        if os.geteuid() == 0:  # pgbouncer refuses to run as root
            folder.chmod(0o777)
            owner = Path(str(place["HOST"])).owner()
            _let_in(owner)
            command[1:1] = ["--user", owner]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        eventually(self._answers, f"pgbouncer: {self.log()}")

    def log(self) -> str:
        file = self.folder / "log"
        return file.read_text() if file.exists() else ""

    def ask(self, command: str) -> list[dict[str, object]]:
        """Run a command on its admin console."""
        with psycopg.connect(
            host=str(self.folder), port=self.port, dbname="pgbouncer", user="anybody",
            autocommit=True, cursor_factory=psycopg.ClientCursor,
            row_factory=psycopg.rows.dict_row,
        ) as console:  # fmt: skip
            return list(console.execute(command.encode()))

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log()
        try:
            return bool(self.ask("SHOW VERSION"))
        except psycopg.OperationalError:
            return False


def _let_in(account: str) -> None:
    """Allow the account to connect: the tests' PostgreSQL uses peer authentication, and knows only
    the account that runs the tests."""
    place = connection.settings_dict
    lock = Path(str(place["HOST"]), f".s.PGSQL.{place['PORT']}.lock")
    pid, data = lock.read_text().splitlines()[:2]
    identities = Path(data).with_name("pg_ident.conf")
    line = f'clients "{account}" {place["USER"]}\n'
    if line not in identities.read_text():
        identities.write_text(identities.read_text() + line)
        os.kill(int(pid), signal.SIGHUP)


@contextmanager
def running_pgbouncer() -> Iterator[PgBouncer]:
    if _PROGRAM is None:
        pytest.skip("NO PGBOUNCER: install pgbouncer to see the site behind it")
    with tempfile.TemporaryDirectory(prefix="pgbouncer-", dir="/tmp") as folder:
        server = PgBouncer(Path(folder))
        try:
            yield server
        finally:
            server.process.kill()
            server.process.wait()
