"""Directories that appear at their path only once they are complete."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_INSIDE = "unfinished"


@contextmanager
def atomic_directory(out: Path, prefix: str) -> Iterator[Path]:
    """A new directory to write into, renamed to ``out`` when the block ends without an error.

    Until then it is next to ``out``, inside a locked directory whose name begins with ``prefix``;
    those of killed runs are deleted first.

    Raises ``FileExistsError``, with a sentence for the reader, if at the start or by the end
    ``out`` has content; ``OSError`` if nothing can be written.
    """
    is_free = not out.exists() or (out.is_dir() and not any(out.iterdir()))
    if not is_free:
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
        try:
            folder.rename(out)
        except OSError as error:
            if out.exists():
                raise FileExistsError(
                    f"{out} exists by now: another run was faster. Nothing was changed."
                ) from error
            raise


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
