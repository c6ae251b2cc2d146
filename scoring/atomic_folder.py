"""Folders that stand in their place only when all of them is written."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_INSIDE = "unfinished"


@contextmanager
def whole_folder(out: Path, prefix: str) -> Iterator[Path]:
    """A new folder to write into, which is ``out`` when it is left without an error.

    Meanwhile it lies beside ``out``, in one whose name begins with ``prefix``; those of runs that
    were killed are cleared away. Raises ``FileExistsError`` where ``out`` holds something by the
    end, ``OSError`` where nothing can be written.
    """
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    for path in out.parent.glob(f"{prefix}*"):
        _clear_away(path)
    with TemporaryDirectory(prefix=prefix, dir=out.parent) as scratch, _held(Path(scratch)):
        folder = Path(scratch, _INSIDE)
        folder.mkdir()
        yield folder
        try:
            folder.rename(out)
        except OSError as error:
            if out.exists():
                raise FileExistsError(f"{out} exists by now") from error
            raise


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Until this process ends, however that may be. Raises ``BlockingIOError``."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _clear_away(path: Path) -> None:
    """If it is one of ours whose run has ended: its folder inside is made when it is held."""
    with suppress(OSError):
        if path.joinpath(_INSIDE).is_dir():
            with _held(path):
                shutil.rmtree(path)
