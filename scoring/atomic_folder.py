"""Directories that appear at their path only once they are complete."""

import ctypes
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_INSIDE, _BEFORE = "unfinished", "before"
_HERE, _EXCHANGE = -100, 2  # Linux's AT_FDCWD and RENAME_EXCHANGE


@contextmanager
def atomic_directory(
    out: Path, prefix: str, *, may_replace: Callable[[Path], bool] = lambda _: False
) -> Iterator[Path]:
    """A new directory to write into, renamed to ``out`` when the block ends without an error.

    Until then it is next to ``out``, inside a locked directory whose name begins with ``prefix``;
    those of killed runs are deleted first. What was at ``out`` is exchanged with it in one step if
    the file system supports that; elsewhere ``out`` is missing for an instant.

    Raises ``FileExistsError``, with a sentence for the reader, if at the start or by the end
    ``out`` has content that ``may_replace`` does not accept losing; ``OSError`` if nothing can be
    written.
    """
    is_free = not out.exists() or (out.is_dir() and not any(out.iterdir()))
    if not is_free and not may_replace(out):
        raise FileExistsError(
            f"{out} exists already: name a folder that does not, or an empty one."
        )
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    for path in out.parent.glob(f"{prefix}*"):
        with suppress(OSError):  # BlockingIOError: its run is alive
            if path.joinpath(_INSIDE).is_dir():  # created once the lock is held
                with _locked(path):
                    shutil.rmtree(path)
    with TemporaryDirectory(prefix=prefix, dir=out.parent) as scratch, _locked(Path(scratch)):
        folder = Path(scratch, _INSIDE)
        folder.mkdir()
        yield folder
        before = Path(scratch, _BEFORE)
        if out.is_dir() and may_replace(out):
            if _change_places(folder, out):
                return
            out.rename(before)
        try:
            folder.rename(out)
        except OSError as error:
            if before.exists() and not out.exists():
                before.rename(out)
            if out.exists():
                raise FileExistsError(
                    f"{out} exists by now: another run was faster. Nothing was changed."
                ) from error
            raise


def _change_places(one: Path, other: Path) -> bool:
    """In one step, so that both exist at any moment. False: it cannot be done here, and nothing was
    done."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return bool(
        rename and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0
    )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock that is released when this process ends at the latest. Raises
    ``BlockingIOError``."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
