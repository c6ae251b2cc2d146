"""The original bytes of a submission: on the disk before its row, and gone without it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from uuid import uuid4

from django.core.files.base import File
from django.db import InterfaceError, OperationalError

from portal.models import Submission
from portal.storage import Measured

UPLOADS = "uploads"  # the folder in the storage


@contextmanager
def original_kept(submission: Submission, upload: "File[Any] | IO[bytes]") -> Iterator[None]:
    """Store the bytes and name them in the submission, whose row is written within.

    Their name is their own: a submission's id may come twice at once. What fails within takes them
    along. Where the database goes away, or the process is ended, perhaps the row is written: if
    not, ``portal.orphans`` finds the file that nobody names. Raises ``OSError``.
    """
    measured = Measured(upload)
    submission.upload.name = submission.upload.storage.save(f"{UPLOADS}/{uuid4()}", measured)
    submission.upload_size, submission.upload_hash = measured.measured, measured.sha256
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        remove_original(submission)
        raise


def remove_original(submission: Submission) -> None:
    submission.upload.storage.delete(str(submission.upload.name))
