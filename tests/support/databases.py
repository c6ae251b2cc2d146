"""What the tests of the embedded PostgreSQL share: folders, servers and queries."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from portal.demo.postgres import Server, temporary
from tests.support.paths import ROOT

STAYING = ROOT / "build" / "test-db"  # the state of the server of `make test-db`


def open_folder() -> Iterator[Path]:
    """Fixture: a folder that every account can traverse, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="infinitebench-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


def temporary_server() -> Iterator[Server]:
    """Fixture: a running server with a temporary data directory."""
    with temporary() as server:
        yield server


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as session:
        cursor = session.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def one(url: str, statement: str) -> object:
    return query(url, statement)[0][0]


def home_in(place: Path) -> Path:
    return place / "state" / "postgres"


def postmaster(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().splitlines()[0])
