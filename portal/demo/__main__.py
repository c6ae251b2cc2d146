"""``make demo``: the whole site on this machine, from an empty folder to a page that takes files.

Configured by ``PORT`` (8000), ``DEMO_DIR`` (.demo) for all that is kept, ``INFINITEBENCH_DATA`` for
a folder with real labels and results, and ``LADDER=no`` for a demo without its large release. A
database of its own unless ``DATABASE_URL`` names one.
"""

import http.client
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from portal.demo.leftovers import Record
from portal.demo.postgres import prepared
from portal.demo.postgres_binaries import EmbeddedError
from portal.demo.processes import die_with_parent, end
from portal.demo.state_files import BusyError, hold, read_small
from portal.demo.supervisor import Exit, Process, Supervisor, say

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
SLOW = 1800.0  # seconds for the preparation: released files are scored in it
DATABASE = "DATABASE_URL"
ELSEWHERE = ("CACHE_DIR", "STATIC_ROOT", "STORAGE_DIR")  # settings of another site's folders
CHANGED = "(changed since; see “Passwords” in the README)"


class DemoError(Exception):
    """The demo cannot be started; the message says why, and what to do."""


def main() -> int:
    """Run the demo until a signal ends it. Returns the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until the supervisor takes over
    if "MAKELEVEL" in os.environ:
        die_with_parent()  # make, which may be killed and could not tell us
    try:
        return _run(_port(), Path(os.environ.get("DEMO_DIR") or ROOT / ".demo").absolute())
    except (DemoError, EmbeddedError, BusyError) as error:
        print(error, file=sys.stderr)
        return Exit.NOT_READY
    except OSError as error:  # a full disk, a folder taken away
        print(f"The demo cannot run: {error}", file=sys.stderr)
        return Exit.NOT_READY
    except KeyboardInterrupt:
        say("stopped")
        return Exit.STOPPED


def _run(port: int, state: Path) -> int:
    _make_own(state)
    busy = f"A demo runs in {state} already. Stop it first, or name another folder in DEMO_DIR."
    with hold(state / "demo.lock", busy):
        end(Record(state).left_overs())  # nobody else's, as we hold the lock
        _check_free(port)
        with _database(state) as database:
            return Supervisor(
                state, [*database, *_table(port, state)], welcome=lambda: welcome(port, state)
            ).run()


@contextmanager
def _database(state: Path) -> Iterator[list[Process]]:
    if DATABASE in os.environ:
        say(f"using the database that {DATABASE} names")
        yield []
        return
    with prepared(state) as server:
        yield [server.process()]


def _table(port: int, state: Path) -> list[Process]:
    """What runs beside the database; the web comes last, so that the others start meanwhile."""
    environment = _environment(state)

    def python(name: str, *arguments: str, **more: Any) -> Process:  # noqa: ANN401 - a row's
        return Process(name, (sys.executable, *arguments), env=environment, cwd=ROOT, **more)

    prepare = ("manage.py", "prepare_demo", *_data())
    worker = ("-m", "celery", "-A", "portal.celery", "worker", "--concurrency", "2")
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    web = ("-m", "gunicorn", "--config", "python:portal.gunicorn_conf", "--workers", "2")
    ladder = [python("ladder", "manage.py", "prepare_ladder", once=True, behind=True)]
    ladder = [] if os.environ.get("LADDER") == "no" else ladder
    bind = ("--bind", f"{HOST}:{port}", "portal.wsgi")
    return [
        python("preparation", *prepare, once=True, log=False, start_timeout=SLOW),
        python("worker", *worker, *quiet, stop_timeout=15.0, death_signal=signal.SIGQUIT),
        python("sweeper", "manage.py", "sweep"),
        python("web", *web, *bind, ready=lambda _pid: _site(port) is not None),
        *ladder,
    ]


def _environment(state: Path) -> dict[str, str]:
    """Ours, but everything that is kept is kept in the one folder."""
    given = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    ours = {"DEMO": "1", "STATE_DIR": str(state), "DJANGO_SETTINGS_MODULE": "portal.settings"}
    return {**given, **ours}


def _data() -> tuple[str, ...]:
    """The option that names the folder with real files, where there is one."""
    named = os.environ.get("INFINITEBENCH_DATA")
    if not named:
        return ()
    folder = ROOT / named
    if not folder.is_dir():
        say(f"INFINITEBENCH_DATA: {folder} is no folder, so there will be no real results.")
        return ()
    return ("--data", str(folder.resolve()))


# Before anything slow


def _port() -> int:
    text = os.environ.get("PORT") or "8000"
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65_536):
        raise DemoError(f"PORT is “{text}”; write a number from 1 to 65535.")
    return int(text)


def _make_own(state: Path) -> None:
    another = "Name another folder:  make demo DEMO_DIR=/path/to/folder"
    try:
        state.mkdir(parents=True, exist_ok=True)
        owner = state.stat().st_uid
    except OSError as error:
        raise DemoError(f"{state} cannot be used ({error.strerror}). {another}") from error
    if owner != os.geteuid() or not os.access(state, os.W_OK | os.X_OK):
        raise DemoError(f"{state} belongs to another user, or cannot be written. {another}")


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen()
        except OSError as error:
            raise DemoError(
                f"Port {port} cannot be used ({error.strerror}). Name another one:  "
                f"make demo PORT={port + 1 if 1024 <= port < 65_535 else 8001}"
            ) from error


# When it is ready


def _site(port: int) -> dict[str, Any] | None:
    """What /readyz says once the site works with its database, else None.

    A site without a sandbox is not ready for files, but it has pages, and they say so.
    """
    connection = http.client.HTTPConnection(HOST, port, timeout=1)
    try:
        connection.request("GET", "/readyz")
        found = json.load(connection.getresponse())
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    is_up = isinstance(found, dict) and found.get("database") == "up"
    return found if is_up else None


def welcome(port: int, state: Path) -> str:
    """The last lines of a start: where the site is, who may sign in, what to try first."""
    sandbox = (_site(port) or {}).get("sandbox", {})
    lines = [
        "",
        f"∞Bench is ready:  http://{HOST}:{port}/",
        "",
        *(f"    {line}" for line in _accounts(state)),
        "",
        "Sign in as author and hand in this folder, made from the release's own answers (some of",
        "them left right, some made wrong, some left out):",
        "",
        f"    {state / 'sample-predictions'}",
        "",
        f"Sandbox: {sandbox.get('level')}. Logs: {state / 'log'}. Ctrl-C stops everything.",
    ]
    return "\n".join(lines)


def _accounts(state: Path) -> list[str]:
    try:
        kept: Mapping[str, Any] = json.loads(read_small(state / "accounts.json"))
    except ValueError:
        kept = {}
    width = max(map(len, kept), default=0)
    return [f"{name:<{width}}  {one['password'] or CHANGED}" for name, one in kept.items()]


if __name__ == "__main__":
    sys.exit(main())
