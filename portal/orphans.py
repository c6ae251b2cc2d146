"""What nobody knows of: left by a process that was killed between a file and its row, or by an
import that was never finished."""

import logging
from datetime import timedelta

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from portal.models import Context, ReleaseFile, Submission
from portal.releases.context_store import CONTEXTS
from portal.releases.downloads import DOWNLOADS
from portal.submissions.originals import UPLOADS

_AGE = timedelta(hours=1)  # a row follows its file within seconds; so none that is awaited is hit
_FOLDERS = (UPLOADS, CONTEXTS, DOWNLOADS)

log = logging.getLogger(__name__)


def remove_strays() -> int:
    """Delete rows that no release names for long, and old files that no row names.

    Returns how many files there were.
    """
    _forget(Context.objects.forgotten())
    _forget(ReleaseFile.objects.forgotten())
    strays = _old_files() - _named_files()
    for name in strays:
        log.warning("a file that nothing names is deleted: %s", name)
        default_storage.delete(name)
    return len(strays)


def _forget(rows: "QuerySet[Context] | QuerySet[ReleaseFile]") -> None:
    """Their files are strays then. An import that wants one of them now has it first, or waits and
    finds that it is gone."""
    with transaction.atomic():
        locked = rows.select_for_update(skip_locked=True, of=("self",))
        ids = list(locked.values_list("pk", flat=True))
        rows.model._default_manager.filter(pk__in=ids).delete()


def _old_files() -> set[str]:
    """Their names; looked at before the rows, so that a row written meanwhile is seen."""
    folders = [folder for folder in _FOLDERS if default_storage.exists(folder)]
    names = {
        f"{folder}/{file}" for folder in folders for file in default_storage.listdir(folder)[1]
    }
    return {name for name in names if _is_old(name)}


def _named_files() -> set[str]:
    columns = (
        Submission.objects.values_list("upload", flat=True),
        Context.objects.values_list("text", flat=True),
        Context.objects.values_list("index", flat=True),
        ReleaseFile.objects.values_list("file", flat=True),
    )
    return set[str]().union(*columns)


def _is_old(name: str) -> bool:
    try:
        return timezone.now() - default_storage.get_modified_time(name) > _AGE
    except FileNotFoundError:  # deleted in the meantime
        return False
