"""The embedded PostgreSQL when processes are killed, are left over, or compete."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from portal.demo.postgres import left_over, prepared, running
from portal.demo.processes import spawn
from portal.demo.state_folder import DemoError
from tests.support.databases import home_in, one, open_folder, postmaster, query
from tests.support.processes import Run, eventually, gone

HOLDER = """
import signal, sys
from pathlib import Path
from portal.demo.postgres import running
from portal.demo.state_folder import DemoError
place = Path(sys.argv[1])
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    with running(place / "state", durable=False):
        print("UP", flush=True)
        signal.pause()
except KeyboardInterrupt:
    print("STOPPED")
except DemoError as error:
    sys.exit(f"BUSY {error}")
"""

Starter = Callable[[str, Path], Run]

place = pytest.fixture(open_folder)
shared_place = pytest.fixture(open_folder, scope="module")


@pytest.fixture
def made(shared_place: Path) -> Path:
    """A folder with a cluster that has been started before; the tests share it, one by one."""
    with running(shared_place / "state", durable=False) as (server, _):
        query(server.url, "DROP TABLE IF EXISTS kept")
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
        with prepared(place / "state", durable=False):
            pass


def url_in(place: Path) -> str:
    return (place / "state" / "database-url").read_text().strip()


def test_a_killed_session_does_not_stop_the_server(start: Starter, made: Path) -> None:
    run = start(HOLDER, made)
    run.until("UP")
    with psycopg.connect(url_in(made)) as session:
        os.kill(session.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    eventually(lambda: accepts(url_in(made)), "the server recovers")


def accepts(url: str) -> bool:
    try:
        return one(url, "SELECT 1") == 1
    except psycopg.OperationalError:
        return False


def test_the_server_dies_with_its_parent_and_the_next_start_has_the_data(
    start: Starter, made: Path
) -> None:
    run = start(HOLDER, made)
    run.until("UP")
    url = url_in(made)
    query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    data = home_in(made) / "data"
    run.kill()
    eventually(lambda: left_over(data) == [], "the server ends")
    sockets = Path((home_in(made) / "sockets").read_text())
    assert sockets.exists()
    start(HOLDER, made).until("UP")
    assert url_in(made) != url
    assert one(url_in(made), "SELECT answer FROM kept") == 42
    assert not sockets.exists()


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


def test_a_pid_file_with_the_pid_of_another_program_is_ignored(start: Starter, made: Path) -> None:
    run = start(HOLDER, made)
    run.until("UP")
    run.send(signal.SIGTERM)
    assert run.end() == 0
    data = home_in(made) / "data"
    other_process = spawn((sys.executable, "-S", "-c", "import signal; signal.pause()"))
    try:
        (data / "postmaster.pid").write_text(f"{other_process.pid}\n{data}\n")
        start(HOLDER, made).until("UP")
        assert not gone(other_process.pid)
    finally:
        other_process.kill()
        other_process.wait()


def test_a_killed_initialisation_leaves_no_partial_data(place: Path, start: Starter) -> None:
    run = start(HOLDER, place)
    home = home_in(place)
    eventually(lambda: list(home.glob("data.new-*/base/1")), "the creation is under way")
    run.kill()
    assert not (home / "data").exists()
    start(HOLDER, place).until("UP")
    assert not list(home.glob("data.new-*"))


def test_of_two_concurrent_starts_one_fails_with_a_message(start: Starter, made: Path) -> None:
    runs = [start(HOLDER, made), start(HOLDER, made)]
    eventually(lambda: any(gone(run.pid) for run in runs), "one gives up")
    loser, winner = sorted(runs, key=lambda run: not gone(run.pid))
    assert loser.end() == 1
    assert "is in use by" in loser.output
    winner.until("UP")


def test_a_second_start_fails_with_a_message(start: Starter, made: Path) -> None:
    start(HOLDER, made).until("UP")
    with (
        pytest.raises(DemoError, match=r"in use by another process\. Stop that one first\."),
        prepared(made / "state"),
    ):
        pass
