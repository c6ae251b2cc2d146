"""Files that are whole or not there at all, and files that nobody finds."""

import os
import tempfile
from collections.abc import Iterable
from io import BufferedRandom
from pathlib import Path


def write_whole(place: Path, parts: Iterable[bytes], *, mode: int = 0o600) -> None:
    """The file appears when all of it is on the disk, whoever else writes it at the same time.

    A failure leaves nothing. Raises ``OSError``, and what the parts raise.
    """
    draft = None
    try:
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as out:
            draft = Path(out.name)
            out.writelines(parts)
            out.flush()
            os.fchmod(out.fileno(), mode)
            os.fsync(out.fileno())
        draft.rename(place)
    except BaseException:
        if draft:
            draft.unlink(missing_ok=True)
        raise
    _sync_folder(place.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def nameless_file(folder: Path) -> BufferedRandom:
    """An empty file of which nothing is left when this process ends, however it ends."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=folder)
