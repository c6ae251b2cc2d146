"""A cluster of PostgreSQL: its settings, its first statements, and the server that runs on it."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from portal.demo.postgres_binaries import MAJOR, Binaries, EmbeddedError
from portal.demo.processes import (
    PROC,
    Identity,
    Steps,
    User,
    end,
    everybody,
    how_it_ended,
    identity,
    reap,
    spawn,
)
from portal.demo.state_files import read_small, write_file
from portal.demo.supervisor import Process
from portal.telling import Tell

ROLE = DATABASE = "leaderboard"
PORT = 5432  # only the end of the socket's name
START_TIMEOUT = 60.0  # seconds; recovery after a crash included
STOP_TIMEOUT = 20.0
QUIT: Steps = ((signal.SIGQUIT, 6.0), (signal.SIGKILL, 5.0))

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "io_method": "sync",  # three processes fewer
    "wal_level": "minimal",  # there is no second server
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "log_checkpoints": "off",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# For data that nobody misses after a power failure. Commits are still written before they are
# answered, so a crash of the server alone loses nothing.
NOT_DURABLE: Mapping[str, str] = {"fsync": "off"}
FIRST_STATEMENTS = f"CREATE ROLE {ROLE} LOGIN CREATEDB;\nCREATE DATABASE {DATABASE} OWNER {ROLE};\n"
FOREIGN = "Set DATABASE_URL to a server of yours instead."


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach the database; `host` is the folder of the socket."""

    host: str
    port: int = PORT
    dbname: str = DATABASE
    user: str = ROLE

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of `psycopg.connect`."""
        return {"host": self.host, "port": self.port, "dbname": self.dbname, "user": self.user}

    @property
    def url(self) -> str:
        return f"postgresql://{self.user}@{quote(self.host, safe='')}:{self.port}/{self.dbname}"


@dataclass(frozen=True, slots=True)
class Server:
    """A cluster that is ready to be started, while its lock is held."""

    state: Path
    home: Path
    binaries: Binaries
    user: User | None  # None: ours
    sockets: Path
    durable: bool

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def connection(self) -> Connection:
        return Connection(str(self.sockets))

    @property
    def argv(self) -> tuple[str, ...]:
        settings = {
            **SETTINGS,
            **({} if self.durable else NOT_DURABLE),
            "unix_socket_directories": str(self.sockets),
            "hba_file": str(self.home / "pg_hba.conf"),
            "ident_file": str(self.home / "pg_ident.conf"),
        }
        options = (part for name, value in settings.items() for part in ("-c", f"{name}={value}"))
        return (self.binaries.program("postgres"), "-D", str(self.data), *options)

    def spawn(
        self,
        argv: Sequence[str],
        output: IO[bytes],
        *,
        stdin: int = subprocess.DEVNULL,
        death_signal: signal.Signals,
    ) -> subprocess.Popen[bytes]:
        """Start a program of PostgreSQL as its user, with an environment that says nothing."""
        return spawn(
            argv,
            env=ENVIRONMENT,
            user=self.user,
            cwd=Path("/"),
            stdin=stdin,
            output=output,
            death_signal=death_signal,
        )

    def process(self) -> Process:
        """The row for the supervisor's table."""
        return Process(
            "postgres",
            self.argv,
            env=ENVIRONMENT,
            user=self.user,
            cwd=Path("/"),
            before=self.clear_left_overs,
            ready=self.is_ready,
            start_timeout=START_TIMEOUT,
            stop_signal=signal.SIGINT,  # "fast": ends the sessions, writes everything out
            stop_timeout=STOP_TIMEOUT,
            death_signal=signal.SIGQUIT,  # at once; the next start recovers
        )

    def is_ready(self, pid: int) -> bool:
        """Whether the server with this pid accepts sessions, by the last line of its own file."""
        lines = read_small(self.data / "postmaster.pid").splitlines()
        return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"

    def clear_left_overs(self) -> None:
        """End servers and sessions on our data that nobody watches any more; forget their pids.

        PostgreSQL would take a stranger's process that got the old pid for itself, and not start.
        """
        end(left_over(self.data), QUIT)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
            (self.sockets / name).unlink(missing_ok=True)


def make_ready(server: Server, client: str, tell: Tell) -> None:
    """Create the cluster if there is none, end what still runs on it, let `client` connect.

    `client` is the name of a user of this machine. Raises EmbeddedError.
    """
    if server.data.exists():
        server.clear_left_overs()
    else:
        tell("creating the database …")
        _create(server)
    _check_version(server.data)
    write_file(server.home / "pg_hba.conf", f"local all {ROLE} peer map=clients\n", mode=0o644)
    quoted = client.replace('"', '""')
    write_file(server.home / "pg_ident.conf", f'clients "{quoted}" {ROLE}\n', mode=0o644)


def give(path: Path, user: User | None) -> None:
    """Make the database's account the owner, when it is not us."""
    if user is None:
        return
    try:
        os.chown(path, user.uid, user.gid)
    except OSError as error:
        sentence = f"{path} cannot be given to the account {user.name}: {error.strerror}"
        raise EmbeddedError(f"{sentence}. Start as an ordinary user. {FOREIGN}") from error


def _create(server: Server) -> None:
    """Make the cluster with its role and database in a folder beside, then move it to its place."""
    for unfinished in server.home.glob("data.new-*"):
        shutil.rmtree(unfinished)
    fresh = Path(tempfile.mkdtemp(prefix="data.new-", dir=server.home))
    give(fresh, server.user)
    initdb = [server.binaries.program("initdb"), "-D", str(fresh), "--username=postgres"]
    initdb += ["--locale=C.UTF-8", "--encoding=UTF8", "--auth-local=peer"]
    initdb += ["--auth-host=scram-sha-256", "--no-instructions"]
    _finish(server, [*initdb, "--sync-method=syncfs" if server.durable else "--no-sync"])
    single = [server.binaries.program("postgres"), "--single", "-D", str(fresh)]
    single += ["-c", "exit_on_error=on", "-c", f"fsync={'on' if server.durable else 'off'}"]
    _finish(server, [*single, "postgres"], FIRST_STATEMENTS)
    fresh.rename(server.data)


def _finish(server: Server, argv: Sequence[str], text: str = "") -> None:
    """Run a program of PostgreSQL to its end, with `text` as its input."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output:
        given.write(text.encode())
        given.seek(0)
        child = server.spawn(argv, output, stdin=given.fileno(), death_signal=signal.SIGKILL)
        try:
            child.wait()
        finally:
            status = reap(child)
        output.seek(0)
        if status != 0:
            said = output.read().decode(errors="replace").strip()
            raise EmbeddedError(f"{Path(argv[0]).name}: {how_it_ended(status)}.\n{said}")


def _check_version(data: Path) -> None:
    found = read_small(data / "PG_VERSION").strip()
    if found != str(MAJOR):
        what = f"was made by PostgreSQL {found}" if found else "holds no database"
        raise EmbeddedError(
            f"{data} {what}, and this program brings PostgreSQL {MAJOR}. Move that folder away to "
            "start afresh, or start it with its own version and carry the data over by pg_dump."
        )


def left_over(data: Path) -> list[Identity]:
    """Processes of PostgreSQL whose working directory is this very folder."""
    try:
        place = data.stat()
    except FileNotFoundError:
        return []
    return [who for pid in everybody() if (who := identity(pid)) and _works_in(pid, data, place)]


def _works_in(pid: int, data: Path, place: os.stat_result) -> bool:
    process = PROC / str(pid)
    try:
        if process.stat().st_uid != place.st_uid or read_small(process / "comm") != "postgres\n":
            return False
        return os.path.samestat((process / "cwd").stat(), place)
    except PermissionError:  # root without the right to trace, as in a container
        return str(data) in read_small(process / "cmdline").split("\0")
    except OSError:  # it has just ended
        return False
