"""Run the functions of a generated package where they can do no harm, and see which ones fail.

The package runs alone inside a sandbox like the scorer's: no file but its own, no
network, little memory and time.
"""

import json
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from scoring.limits import MIB
from scoring.sandbox.bubblewrap import in_bubblewrap, without_bubblewrap
from scoring.sandbox.process import start_process, wait_for
from scoring.sandbox.run import Level
from tests.support.sandbox import measured

FILE = re.compile(r"^# File: (\S+)\n", re.MULTILINE)
PATIENCE = 0.1  # seconds of processor time for a call that takes microseconds

# Arguments for functions, by the parameters in their signatures.
SAMPLES = {
    "list[int]": ([3, 47, 12, 8, 47, 30, 21], [59, 2, 14, 14, 33, 40, 5, 61, 18]),
    "int": (37, 386),
    "list[str]": (["umbrella", "copper", "ink", "umbrella", "mortar"], ["nickel", "jug", "linen"]),
    "str": ("feather, ink, umbrella", "barrel nickel jug gravel"),
    "dict[str, int]": ({"umbrella": 40, "ink": 3, "copper": 17}, {"jug": 12, "vinegar": 1}),
}

# Reports failures, {"path or name": "exception"}, and how many functions were called.
RUNNER = """
import ast, importlib, json, resource, signal, sys
job = json.load(sys.stdin)
resource.setrlimit(resource.RLIMIT_AS, (job["memory"], job["memory"]))

class Endless(BaseException):
    pass

def stop(*_):
    raise Endless

def run(function, node):
    takes, *more = node.args.args
    for sample in job["samples"][ast.unparse(takes.annotation)]:
        signal.setitimer(signal.ITIMER_VIRTUAL, job["patience"])
        try:
            function(sample, *[4 for _ in more])
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "right"

def attempt(action):
    try:
        return action()
    except BaseException as error:
        return type(error).__name__

signal.signal(signal.SIGVTALRM, stop)
found, right = {}, 0
for path, text in job["files"].items():
    found[path] = attempt(lambda: compile(text, path, "exec") and "right")
    if found[path] != "right":
        continue
    names = vars(importlib.import_module(path[:-3].replace("/", ".")))
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = attempt(lambda: run(names[node.name], node))
            right += 1
print(json.dumps({**{k: v for k, v in found.items() if v != "right"}, "called": right}))
"""


def files_of(context: str) -> dict[str, str]:
    """The modules of a package, by path."""
    parts = FILE.split(context)
    assert not parts[0]
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def wrong_ones(context: str) -> dict[str, str]:
    """The modules and functions of a package that fail, and the exceptions they raise.

    “Endless” stands for a call that never returns. Under “called”: how many were called.
    """
    files = {path: text for path, text in files_of(context).items() if path.endswith(".py")}
    with TemporaryDirectory(prefix="package-") as scratch:
        for path, text in files.items():
            place = Path(scratch, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        open_to_nobody(Path(scratch))
        (package,) = Path(scratch).iterdir()
        job = {"files": files, "samples": SAMPLES, "patience": PATIENCE, "memory": 512 * MIB}
        return run(package, job)


def open_to_nobody(folder: Path) -> None:
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)


def run(package: Path, job: Mapping[str, object]) -> dict[str, str]:
    wrapped = in_bubblewrap if strong() else without_bubblewrap
    command, environment = wrapped("bwrap", package, ("-S", "-s", "-P", "-B", "-c", RUNNER))
    with TemporaryFile() as stdin:
        stdin.write(json.dumps(job).encode())
        stdin.seek(0)
        process = start_process(command, environment, stdin, ())
    finished = wait_for(process, seconds=60, watch=lambda: None, interval=1)
    assert finished.exit_code == 0, finished.output.decode()
    return dict(json.loads(finished.output))


@cache
def strong() -> bool:
    """Whether bubblewrap works here; otherwise the limits must suffice, as the code is our own."""
    return bool(shutil.which("bwrap")) and measured().level is Level.STRONG
