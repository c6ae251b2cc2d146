"""Run the functions of a generated package where they can do no harm, and see what they do.

The package runs alone inside a sandbox like the scorer's: no file but its own, no
network, little memory and time.
"""

import json
import re
import shutil
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

# Tells what does not do as it says: {"path or name": "what happened instead"}, and how many do.
RUNNER = """
import ast, doctest, importlib, json, resource, signal, sys
job = json.load(sys.stdin)
resource.setrlimit(resource.RLIMIT_AS, (job["memory"], job["memory"]))

class Endless(BaseException):
    pass

def stop(*_):
    raise Endless

def does(example, names):
    signal.setitimer(signal.ITIMER_VIRTUAL, job["patience"])
    try:
        value = eval(example.source, names)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "right" if repr(value) + chr(10) == example.want else "wrong: " + repr(value)[:99]

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
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            (example,) = doctest.DocTestParser().get_examples(ast.get_docstring(node))
            found[node.name] = attempt(lambda: does(example, names))
            right += 1
print(json.dumps({**{k: v for k, v in found.items() if v != "right"}, "called": right}))
"""


def files_of(context: str) -> dict[str, str]:
    """The modules of a package by their paths."""
    parts = FILE.split(context)
    assert not parts[0]
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def wrong_ones(context: str) -> dict[str, str]:
    """What in a package is not as it says: a module or function, and the exception that it raises.

    “Endless” for a call that does not come to its end. Under “called”: how many were called.
    """
    files = files_of(context)
    with TemporaryDirectory(prefix="package-") as scratch:
        for path, text in files.items():
            place = Path(scratch, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        open_to_nobody(Path(scratch))
        (package,) = Path(scratch).iterdir()
        return run(package, {"files": files, "patience": PATIENCE, "memory": 512 * MIB})


def open_to_nobody(folder: Path) -> None:
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)


def run(package: Path, job: dict[str, object]) -> dict[str, str]:
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
    """Whether bubblewrap works here; otherwise the limits alone must do for code of our own."""
    return bool(shutil.which("bwrap")) and measured().level is Level.STRONG
