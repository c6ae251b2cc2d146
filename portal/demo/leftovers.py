"""What an earlier supervisor left running when it was killed, found by proof and not by name."""

import json
import secrets
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from portal.demo.processes import Identity, alive, boot_id, carriers, end, identity, session_of
from portal.demo.state_files import write_file

MARK = "INFINITEBENCH_SUPERVISOR"


class Record:
    """Knows the processes of one state folder again, in two ways.

    The pids and start times of the children are written down at every start. And every child gets
    a secret of the folder in its environment, which its own children inherit, even those that
    leave its session; only a program that overwrites its environment is not found by that.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / "supervisor.json"
        self._token = _token_of(state)

    @property
    def environment(self) -> dict[str, str]:
        """What every child has to get."""
        return {MARK: self._token}

    def write(self, pids: Iterable[int]) -> None:
        started = {pid: who.started for pid in pids if (who := identity(pid))}
        with suppress(OSError):  # a full disk must not end the supervisor
            write_file(self._path, json.dumps({"boot": boot_id(), "started": started}))

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)

    def left_overs(self) -> set[Identity]:
        """The processes of this folder that still run."""
        recorded = [member for leader in self._read() for member in session_of(leader)]
        return {*recorded, *self._carriers()}

    def end_strays(self) -> list[Identity]:
        """Kill those that carry the secret and outlived the stop. Returns those that do not go."""
        return end(self._carriers(), ((signal.SIGKILL, 5.0),))

    def _carriers(self) -> list[Identity]:
        return carriers(f"{MARK}={self._token}")

    def _read(self) -> list[Identity]:
        try:
            record = json.loads(self._path.read_text(encoding="utf-8"))
            leaders = [Identity(int(p), s, record["boot"]) for p, s in record["started"].items()]
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return []  # none, or cut short: the secret is still there to find them by
        return [leader for leader in leaders if alive(leader)]


def _token_of(state: Path) -> str:
    path = state / "supervisor.token"
    if not path.exists():
        write_file(path, secrets.token_hex(16))
    return path.read_text(encoding="utf-8").strip()
