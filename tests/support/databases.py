"""What the tests of the embedded PostgreSQL share: folders, servers, and questions to them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from portal.demo.postgres import temporary
from portal.demo.postgres_cluster import Connection, Server


def quiet(_line: str) -> None: ...


def open_folder() -> Iterator[Path]:
    """Fixture: a folder that every account can get through; those of pytest are closed."""
    with tempfile.TemporaryDirectory(prefix="infinitebench-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


def temporary_server() -> Iterator[Server]:
    """Fixture: a running server whose data is thrown away."""
    with temporary(tell=quiet) as server:
        yield server


def query(connection: Connection, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(**connection.parameters, autocommit=True) as session:
        cursor = session.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def one(connection: Connection, statement: str) -> object:
    return query(connection, statement)[0][0]


def home_in(place: Path) -> Path:
    return place / "state" / "postgres"


def postmaster(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().splitlines()[0])
