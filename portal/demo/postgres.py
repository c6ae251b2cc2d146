"""An embedded PostgreSQL for ``make demo`` and the tests: no set-up, no port, no password.

    with running(state) as server: …   # a child of this process; needs the main thread
    with temporary() as server: …      # the same, with temporary data

**User.** PostgreSQL refuses root, so as root it runs under an account without rights:
``EMBEDDED_POSTGRES_USER``, or the first of ``ACCOUNTS`` that exists; never ``nobody``, the user of
the scorer's sandbox. That account owns the data and the socket folder only: the programs (a copy,
since root's virtual environment is often closed to others) and the configuration belong to root.

**Access.** Only through the socket, in a folder with mode 0700, and only as the role
``leaderboard``, which owns its database and may create others (the tests do), but is no superuser.
The kernel says who connects (peer authentication), and ``pg_ident.conf`` maps our user to the role.

**Location.** ``state/postgres``; as root, where the account cannot reach it (a clone under /root),
a folder below ``ELSEWHERE`` that ``state/postgres/home`` names. The socket's folder is under /tmp,
because the path of a socket has at most 107 bytes.

**Crashes.** A cluster is created in a folder of its own and moved into place when it is complete.
A server that survived kill -9 of its parent is recognised by its working directory, which is our
data folder, and ended before the next start; PostgreSQL then recovers by itself.
"""

import os
import pwd
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote

from portal.demo.postgres_binaries import MAJOR, Binaries, copy_binaries, find_binaries
from portal.demo.processes import (
    PROC,
    Identity,
    User,
    end,
    exited,
    how_it_ended,
    identity,
    kill_group,
    other_pids,
    spawn,
    wait_until_exited,
)
from portal.demo.state_folder import (
    DemoError,
    last_lines,
    lock,
    open_log,
    read_text,
    write_private,
)

ROLE = DATABASE = "leaderboard"
PORT = 5432  # only the end of the socket's name
START_TIMEOUT, STOP_TIMEOUT = 60.0, 20.0  # seconds; recovery after a crash included
ACCOUNTS = ("infinitebench-db", "postgres", "daemon")
NOBODY = 65534  # the sandbox's user; also what the kernel shows for users it cannot map
ELSEWHERE = Path("/var/lib/infinitebench-leaderboard")
FOREIGN = "Set DATABASE_URL to a server of yours instead."
_SOCKETS = "infinitebench-pg-"  # made by mkdtemp: unguessable, with mode 0700
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
_SETTINGS = {
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
    "log_min_error_statement": "panic",  # statements and values may be secret
    "log_error_verbosity": "terse",
}
_FIRST_STATEMENTS = (
    f"CREATE ROLE {ROLE} LOGIN CREATEDB;\nCREATE DATABASE {DATABASE} OWNER {ROLE};\n"
)


@dataclass(frozen=True, slots=True)
class Server:
    """A cluster that is ready to be started, while its lock is held."""

    state: Path
    home: Path
    binaries: Binaries
    user: User | None  # None: the current one
    sockets: Path
    durable: bool  # else faster, and lost after a power failure (not after a crash)

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.state / "log" / "postgres.log"

    @property
    def url(self) -> str:
        return f"postgresql://{ROLE}@{quote(str(self.sockets), safe='')}:{PORT}/{DATABASE}"

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server and wait until it accepts sessions. Raises ``DemoError``."""
        self.end_left_overs()
        settings = {
            **_SETTINGS,
            **({} if self.durable else {"fsync": "off", "full_page_writes": "off"}),
            "unix_socket_directories": str(self.sockets),
            "hba_file": str(self.home / "pg_hba.conf"),
            "ident_file": str(self.home / "pg_ident.conf"),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        argv = [self.binaries.program("postgres"), "-D", str(self.data), *options]
        with open_log(self.log) as output:
            # SIGQUIT: it exits at once when we die, and the next start recovers.
            child = self._spawn(argv, output, signal.SIGQUIT)
        deadline = time.monotonic() + START_TIMEOUT
        try:
            while not self._is_ready(child.pid):
                if exited(child) or time.monotonic() > deadline:
                    raise DemoError(f"PostgreSQL did not start.{last_lines(self.log)}")
                time.sleep(0.02)
        except BaseException:
            kill_group(child)
            raise
        return child

    def end_left_overs(self) -> None:
        """End servers and sessions of an earlier run on our data, and forget their pids.

        PostgreSQL would mistake an unrelated process with the old pid for its own, and not start.
        """
        end(left_over(self.data), signal.SIGQUIT)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
            (self.sockets / name).unlink(missing_ok=True)

    def create(self) -> None:
        """Create the cluster with its role and database, and move it into place."""
        for unfinished in self.home.glob("data.new-*"):
            shutil.rmtree(unfinished)
        fresh = Path(tempfile.mkdtemp(prefix="data.new-", dir=self.home))
        _give(fresh, self.user)
        initdb = [self.binaries.program("initdb"), "-D", str(fresh), "--username=postgres"]
        initdb += ["--locale=C.UTF-8", "--encoding=UTF8", "--auth-local=peer"]
        initdb += ["--auth-host=scram-sha-256", "--no-instructions"]
        self._run([*initdb, "--sync-method=syncfs" if self.durable else "--no-sync"])
        single = [self.binaries.program("postgres"), "--single", "-D", str(fresh)]
        single += ["-c", "exit_on_error=on", "-c", f"fsync={'on' if self.durable else 'off'}"]
        self._run([*single, "postgres"], _FIRST_STATEMENTS)
        fresh.rename(self.data)

    def _run(self, argv: Sequence[str], text: str = "") -> None:
        """Run a program of PostgreSQL to its end, with ``text`` as its input."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output:
            given.write(text.encode())
            given.seek(0)
            child = self._spawn(argv, output, signal.SIGKILL, stdin=given.fileno())
            try:
                child.wait()
            finally:
                status = kill_group(child)
            output.seek(0)
            if status != 0:
                reason = output.read().decode(errors="replace").strip()
                raise DemoError(f"{Path(argv[0]).name}: {how_it_ended(status)}.\n{reason}")

    def _spawn(
        self,
        argv: Sequence[str],
        output: IO[bytes],
        death_signal: signal.Signals,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        return spawn(
            argv, env=_ENVIRONMENT, user=self.user, cwd=Path("/"), stdin=stdin, output=output,
            death_signal=death_signal,
        )  # fmt: skip

    def _is_ready(self, pid: int) -> bool:
        """As the last line of the server's own file says."""
        lines = read_text(self.data / "postmaster.pid").splitlines()
        return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"


@contextmanager
def prepared(state: Path, *, durable: bool = True, elsewhere: Path = ELSEWHERE) -> Iterator[Server]:
    """Everything but the start: lock, user, programs, socket folder, cluster, configuration.

    Raises ``DemoError``.
    """
    if sys.platform != "linux":
        raise DemoError(f"The embedded PostgreSQL needs Linux. {FOREIGN}")
    user = database_user()
    folder = _own_folder(state.absolute() / "postgres", user)
    busy = f"The database in {folder} is in use by another process. Stop that one first."
    with lock(folder / "lock", busy):
        sockets_of = folder / "sockets"
        abandoned = Path(read_text(sockets_of))  # by a run that was killed
        if abandoned.name.startswith(_SOCKETS) and abandoned.parent == _short_parent():
            shutil.rmtree(abandoned, ignore_errors=True)  # only what is plainly such a folder
        home = _home(folder, user, elsewhere)
        binaries = find_binaries() if user is None else copy_binaries(find_binaries(), home)
        sockets = Path(tempfile.mkdtemp(prefix=_SOCKETS, dir=_short_parent()))
        server = Server(state.absolute(), home, binaries, user, sockets, durable)
        try:
            write_private(sockets_of, str(sockets))  # for the next start, should we be killed
            _give(sockets, user)
            if not server.data.exists():
                server.create()
            _configure(server)
            yield server
        finally:
            server.end_left_overs()
            shutil.rmtree(sockets, ignore_errors=True)


@contextmanager
def running(
    state: Path, *, durable: bool = True, elsewhere: Path = ELSEWHERE
) -> Iterator[tuple[Server, subprocess.Popen[bytes]]]:
    """A running server and its process; others find its address in ``state/database-url``."""
    with prepared(state, durable=durable, elsewhere=elsewhere) as server:
        address = state / "database-url"
        child = server.start()
        try:
            write_private(address, f"{server.url}\n")
            yield server, child
        finally:
            address.unlink(missing_ok=True)
            if not exited(child):
                child.send_signal(signal.SIGINT)  # "fast": ends the sessions, writes everything out
            wait_until_exited([child], STOP_TIMEOUT)
            kill_group(child)


@contextmanager
def temporary() -> Iterator[Server]:
    """A running server whose data is deleted at the end, and never synced to disk."""
    with tempfile.TemporaryDirectory(prefix="infinitebench-db-", dir=_short_parent()) as folder:
        Path(folder).chmod(0o711)  # root's database account has to get through
        with running(Path(folder), durable=False) as (server, _):
            yield server


def database_user() -> User | None:
    """The account to run PostgreSQL under if this process is root; otherwise None."""
    if os.geteuid() != 0:
        return None
    wanted = os.environ.get("EMBEDDED_POSTGRES_USER")
    for name in [wanted] if wanted else ACCOUNTS:
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            if entry.pw_uid not in (0, NOBODY):
                return User(name, entry.pw_uid, entry.pw_gid)
    raise DemoError(
        "PostgreSQL does not run as root, and there is no suitable account: "
        f"{wanted or ', '.join(ACCOUNTS)}. Name one in EMBEDDED_POSTGRES_USER (not root or "
        f"nobody), or start as an ordinary user. {FOREIGN}"
    )


def left_over(data: Path) -> list[Identity]:
    """Processes of PostgreSQL whose working directory is this very folder."""
    try:
        folder = data.stat()
    except FileNotFoundError:
        return []
    return [
        process
        for pid in other_pids()
        if (process := identity(pid)) and _works_in(pid, data, folder)
    ]


def _works_in(pid: int, data: Path, folder: os.stat_result) -> bool:
    process = PROC / str(pid)
    try:
        if process.stat().st_uid != folder.st_uid or read_text(process / "comm") != "postgres\n":
            return False
        return os.path.samestat((process / "cwd").stat(), folder)
    except PermissionError:  # root without the right to trace, as in a container
        return str(data) in read_text(process / "cmdline").split("\0")
    except OSError:  # it has just ended
        return False


def _configure(server: Server) -> None:
    """Let only our user connect. Raises ``DemoError`` for data of another version."""
    found = read_text(server.data / "PG_VERSION").strip()
    if found != str(MAJOR):
        what = f"was made by PostgreSQL {found}" if found else "holds no database"
        raise DemoError(
            f"{server.data} {what}, and this program brings PostgreSQL {MAJOR}. Move that folder "
            "away to start with a new one, or start it with its own version and carry the data "
            "over by pg_dump."
        )
    try:
        client = pwd.getpwuid(os.geteuid()).pw_name.replace('"', '""')
    except KeyError:
        sentence = f"User {os.geteuid()} has no name on this machine, and PostgreSQL needs one"
        raise DemoError(f"{sentence}. {FOREIGN}") from None
    access = f"local all {ROLE} peer map=clients\n"
    write_private(server.home / "pg_hba.conf", access, mode=0o644)
    write_private(server.home / "pg_ident.conf", f'clients "{client}" {ROLE}\n', mode=0o644)


def _own_folder(folder: Path, user: User | None) -> Path:
    """Make a folder of this user; the database's account may traverse it but not list it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        facts = folder.lstat()
        if facts.st_uid == os.geteuid() and stat.S_ISDIR(facts.st_mode):
            folder.chmod(0o700 if user is None else 0o711)
            return folder
    except (PermissionError, FileExistsError) as error:
        raise DemoError(f"{folder} cannot be used: {error.strerror}.") from error
    raise DemoError(f"{folder} belongs to another user: start as that one, or use another.")


def _home(folder: Path, user: User | None, elsewhere: Path) -> Path:
    """Where the data is kept: in ``home``, unless the database's account cannot reach it."""
    pointer = folder / "home"
    if pointer.exists():
        return _own_folder(Path(read_text(pointer).strip()), user)
    if user is None or (folder / "data").exists() or _can_use(folder, user):
        return folder
    _own_folder(elsewhere, user)
    home = _own_folder(elsewhere / secrets.token_hex(8), user)
    write_private(pointer, f"{home}\n")
    return home


def _can_use(folder: Path, user: User) -> bool:
    """Tried in practice, since permissions, access lists, mounts and shares all matter."""
    probe = Path(tempfile.mkdtemp(prefix="probe-", dir=folder))
    try:
        os.chown(probe, user.uid, user.gid)
        argv = ("/bin/sh", "-c", 'cd -- "$0" && : > file', str(probe))
        return spawn(argv, user=user, output=subprocess.DEVNULL, env={}).wait() == 0
    except OSError:
        return False
    finally:
        shutil.rmtree(probe)


def _give(path: Path, user: User | None) -> None:
    """Make the database's account the owner, unless we are that account."""
    try:
        if user:
            os.chown(path, user.uid, user.gid)
    except OSError as error:
        sentence = f"{path} cannot be given to the account {user and user.name}: {error.strerror}"
        raise DemoError(f"{sentence}. Start as an ordinary user. {FOREIGN}") from error


def _short_parent() -> Path:
    for name in ("/tmp", "/var/tmp", tempfile.gettempdir()):  # noqa: S108 - see _SOCKETS
        with suppress(OSError):
            mode = Path(name).stat().st_mode
            others_may_rename = mode & stat.S_IWOTH and not mode & stat.S_ISVTX
            if not others_may_rename and os.access(name, os.W_OK | os.X_OK) and len(name) < 60:
                return Path(name)
    raise DemoError("PostgreSQL's socket needs a folder: make /tmp writable.")
