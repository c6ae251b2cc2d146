"""The rights that the scorer gives up: the filter step by step, and everything for real."""

import hashlib
import io
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.sandbox import lockdown
from scoring.sandbox.lockdown import MACHINES, NOBODY, WALLS, LockdownError, bpf_program
from scoring.sandbox.run import Level
from scoring.sandbox.worker.job import Streams
from scoring.sandbox.worker.reading import run as read_stage
from tests.scoring.predictions.test_canonical import BAD
from tests.support.bad_archives import ARCHIVES
from tests.support.bad_inputs import FILES
from tests.support.paths import ROOT
from tests.support.sandbox import NEEDED, boxes

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000
READ, WRITE, EXEC = 1, 2, 4
X32 = 0x40000000  # set in the call numbers of another ABI on x86_64


def verdict(machine: str, call: int, third: int = 0, audit: int | None = None) -> int:
    """What the kernel does with a call: a small interpreter of the filter's instructions."""
    program = list(struct.iter_unpack("=HBBI", bpf_program(MACHINES[machine])))
    arch = MACHINES[machine].audit if audit is None else audit
    memory = struct.pack("=IIQQQQ", call, arch, 0, 0, 0, third)
    at, value = 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", memory, operand)
        elif code == 0x15:
            at += if_true if value == operand else if_false
        elif code == 0x45:
            at += if_true if value & operand else if_false
        else:
            assert code == 0x06
            return int(operand)


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_calls_on_the_list_are_allowed(machine: str) -> None:
    allowed = {call for call in range(1_000) if verdict(machine, call) == ALLOW}
    assert allowed == set(MACHINES[machine].calls.values())
    assert all(verdict(machine, call) == REFUSE for call in range(1_000) if call not in allowed)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("call", ["mmap", "mprotect"])
def test_memory_may_not_become_executable(machine: str, call: str) -> None:
    number = MACHINES[machine].calls[call]
    assert verdict(machine, number, READ | WRITE) == ALLOW
    assert verdict(machine, number, READ | EXEC) == REFUSE
    assert verdict(machine, number, READ | WRITE | EXEC | 1 << 25) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
def test_the_calls_of_another_architecture_end_the_process(machine: str) -> None:
    i386 = 0x40000003
    for call in (0, 1, 3, 11):
        assert verdict(machine, call, audit=i386) == KILL


def test_the_calls_of_x32_are_refused() -> None:
    assert all(verdict("x86_64", call | X32) == REFUSE for call in range(600))


def test_no_call_on_the_lists_takes_a_path_or_makes_a_process() -> None:
    names = set(MACHINES["x86_64"].calls)
    assert names == set(MACHINES["aarch64"].calls)
    assert not any(word in name for name in names for word in ("open", "stat", "exec", "clone"))
    assert not names & {"fork", "socket", "connect", "kill", "tgkill", "ptrace", "prctl", "ioctl"}


def in_python(program: str, *arguments: object) -> str:
    """What a program prints in a Python process of its own."""
    command = [sys.executable, "-S", "-P", "-c", program, *map(str, arguments)]
    finished = subprocess.run(
        command,
        env={"PYTHONPATH": f"{ROOT}:{NEEDED.parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


_LIMITS = """\
import json, os, resource
from scoring.sandbox.lockdown import lock
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
locked = lock((), (), memory=1 << 29, cpu=7, output=1 << 20, parent=os.getppid())
kinds = ("AS", "CPU", "FSIZE", "CORE")
limits = {kind: resource.getrlimit(getattr(resource, "RLIMIT_" + kind)) for kind in kinds}
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
print(json.dumps({"uid": locked.uid, "ids": os.getresuid() + os.getresgid(),
    "groups": os.getgroups(), "limits": limits, "status": status}))
"""


def test_limits_are_lowered_and_never_raised() -> None:
    limits = json.loads(in_python(_LIMITS))["limits"]
    assert limits == {"AS": [1 << 29] * 2, "CPU": [7, 8], "FSIZE": [500, 500], "CORE": [0, 0]}


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT ROOT: nothing to leave")
def test_root_becomes_the_user_nobody_without_groups_and_capabilities() -> None:
    found = json.loads(in_python(_LIMITS))
    assert found["uid"] == NOBODY
    assert found["ids"] == [NOBODY] * 6
    assert found["groups"] == []
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(found["status"][kind], 16) == 0, kind
    assert found["status"]["NoNewPrivs"] == "1"


def test_a_scorer_whose_parent_has_ended_does_not_start() -> None:
    program = """\
from scoring.sandbox.lockdown import LockdownError, lock
try:
    lock((), (), memory=1 << 29, cpu=7, output=1, parent=1 << 30)
except LockdownError as error:
    print(error)
"""
    assert "is gone" in in_python(program)


def test_a_required_layer_that_is_not_available_stops_the_scorer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lockdown, "landlock_version", lambda: 0)
    with pytest.raises(LockdownError, match="no Landlock"):
        lockdown.build("landlock", WALLS, required=WALLS)
    assert lockdown.build("landlock", WALLS, required=()) == 0


def test_a_machine_without_a_list_of_calls_gets_no_filter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lockdown, "MACHINES", {})
    with pytest.raises(LockdownError, match="no list of system calls"):
        lockdown.filter_system_calls()


_READER = """\
import hashlib, io, json, sys
from pathlib import Path
from scoring.sandbox.worker.reading import run
from scoring.sandbox.worker.job import Streams
from scoring.sandbox.lockdown import WALLS, lock
files = {file.name: file.open("rb") for file in Path(sys.argv[1]).iterdir()}
lock(WALLS, WALLS, memory=2 << 30, cpu=60, output=1 << 20)
found = {}
for number, file in files.items():
    output = io.BytesIO()
    options = {"task": None, "file_tasks": {}, "kept": []}
    outputs = {"predictions": output, "contents": io.BytesIO()}
    run(Streams({"preds_passkey.jsonl": file}, outputs, options))
    found[number] = hashlib.sha256(output.getvalue()).hexdigest()
print(json.dumps(found))
"""


def test_bad_inputs_give_the_same_result_inside_the_lockdown(tmp_path: Path) -> None:
    boxes(Level.LOCKDOWN)
    expected = {}
    for number, name in enumerate(BAD):
        content = (FILES.get(name) or ARCHIVES[name]).make()
        (tmp_path / str(number)).write_bytes(content)
        output = io.BytesIO()
        inputs = {"preds_passkey.jsonl": io.BytesIO(content)}
        options: dict[str, object] = {"task": None, "file_tasks": {}, "kept": []}
        outputs = {"predictions": output, "contents": io.BytesIO()}
        read_stage(Streams(inputs, outputs, options))
        expected[str(number)] = hashlib.sha256(output.getvalue()).hexdigest()
    assert json.loads(in_python(_READER, tmp_path)) == expected
