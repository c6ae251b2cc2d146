"""PostgreSQL's own programs: pg_dump and pg_restore, on PATH or from the wheel of the demo."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from django.db import connection

from portal.demo.postgres_binaries import find_binaries
from portal.demo.state_folder import DemoError

_CHUNK = 1 << 20  # bytes
_LIBPQ = {  # options of a database URL, as the programs read them from the environment
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "options": "PGOPTIONS",
    "connect_timeout": "PGCONNECT_TIMEOUT",
}


class ProgramError(Exception):
    """A program of PostgreSQL is missing or has failed; the message has its output."""


def find_program(name: str) -> str:
    """Raises ``ProgramError``."""
    for candidate in _candidates(name):
        return candidate
    raise ProgramError(
        f"{name} is not installed. Install PostgreSQL's client programs "
        "(Debian: postgresql-client), of the server's version or newer."
    )


def program_for_server(name: str) -> str:
    """The first one as new as the server: older ones refuse. Raises ``ProgramError``."""
    server = server_major()
    found = {candidate: major_of(candidate) for candidate in _candidates(name)}
    for candidate, major in found.items():
        if major >= server:
            return candidate
    if not found:
        return find_program(name)
    raise ProgramError(
        f"{name} is of version {max(found.values())}, but the server of version {server}. "
        f"Install PostgreSQL's client programs of version {server} or newer."
    )


def major_of(program: str) -> int:
    result = subprocess.run(  # noqa: S603 - found on PATH or in our wheel
        [program, "--version"], capture_output=True, text=True, check=False
    )
    version = re.search(r"(\d+)", result.stdout)
    return int(version[1]) if version else 0


def server_major() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        [number] = cursor.fetchone() or ["0"]
    return int(number) // 10_000


def dump_database(snapshot: str, without_rows_of: Sequence[str]) -> Iterator[bytes]:
    """pg_dump's own format, of one snapshot of the database. Raises ``ProgramError``."""
    command = [program_for_server("pg_dump"), "--format=custom", "--no-owner", "--no-privileges"]
    command += [f"--snapshot={snapshot}"]
    command += [f"--exclude-table-data={table}" for table in without_rows_of]
    with _running(command, stdout=subprocess.PIPE) as process:
        output = cast("IO[bytes]", process.stdout)
        while chunk := output.read(_CHUNK):
            yield chunk


def restore_database(dump: Iterable[bytes]) -> None:
    """All of it in one transaction, or nothing. Raises ``ProgramError``."""
    command = [program_for_server("pg_restore"), "--no-owner", "--no-privileges"]
    command += ["--single-transaction", "--exit-on-error"]
    command += ["--dbname", str(connection.settings_dict["NAME"])]
    with _running(command, stdin=subprocess.PIPE) as process:
        stdin = cast("IO[bytes]", process.stdin)
        with suppress(BrokenPipeError):  # it has failed, and says why
            stdin.writelines(dump)
            stdin.close()


@contextmanager
def _running(
    command: Sequence[str], *, stdin: int = subprocess.DEVNULL, stdout: int = subprocess.DEVNULL
) -> Iterator["subprocess.Popen[bytes]"]:
    """Kill the process if the block fails. Raises ``ProgramError`` if the process fails."""
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(  # noqa: S603 - likewise
            command, env=_environment(), stdin=stdin, stdout=stdout, stderr=stderr
        )
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            for stream in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    if stream:
                        stream.close()
            status = process.wait()
        if status != 0:
            stderr.seek(0)
            reason = stderr.read(4_000).decode(errors="replace").strip()
            raise ProgramError(f"{Path(command[0]).name} has failed ({status}): {reason}")


def _candidates(name: str) -> Iterator[str]:
    on_path = shutil.which(name)
    if on_path:
        yield on_path
    try:
        bundled = find_binaries().program(name)
    except DemoError:
        return
    if Path(bundled).is_file():
        yield bundled


def _environment() -> dict[str, str]:
    """Ours, and how to connect; not as arguments, which every user of the machine can read."""
    entry = connection.settings_dict
    found = {
        "PGHOST": entry["HOST"],
        "PGPORT": entry["PORT"],
        "PGUSER": entry["USER"],
        "PGPASSWORD": entry["PASSWORD"],
        "PGDATABASE": entry["NAME"],
        "PGAPPNAME": "backup",
        **{_LIBPQ[key]: str(value) for key, value in entry["OPTIONS"].items() if key in _LIBPQ},
    }
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return inherited | {
        name: str(value) for name, value in found.items() if value not in ("", None)
    }
