"""The command line that starts the scorer inside bubblewrap, where it sees nothing but Python.

In the box are the system's libraries, the interpreter, this package and the one package it needs,
all read-only: no /etc, no /proc, no /dev, no /tmp, no shell, no network; nothing can be written
anywhere.

As root there is no user namespace: with one, the kernel's user stays root, and the box could read
what only root may. Then setpriv switches to ``nobody`` before Python starts; since that user cannot
reach a Python in root's home, its prefix is bound to a path of its own.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from scoring.sandbox.lockdown import NOBODY

_LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64")
_SYSTEM = Path("/usr")
_PYTHON = Path("/py")  # the interpreter's prefix inside the box, unless it is the system's
_CODE = Path("/app")
_NEEDED = Path(orjson.__file__).parent  # the only package outside the standard library
# Made before their contents, or bubblewrap makes them for root alone.
_OPEN_TO_NOBODY = ("--dir", "/usr", "--dir", "/usr/bin", "--dir", str(_CODE))
_SETPRIV = "/usr/bin/setpriv"
# No ambient, inheritable or bounding capability, no way to a new one.
_BECOME_NOBODY = (
    _SETPRIV, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all",
    "--bounding-set=-all", "--no-new-privs",
)  # fmt: skip


Command = tuple[list[str], Mapping[str, str]]  # with its environment


def python_executable() -> Path:
    """The interpreter itself, behind the links of a virtual environment."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def environment(prefix: Path, *paths: Path) -> dict[str, str]:
    """All the variables that the scorer sees; it imports from the paths."""
    return {
        "LC_ALL": "C.UTF-8",
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONUTF8": "1",
    }


def without_bubblewrap(_bwrap: str, package: Path, arguments: Sequence[str]) -> Command:
    """The command that runs this Python with the arguments as it is, and its environment.

    As root, the scorer becomes ``nobody`` after it has been loaded: that user may not be able to
    read this Python.
    """
    prefix = Path(sys.base_prefix).resolve()
    variables = environment(prefix, package.parent, _NEEDED.parent)
    return [str(python_executable()), *arguments], variables


def in_bubblewrap(bwrap: str, package: Path, arguments: Sequence[str]) -> Command:
    """The command that runs this Python with the arguments in a box, and its environment.

    ``package`` is the directory of this package, of which no other part of its project is seen.
    Raises ``OSError`` where a program is missing.
    """
    as_root = os.geteuid() == 0
    executable, prefix, binds = _python()
    libraries: list[str] = []  # the system's directories, or the links to them, as outside
    for library in map(Path, _LIBRARIES):
        if library.is_symlink():
            libraries += ["--symlink", str(library.readlink()), str(library)]
        elif library.is_dir():
            libraries += ["--ro-bind", str(library), str(library)]
    command = [
        _found(bwrap), "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
        "--unshare-cgroup-try", "--die-with-parent", *_OPEN_TO_NOBODY, *libraries, *binds,
        "--ro-bind", str(package), str(_CODE / package.name),
        "--ro-bind", str(_NEEDED), str(_CODE / _NEEDED.name), "--chdir", "/",
    ]  # fmt: skip
    if as_root:
        command += ["--ro-bind", _found("setpriv"), _SETPRIV, "--remount-ro", "/"]
        command += ["--", *_BECOME_NOBODY]
    else:
        command += ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
        command += ["--remount-ro", "/", "--"]
    return [*command, str(executable), *arguments], environment(prefix, _CODE)


def _python() -> tuple[Path, Path, list[str]]:
    """Where the interpreter and its prefix are in the box, and the arguments that put them
    there."""
    executable, prefix = python_executable(), Path(sys.base_prefix).resolve()
    if prefix == _SYSTEM:  # its library is among the system's
        return executable, prefix, ["--ro-bind", str(executable), str(executable)]
    if executable.is_relative_to(prefix):
        inside = _PYTHON / executable.relative_to(prefix)
        return inside, _PYTHON, ["--ro-bind", str(prefix), str(_PYTHON)]
    raise FileNotFoundError(f"{executable} is not in its prefix {prefix}")


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise FileNotFoundError(f"{program} is not installed")
    return str(Path(path).resolve())
