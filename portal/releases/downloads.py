"""Files of a release that can be downloaded: written line by line, stored once, named by hash."""

import hashlib
from collections.abc import Iterable
from io import BufferedRandom
from pathlib import Path
from typing import Self

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models.functions import Now

from portal.atomic_files import nameless_file
from portal.models import ReleaseFile
from portal.storage import is_stored

DOWNLOADS = "releases"  # the folder in the storage


def import_file() -> BufferedRandom:
    """A nameless file for what an import has in hand, on the disk that has room for it."""
    return nameless_file(Path(settings.CACHE_DIR, "imports"))


class FileDraft:
    """A file on its way, hashed while it is written."""

    def __init__(self) -> None:
        self.stream = import_file()
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stream.close()

    def add(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._hash.update(line)
            self.stream.write(line)

    def keep(self) -> ReleaseFile:
        """Stored under its hash, if it was not yet, or was lost."""
        sha256, size = self._hash.hexdigest(), self.stream.tell()
        row = ReleaseFile.objects.filter(sha256=sha256)
        if row.update(seen=Now()) and is_stored(row.get().file.name, size):
            return row.get()
        name = default_storage.save(f"{DOWNLOADS}/{sha256}.jsonl", File(self.stream))
        draft = ReleaseFile(sha256=sha256, size=size, file=name)
        ReleaseFile.objects.bulk_create([draft], ignore_conflicts=True)
        if not is_stored(row.get().file.name, size):
            row.update(file=name)
        if row.get().file.name != name:  # another import was quicker
            default_storage.delete(name)
        return row.get()
