"""``make demo``: the whole site on this machine, from an empty folder to a page that takes files.

Configured by ``PORT`` (8000), ``DEMO_DIR`` (.demo) for all that is kept, ``INFINITEBENCH_DATA`` for
a folder with real labels and results, and ``LADDER=no`` for a demo without its large release. It
runs a database of its own unless ``DATABASE_URL`` names one.

Ctrl-C, SIGTERM and the end of the terminal stop everything. A child that ends by itself ends the
demo. After kill -9 the kernel ends the children, and the next start whatever is left.
"""

import errno
import http.client
import json
import os
import signal
import socket
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from portal.demo.children import Children, say
from portal.demo.postgres import running
from portal.demo.processes import STOP_SIGNALS, die_with_parent
from portal.demo.state_folder import DemoError, opened, read_text, samples_folder

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
WORKERS = 2
ENDPOINT = "endpoint"  # of the reference reader, for endpoint runs
REQUESTS = "endpoint-requests.jsonl"  # its log, with a line for each request
READER, WINDOW, LATENCY = "reader-32k", "32K", "0.5"  # seconds an answer takes, on average
RUNS = "worker-runs"  # for endpoint runs, which take hours: the others score meanwhile
_PORT_WAIT = 2.0  # seconds
_OTHER_SITE = ("CACHE_DIR", "STATIC_ROOT", "STORAGE_DIR")  # the demo has all in its own folder


def main() -> int:
    """Run the demo until a signal ends it. Returns the exit code."""
    ArgumentParser(
        "python -m portal.demo", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    ).parse_args()
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, _stop)
    if "MAKELEVEL" in os.environ:
        die_with_parent()  # make, which cannot pass on a SIGKILL
    try:
        port = os.environ.get("PORT") or "8000"
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise DemoError(f"PORT is “{port}”; it must be a number from 1 to 65535.")
        state = Path(os.environ.get("DEMO_DIR") or ROOT / ".demo").absolute()
        with opened(state):
            _run(int(port), state)
    except DemoError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:  # a full disk, a deleted folder
        print(f"The demo cannot run: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    say("stopped")
    return 0


def _stop(_number: int, _frame: object) -> None:
    """Only the first signal counts: make and its process group are often both signalled."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _run(port: int, state: Path) -> None:
    environment = {name: text for name, text in os.environ.items() if name not in _OTHER_SITE}
    environment |= {"DEMO": "1", "STATE_DIR": str(state)}
    environment |= {"DJANGO_SETTINGS_MODULE": "portal.settings"}
    loopback_ports = f"{environment.get('ENDPOINT_LOOPBACK_PORTS', '')},{port + 1}"
    environment |= {"ENDPOINT_LOOPBACK_PORTS": loopback_ports.lstrip(",")}
    children = Children(state, environment, ROOT)
    children.end_left_overs()
    _check_free(port)
    endpoint = port + 1 if port < 65_535 and not _why_taken(port + 1) else None
    python = sys.executable
    with ExitStack() as stack:
        database = None
        if "DATABASE_URL" in os.environ:
            say("using the database that DATABASE_URL names")
        else:
            say("postgres: starting …")
            server, database = stack.enter_context(running(state))
            children.watch("postgres", database, server.log)
            place = "" if server.data.is_relative_to(state) else f", with its data in {server.data}"
            say(f"postgres: ready{place}")
        try:
            if endpoint:  # first, since runs of an earlier start may go on at once
                reader = ["--window", WINDOW, "--name", READER, "--latency", LATENCY]
                serve = [python, "manage.py", "reference_endpoint", "--port", str(endpoint)]
                log = ["--log", str(state / "log" / REQUESTS)]
                children.start(ENDPOINT, [*serve, *reader, *log])
            children.run("preparation", [python, "manage.py", "prepare_demo", *_data_option()])
            quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
            names = [f"worker-{number}" for number in range(1, WORKERS + 1)]
            for name in (*names, RUNS):
                # One process for one job at a time: children of a prefork worker share a lock, and
                # one that is killed while it holds it stops them all.
                celery = [python, "-m", "celery", "-A", "portal.celery", "worker", "--pool", "solo"]
                queue = ["--queues", "runs"] if name == RUNS else []
                argv = [*celery, "--hostname", f"{name}@%h", *queue, *quiet]
                children.start(name, argv, death_signal=signal.SIGKILL)
            children.start("sweeper", [python, "manage.py", "sweep"])
            _check_free(port)  # again: the preparation takes minutes
            gunicorn = [python, "-m", "gunicorn", "--config", "python:portal.gunicorn_conf"]
            bind = ["--workers", "2", "--bind", f"{HOST}:{port}", "portal.wsgi"]
            web = children.start("web", [*gunicorn, *bind])
            children.wait_until(web, lambda: _readiness(port) is not None, 60.0)
            say(_welcome(port, endpoint, state))
            if os.environ.get("LADDER") != "no":
                children.start("ladder", [python, "manage.py", "prepare_ladder"], is_task=True)
            children.watch_forever()
        except KeyboardInterrupt:
            say("stopping …")
            raise
        finally:
            children.stop(but=database)


def _data_option() -> list[str]:
    """The option that names the folder with real files, if there is one."""
    named = os.environ.get("INFINITEBENCH_DATA")
    if not named:
        return []
    folder = ROOT / named
    if not folder.is_dir():
        say(f"INFINITEBENCH_DATA: {folder} is not a folder, so there will be no real results.")
        return []
    return ["--data", str(folder.resolve())]


def _check_free(port: int) -> None:
    if error := _why_taken(port):
        raise DemoError(
            f"Port {port} cannot be used ({error.strerror}). Name another one:  "
            f"make demo PORT={port + 1 if 1024 <= port < 65_535 else 8001}"
        ) from error


def _why_taken(port: int) -> OSError | None:
    """Why the port cannot be used; None: it is free.

    Tries for a while: a process that has just been killed may still hold its port.
    """
    end = time.monotonic() + _PORT_WAIT
    while True:
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HOST, port))
                probe.listen()
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                return error
            time.sleep(0.1)
        else:
            return None


def _readiness(port: int) -> dict[str, Any] | None:
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


def _welcome(port: int, endpoint: int | None, state: Path) -> str:
    """The last lines of a start: where the site is, who can sign in, what to try first."""
    try:
        accounts: Mapping[str, Any] = json.loads(read_text(state / "accounts.json"))
    except ValueError:
        accounts = {}
    width = max(map(len, accounts), default=0)
    changed = "(changed since; see “Passwords” in the README)"
    sandbox = (_readiness(port) or {}).get("sandbox", {})
    lines = [
        "",
        f"∞Bench is ready:  http://{HOST}:{port}/",
        "",
        *(f"    {name:<{width}}  {one['password'] or changed}" for name, one in accounts.items()),
        "",
        "Sign in as author, choose Submit, and press “Submit the sample files”; or change them in",
        "this folder, and upload it:",
        "",
        f"    {samples_folder(state)}",
        "",
    ]
    if endpoint:
        lines += [
            "Or let the site ask a model that answers by rules, without a key:",
            "",
            f"    http://{HOST}:{endpoint}/v1   {READER}",
            "",
        ]
    lines += [f"Sandbox: {sandbox.get('level')}. Logs: {state / 'log'}. Ctrl-C stops everything."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
