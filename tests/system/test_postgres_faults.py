"""The embedded PostgreSQL when processes are killed, are left over, or compete."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from portal.demo.postgres import connection_of, prepared, running
from portal.demo.postgres_cluster import Connection, left_over
from portal.demo.processes import spawn
from portal.demo.state_files import BusyError
from tests.support.databases import home_in, one, open_folder, postmaster, query, quiet
from tests.support.runs import Run, eventually, gone

HOLDER = """
import signal, sys
from pathlib import Path
from portal.demo.postgres import running
from portal.demo.state_files import BusyError
place = Path(sys.argv[1])
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
try:
    with running(place / "state", durable=False):
        print("UP", flush=True)
        signal.sigwait([signal.SIGTERM])
    print("STOPPED")
except BusyError as error:
    sys.exit(f"BUSY {error}")
"""
SUPERVISED = """
import sys
from pathlib import Path
from portal.demo.postgres import prepared
from portal.demo.supervisor import Supervisor
place = Path(sys.argv[1])
with prepared(place / "state", durable=False) as server:
    code = Supervisor(place / "state", [server.process()], welcome=lambda: "WELCOME").run()
sys.exit(code)
"""

Starter = Callable[[str, Path], Run]

place = pytest.fixture(open_folder)
shared_place = pytest.fixture(open_folder, scope="module")


@pytest.fixture
def made(shared_place: Path) -> Path:
    """A folder with a cluster that has been started before; the tests share it, one by one."""
    with running(shared_place / "state", durable=False, tell=quiet) as server:
        query(server.connection, "DROP TABLE IF EXISTS kept")
    return shared_place


@pytest.fixture
def start() -> Iterator[Starter]:
    runs: list[tuple[Run, Path]] = []

    def start(source: str, place: Path) -> Run:
        runs.append((Run(source, place), place))
        return runs[-1][0]

    yield start
    for run, _ in runs:
        run.close()
    for place in {place for _, place in runs}:  # a killed server leaves its socket's folder
        with prepared(place / "state", durable=False, tell=quiet):
            pass


def connection_in(place: Path) -> Connection:
    connection = connection_of(place / "state")
    assert connection
    return connection


def test_a_killed_server_is_started_again_with_its_data(start: Starter, made: Path) -> None:
    run = start(SUPERVISED, made)
    run.until("WELCOME")
    connection = connection_in(made)
    query(connection, "CREATE TABLE kept AS SELECT 42 AS answer")
    data = home_in(made) / "data"
    os.kill(postmaster(data), signal.SIGKILL)
    run.until("postgres: ready again")
    assert one(connection, "SELECT answer FROM kept") == 42
    run.send(signal.SIGTERM)
    assert run.end() == 0
    assert left_over(data) == []


def test_a_killed_session_does_not_stop_the_server(start: Starter, made: Path) -> None:
    run = start(SUPERVISED, made)
    run.until("WELCOME")
    with psycopg.connect(**connection_in(made).parameters) as session:
        os.kill(session.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    eventually(lambda: accepts(connection_in(made)), "the server recovers")
    assert "died" not in run.output


def accepts(connection: Connection) -> bool:
    try:
        return one(connection, "SELECT 1") == 1
    except psycopg.OperationalError:
        return False


@pytest.mark.parametrize("source", [HOLDER, SUPERVISED], ids=["holder", "supervisor"])
def test_nothing_survives_the_death_of_the_starter_and_the_next_start_has_the_data(
    start: Starter, made: Path, source: str
) -> None:
    run = start(source, made)
    run.until("UP" if source == HOLDER else "WELCOME")
    connection = connection_in(made)
    query(connection, "CREATE TABLE kept AS SELECT 42 AS answer")
    data = home_in(made) / "data"
    run.kill()
    eventually(lambda: left_over(data) == [], "the server ends")
    assert connection_of(made / "state") is None
    start(HOLDER, made).until("UP")
    assert one(connection_in(made), "SELECT answer FROM kept") == 42
    assert not Path(connection.host).exists()


def test_a_server_that_survives_its_starter_is_ended_by_the_next_start(
    start: Starter, made: Path
) -> None:
    run = start(HOLDER, made)
    run.until("UP")
    data = home_in(made) / "data"
    old = postmaster(data)
    os.kill(old, signal.SIGSTOP)  # so it does not hear that its parent dies
    run.kill()
    assert not gone(old)
    start(HOLDER, made).until("UP")
    assert gone(old)
    assert postmaster(data) != old


def test_a_pid_file_that_names_a_stranger_is_not_believed(start: Starter, made: Path) -> None:
    run = start(HOLDER, made)
    run.until("UP")
    run.send(signal.SIGTERM)
    assert run.end() == 0
    data = home_in(made) / "data"
    stranger = spawn((sys.executable, "-S", "-c", "import signal; signal.pause()"))
    try:
        (data / "postmaster.pid").write_text(f"{stranger.pid}\n{data}\n")
        start(HOLDER, made).until("UP")
        assert not gone(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_killed_creation_leaves_nothing_half(place: Path, start: Starter) -> None:
    run = start(HOLDER, place)
    home = home_in(place)
    eventually(lambda: list(home.glob("data.new-*/base/1")), "the creation is under way")
    run.kill()
    assert not (home / "data").exists()
    start(HOLDER, place).until("UP")
    assert not list(home.glob("data.new-*"))


def test_of_two_starters_at_once_one_gets_a_sentence(start: Starter, made: Path) -> None:
    runs = [start(HOLDER, made), start(HOLDER, made)]
    eventually(lambda: any(gone(run.pid) for run in runs), "one gives up")
    loser, winner = sorted(runs, key=lambda run: not gone(run.pid))
    assert loser.end() == 1
    assert "is in use by" in loser.output
    winner.until("UP")


def test_who_comes_later_is_told_who_is_there(start: Starter, made: Path) -> None:
    run = start(HOLDER, made)
    run.until("UP")
    with (
        pytest.raises(BusyError, match=f"in use by process {run.pid}. Stop that one first."),
        prepared(made / "state"),
    ):
        pass
