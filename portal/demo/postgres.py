"""A PostgreSQL of our own, for `make demo` and the tests: no set-up, no port, no password.

    with prepared(state) as server:                  # under a supervisor
        Supervisor(state, [server.process(), …]).run()
    with running(state) as server: …                 # as a child of this process
    with temporary() as server: …                    # the same, and nothing is kept: for tests
    connection_of(state)                             # for other processes while it runs, or None

**Who runs it.** An ordinary user runs everything under their own name. PostgreSQL refuses root, so
as root it runs under an account without rights: `EMBEDDED_POSTGRES_USER`, or the first of
`ACCOUNTS` that this machine has; never `nobody`, which is the user of the scorer's sandbox. That
account owns the data and the socket, nothing else: the programs (a copy, since the virtual
environment of root is often closed to others) and the configuration belong to root.

**Who may connect.** Only through the socket, in a folder with mode 0700, and only as the role
`leaderboard`, which owns its database and may create others (the tests do), but is no superuser.
PostgreSQL asks the kernel who is at the other end (peer authentication), and `pg_ident.conf` maps
the user who prepared the server, also root, to that role. Nobody can log in as superuser.

**Where it is.** In `state/postgres`. As root, when the database's account cannot get there (a clone
under /root), the data lies in a folder below `ELSEWHERE`, which `state/postgres/home` names. The
socket is in a short-lived folder under /tmp, because the path of a socket may have 107 bytes only.

**What happens when.** One process at a time holds the lock (another gets a sentence). A cluster is
created beside its place and moved there when it is complete. A server left over by kill -9 is known
by its working directory, which is our data folder, and ended before the next start; PostgreSQL then
recovers by itself. Statements and values are not logged: they may hold what must not be in a log.
"""

import json
import os
import pwd
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from portal.demo.postgres_binaries import EmbeddedError, copy_binaries, find_binaries, wheel_build
from portal.demo.postgres_cluster import (
    FOREIGN,
    START_TIMEOUT,
    STOP_TIMEOUT,
    Connection,
    Server,
    give,
    make_ready,
)
from portal.demo.processes import Identity, User, alive, exited, identity, reap, spawn, supported
from portal.demo.state_files import hold, last_lines, open_log, read_small, write_file
from portal.demo.supervisor import POLL, say
from portal.telling import Tell

ACCOUNTS = ("infinitebench-db", "postgres", "daemon")
NOBODY = 65534  # the sandbox's user; also what the kernel shows for users it cannot map
ELSEWHERE = Path("/var/lib/infinitebench-leaderboard")
SHORT_FOLDERS = ("/tmp", "/var/tmp")  # noqa: S108 – made there by mkdtemp: unguessable, mode 0700
SOCKETS = "infinitebench-pg-"


@contextmanager
def prepared(
    state: Path, *, durable: bool = True, tell: Tell = say, elsewhere: Path = ELSEWHERE
) -> Iterator[Server]:
    """Everything but the start: lock, user, programs, cluster, configuration, socket folder.

    `durable=False` trades safety at power failures for speed. Raises BusyError when another process
    has prepared this state, EmbeddedError for everything else that a user can mend.
    """
    if not supported():
        raise EmbeddedError(f"The embedded PostgreSQL needs Linux. {FOREIGN}")
    user, client = database_user(), _our_name()
    folder = _own_folder(state.absolute() / "postgres", user)
    with hold(folder / "lock", _busy(folder)):
        _remove_sockets(folder)
        home = _home(folder, user, elsewhere, tell)
        found = find_binaries()
        binaries = found if user is None else copy_binaries(found, home)
        server = Server(state.absolute(), home, binaries, user, _short_folder(user), durable)
        try:
            _publish(server, folder)  # first: so the next start finds the socket's folder
            write_file(server.state / "database-url", f"{server.connection.url}\n")
            make_ready(server, client, tell)
            yield server
        finally:
            server.clear_left_overs()
            shutil.rmtree(server.sockets, ignore_errors=True)
            (folder / "running.json").unlink(missing_ok=True)
            (server.state / "database-url").unlink(missing_ok=True)


@contextmanager
def running(
    state: Path, *, durable: bool = True, tell: Tell = say, elsewhere: Path = ELSEWHERE
) -> Iterator[Server]:
    """A running server as a child of this process, without a supervisor; in the main thread."""
    with prepared(state, durable=durable, tell=tell, elsewhere=elsewhere) as server:
        server.clear_left_overs()
        process = server.process()
        log = server.state / "log" / "postgres.log"
        with open_log(log) as output:
            child = server.spawn(process.argv, output, death_signal=process.death_signal)
        try:
            _wait_until_ready(server, child, log)
            yield server
        finally:
            _stop(child)


@contextmanager
def temporary(*, tell: Tell = say) -> Iterator[Server]:
    """A running server whose data is thrown away at the end, and not made safe in between."""
    with tempfile.TemporaryDirectory(prefix="infinitebench-db-", dir=_short_parent()) as folder:
        Path(folder).chmod(0o711)  # root's database account has to get through
        with running(Path(folder), durable=False, tell=tell) as server:
            yield server


def connection_of(state: Path) -> Connection | None:
    """How to reach the server that another process has prepared for this state, if one has."""
    facts = _facts(state.absolute() / "postgres")
    owner = facts.get("owner")
    if not owner or not alive(Identity(*owner)):
        return None
    return Connection(facts["host"])


def database_user() -> User | None:
    """The account to run PostgreSQL under when we are root; None for everybody else."""
    if os.geteuid() != 0:
        return None
    wanted = os.environ.get("EMBEDDED_POSTGRES_USER")
    for name in [wanted] if wanted else ACCOUNTS:
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            if entry.pw_uid not in (0, NOBODY):
                return User(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "PostgreSQL does not run as root, and there is no suitable account: "
        f"{wanted or ', '.join(ACCOUNTS)}. Name one in EMBEDDED_POSTGRES_USER (not root or "
        f"nobody), or start as an ordinary user. {FOREIGN}"
    )


def _our_name() -> str:
    uid = os.geteuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        sentence = f"User {uid} has no name on this machine, and PostgreSQL needs one"
        raise EmbeddedError(f"{sentence}. {FOREIGN}") from None


# Folders


def _own_folder(folder: Path, user: User | None) -> Path:
    """A folder of ours; when another account runs the database, it may pass but not look around."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        facts = folder.lstat()
        if facts.st_uid == os.geteuid() and stat.S_ISDIR(facts.st_mode):
            folder.chmod(0o700 if user is None else 0o711)
            return folder
    except (PermissionError, FileExistsError) as error:
        raise EmbeddedError(f"{folder} cannot be used: {error.strerror}.") from error
    raise EmbeddedError(f"{folder} belongs to another user: start as that one, or use another.")


def _home(folder: Path, user: User | None, elsewhere: Path, tell: Tell) -> Path:
    """Where the data lies: here, unless the database's account cannot get here."""
    pointer = folder / "home"
    if pointer.exists():
        return _own_folder(Path(read_small(pointer).strip()), user)
    if user is None or (folder / "data").exists() or _can_use(folder, user):
        return folder
    _own_folder(elsewhere, user)
    home = _own_folder(elsewhere / secrets.token_hex(8), user)
    tell(f"{folder} is closed to {user.name}, so the database lies in {home}")
    write_file(pointer, f"{home}\n")
    return home


def _can_use(folder: Path, user: User) -> bool:
    """Tried for real: rights, access lists, mounts and shares all have their say."""
    probe = Path(tempfile.mkdtemp(prefix="probe-", dir=folder))
    try:
        os.chown(probe, user.uid, user.gid)
        script = 'cd -- "$0" && : > file'
        child = spawn(
            ("/bin/sh", "-c", script, str(probe)), user=user, output=subprocess.DEVNULL, env={}
        )
        return child.wait() == 0
    except OSError:
        return False
    finally:
        shutil.rmtree(probe)


def _short_parent() -> Path:
    for name in (*SHORT_FOLDERS, tempfile.gettempdir()):
        with suppress(OSError):
            mode = Path(name).stat().st_mode
            others_may_rename = mode & stat.S_IWOTH and not mode & stat.S_ISVTX
            if not others_may_rename and os.access(name, os.W_OK | os.X_OK) and len(name) < 60:
                return Path(name)
    raise EmbeddedError(f"PostgreSQL's socket needs a folder: make {SHORT_FOLDERS[0]} writable.")


def _short_folder(user: User | None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=SOCKETS, dir=_short_parent()))
    give(folder, user)
    return folder


def _remove_sockets(folder: Path) -> None:
    """Remove the socket folder of a run that was killed; only what is plainly such a folder."""
    sockets = Path(_facts(folder).get("host", "/"))
    if sockets.name.startswith(SOCKETS) and sockets.parent == _short_parent():
        shutil.rmtree(sockets, ignore_errors=True)


def _wait_until_ready(server: Server, child: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while not server.is_ready(child.pid):
        if exited(child) or time.monotonic() > deadline:
            raise EmbeddedError("PostgreSQL did not start.\n" + "\n".join(last_lines(log)))
        time.sleep(POLL)


def _stop(child: subprocess.Popen[bytes]) -> None:
    if not exited(child):
        child.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            child.wait(STOP_TIMEOUT)
    reap(child)


# What other processes may know


def _publish(server: Server, folder: Path) -> None:
    owner = identity(os.getpid())
    facts = {"host": server.connection.host, "owner": owner, "build": wheel_build()}
    write_file(folder / "running.json", json.dumps(facts))


def _facts(folder: Path) -> dict[str, Any]:
    try:
        facts = json.loads(read_small(folder / "running.json"))
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def _busy(folder: Path) -> str:
    owner = _facts(folder).get("owner")
    who = f"process {owner[0]}" if owner else "another process"
    return f"The database in {folder} is in use by {who}. Stop that one first."
