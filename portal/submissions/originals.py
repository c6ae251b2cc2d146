"""The original bytes of a submission: on the disk before its row is, and deleted with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from uuid import uuid4

from django.core.files.base import File
from django.db import InterfaceError, OperationalError

from portal.models import Submission
from portal.storage import HashingFile

UPLOADS = "uploads"  # the folder in the storage


@contextmanager
def stored_original(submission: Submission, upload: "File[Any] | IO[bytes]") -> Iterator[None]:
    """Store the bytes and name them in the submission, whose row is to be written within.

    The file gets a name of its own, since two requests may use one submission id at once. An
    exception within deletes the file. Where the connection to the database is lost, or the process
    is killed, the row may have been written: if not, ``portal.orphans`` deletes the file later.
    Raises ``OSError``.
    """
    hashing = HashingFile(upload)
    submission.upload.name = submission.upload.storage.save(f"{UPLOADS}/{uuid4()}", hashing)
    submission.upload_size, submission.upload_hash = hashing.bytes_read, hashing.sha256
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        delete_original(submission)
        raise


def delete_original(submission: Submission) -> None:
    submission.upload.storage.delete(str(submission.upload.name))
