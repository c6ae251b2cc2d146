"""Uploaded files: stored before their row is written, and kept while a submission refers to them.

Two versions may share an original. Whoever refers to originals or deletes them locks their rows
first, in the order of primary keys, so that of two concurrent transactions the second sees what the
first has done.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any
from uuid import uuid4

from django.core.files.base import File
from django.db import InterfaceError, OperationalError, transaction

from portal.errors import StateError
from portal.models import FILE_NAME_CAP, Original, Submission, SubmissionFile
from portal.storage.folder import HashingFile

UPLOADS = "uploads"  # the folder in the storage


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that has just arrived, and the tasks that its name, or names in it, do not tell."""

    content: "File[Any] | IO[bytes]"
    name: str
    task: str = ""  # of a single file
    file_tasks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """An original of an earlier version, and which of its tasks are kept."""

    original: Original
    tasks: list[str] | None = None  # None: all


@contextmanager
def stored_original(upload: Upload) -> Iterator[Original]:
    """Store the bytes. ``add_files``, called in the ``with`` block, writes the row of the original.

    The file gets a unique name, since two requests may use one submission id at once. An exception
    in the block deletes the file. If the connection to the database is lost or the process is
    killed, the row may have been written; if it was not, ``portal.operations.orphans`` deletes the
    file later. Raises ``OSError``.
    """
    name = clean_upload_name(upload.name)
    file_tasks = {
        name if file == upload.name else file: task for file, task in upload.file_tasks.items()
    }
    original = Original(name=name, task=upload.task, file_tasks=file_tasks)
    hashing = HashingFile(upload.content)
    original.file.name = original.file.storage.save(f"{UPLOADS}/{uuid4()}", hashing)
    original.size, original.hash = hashing.bytes_read, hashing.sha256
    try:
        yield original
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        delete_file(original)
        raise


def clean_upload_name(name: str) -> str:
    """The last part of a path, made storable. People see it, and the task is read from it."""
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = last.replace("\0", "�").encode(errors="replace").decode()
    return clean[-FILE_NAME_CAP:] or "upload"


def add_files(
    submission: Submission, original: Original | None, kept: Sequence[KeptFile] = ()
) -> None:
    """Write which files the submission has: the kept ones, and the new original with its row.

    To be called in the transaction that writes the submission. Raises ``StateError`` if a kept
    original has been deleted, or is not of a submission that the owner acts for.
    """
    theirs = Submission.objects.owned_by(submission.owner_id).order_by().values("pk")
    used = SubmissionFile.objects.filter(submission__in=theirs)
    own = used.filter(original__in=[one.original.pk for one in kept])
    if len(_lock(own.values_list("original_id", flat=True))) < len(kept):
        raise StateError(
            "The files of the earlier version have been deleted in the meantime.", "files_gone"
        )
    rows = [SubmissionFile(original=one.original, kept_tasks=one.tasks) for one in kept]
    if original:
        original.submission = submission
        original.save(force_insert=True)
        rows.append(SubmissionFile(original=original))
    for position, row in enumerate(rows):
        row.submission, row.position = submission, position
    SubmissionFile.objects.bulk_create(rows)


@contextmanager
def released_originals(submission: Submission) -> Iterator[None]:
    """Delete the originals that only this submission uses, once the block has deleted it.

    To be used in the transaction of the deletion; the files themselves are deleted after commit.
    """
    originals = _lock(submission.files.values_list("original_id", flat=True))
    yield
    unused = [original for original in originals if not original.uses.exists()]
    Original.objects.filter(pk__in=[original.pk for original in unused]).delete()

    def delete_files() -> None:
        for original in unused:
            delete_file(original)

    transaction.on_commit(delete_files, robust=True)


def _lock(keys: Iterable[int]) -> list[Original]:
    return list(Original.objects.select_for_update().filter(pk__in=set(keys)).order_by("pk"))


def delete_file(original: Original) -> None:
    original.file.storage.delete(str(original.file.name))
