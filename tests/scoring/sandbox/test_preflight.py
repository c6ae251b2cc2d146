"""The preflight: attempts that succeed unless something stops them, and the resulting level."""

import json
import os
import socket
from collections.abc import Callable

import pytest

from scoring.sandbox.lockdown import Wall
from scoring.sandbox.preflight import bait, preflight, try_walls
from scoring.sandbox.run import Boxes, Level, read_in_box, run_box
from scoring.sandbox.worker.probing import ATTEMPTS
from tests.support.sandbox import (
    QUICK,
    as_ordinary_user,
    boxes,
    measured,
    open_to_all,
    with_package,
)

# Stopped without any wall: by limits, by the user, and by the way the scorer is started.
_STOPPED_ANYWAY = {"environment", "descriptors", "root", "memory", "files", "sockets"}


def got(walls: tuple[Wall, ...]) -> set[str]:
    """What a scorer can do that has only these walls around it."""
    with bait() as laid:
        options = {**laid.options, "sockets": [], "files": [], "shell": False}
        made = Boxes(Level.NONE, QUICK, walls=walls)
        with run_box(made, "probe", {}, ("findings",), options) as result:
            assert result.ok, result.details
            findings = json.load(result.outputs["findings"])
    return {name for name, finding in findings.items() if "got" in finding}


@pytest.mark.parametrize("walls", ["bubblewrap", "lockdown", "both"])
def test_no_attempt_to_break_out_succeeds(walls: str, summary_line: Callable[[str], None]) -> None:
    boxes(Level.LOCKDOWN if walls == "lockdown" else Level.STRONG)
    findings = [finding for finding in measured().findings if finding.walls == walls]
    assert [finding for finding in findings if not finding.held] == []
    held = sum(finding.held for finding in findings)
    summary_line(
        f"sandbox, {walls}, as user {os.geteuid()}: {held} of {len(findings)} attempts stopped"
    )


def test_without_protection_every_attempt_succeeds() -> None:
    unreadable = {"parent"} if os.geteuid() == 0 else set()  # root's; the scorer is nobody
    open_to_root_only = {"trace", "namespace", "kernel"}  # where the system is strict
    assert got(()) >= ATTEMPTS.keys() - _STOPPED_ANYWAY - unreadable - open_to_root_only


def test_landlock_alone_stops_files_network_and_signals() -> None:
    boxes(Level.LOCKDOWN)
    left = {"stat_file", "namespace", "kernel", "code"}
    if measured_landlock() >= 6:
        assert got(("landlock",)) <= left


def measured_landlock() -> int:
    with read_in_box(Boxes(Level.NONE, QUICK), {}) as result:
        version: int = json.loads(result.details.partition("\n")[0])["landlock"]
    return version


def test_seccomp_alone_stops_everything() -> None:
    boxes(Level.LOCKDOWN)
    assert got(("seccomp",)) == set()


def test_a_shell_that_starts_is_noticed() -> None:
    trial = try_walls("none", Boxes(Level.NONE, QUICK, walls=()), {"sockets": [], "files": []})
    assert trial.fault
    assert "shell" in {finding.attempt for finding in trial.findings if not finding.held}


def test_without_bubblewrap_the_level_is_lockdown_and_the_reason_is_said() -> None:
    boxes(Level.LOCKDOWN)
    found = preflight(Boxes(Level.STRONG, QUICK, bwrap="no-such-program"))
    assert found.level == Level.LOCKDOWN
    assert "no-such-program is not installed" in found.reason


def test_without_protection_the_level_is_none_with_a_reason() -> None:
    found = preflight(Boxes(Level.STRONG, QUICK, bwrap="no-such-program", walls=()))
    assert found.level == Level.NONE
    assert "no-such-program is not installed" in found.reason
    assert "it was possible to read a file" in found.reason


def test_the_site_s_own_files_and_sockets_are_among_the_attempts() -> None:
    with open_to_all() as folder, socket.socket(socket.AF_UNIX) as database:
        (folder / "key").write_text("secret")
        (folder / "key").chmod(0o644)
        database.bind(str(folder / "database"))
        database.listen()
        (folder / "database").chmod(0o777)
        own = {"sockets": [str(folder / "database")], "files": [str(folder / "key")]}
        no_box = Boxes(Level.NONE, QUICK, walls=())
        trial = try_walls("none", no_box, own, shell=False)
        found = preflight(sockets=[folder / "database"], files=[folder / "key"])
    reached = {finding.attempt for finding in trial.findings if not finding.held}
    assert {"sockets", "files"} <= reached
    assert found.level == measured().level


def test_a_preflight_can_be_shown_as_json() -> None:
    found = json.loads(json.dumps(measured().as_json()))
    assert found["level"] == measured().level
    assert {"walls", "attempt", "what", "held", "detail"} == found["findings"][0].keys()


_AS_SOMEBODY = """\
import json, os, socket, tempfile
from pathlib import Path
from scoring.sandbox.preflight import preflight, try_walls
from scoring.sandbox.run import Boxes, Level
with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX) as database:
    key, place = Path(name, "key"), Path(name, "database")
    key.write_text("secret")
    key.chmod(0o600)
    database.bind(str(place))
    database.listen()
    own = {"sockets": [str(place)], "files": [str(key)]}
    open_trial = try_walls("none", Boxes(Level.NONE, walls=()), own, shell=False)
    found = preflight(sockets=[place], files=[key])
print(json.dumps({
    "user": os.geteuid(),
    "without walls": [one.attempt for one in open_trial.findings if not one.held],
    "stopped": [[one.walls, one.attempt] for one in found.findings if one.held],
    "got": [[one.walls, one.attempt] for one in found.findings if not one.held],
}))
"""


def test_as_an_ordinary_user_each_layer_stops_what_succeeds_without_it() -> None:
    """Including the user's own files and sockets, which no change of account protects."""
    with open_to_all() as folder:
        found = as_ordinary_user(with_package(folder), _AS_SOMEBODY)
    assert isinstance(found, dict)
    assert found["user"] != 0
    assert found["got"] == []
    asked = {"read_file", "write_file", "files", "tcp", "unix", "abstract", "sockets", "signal"}
    assert asked <= set(found["without walls"])
    stopped = {tuple(one) for one in found["stopped"]}
    everything = {"processes", "parent", "fork", "memory", "environment", "descriptors", *asked}
    assert {("both", attempt) for attempt in everything} <= stopped
