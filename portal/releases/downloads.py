"""Downloadable files of a release: written line by line, stored once, named by their hash."""

import hashlib
from io import BufferedRandom
from pathlib import Path
from typing import Self

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models.functions import Now

from portal.models import ReleaseFile
from portal.storage.folder import anonymous_file, is_stored

DOWNLOADS = "releases"  # the folder in the storage


def temporary_import_file() -> BufferedRandom:
    """A temporary file of an import, on the disk that has room for whole releases."""
    return anonymous_file(Path(settings.CACHE_DIR, "imports"))


class FileDraft:
    """A file that is hashed while it is written."""

    def __init__(self) -> None:
        self.stream = temporary_import_file()
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stream.close()

    def add(self, line: bytes) -> None:
        self._hash.update(line)
        self.stream.write(line)

    def store(self) -> ReleaseFile:
        """Store the file unless it is stored already; returns its row."""
        sha256, size = self._hash.hexdigest(), self.stream.tell()
        row = ReleaseFile.objects.filter(sha256=sha256)
        if row.update(last_used=Now()) and is_stored(row.get().file.name, size):
            return row.get()
        name = default_storage.save(f"{DOWNLOADS}/{sha256}.jsonl", File(self.stream))
        draft = ReleaseFile(sha256=sha256, size=size, file=name)
        ReleaseFile.objects.bulk_create([draft], ignore_conflicts=True)
        if not is_stored(row.get().file.name, size):
            row.update(file=name)
        if row.get().file.name != name:  # another import stored it first
            default_storage.delete(name)
        return row.get()
