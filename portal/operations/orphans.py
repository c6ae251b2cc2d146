"""Files that no row refers to: left by a process killed between writing a file and its row, or by
an import that was never finished."""

import logging
from datetime import timedelta

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from portal.models import Context, Original, ReleaseFile
from portal.releases.context_store import CONTEXTS
from portal.releases.downloads import DOWNLOADS
from portal.submissions.files.originals import UPLOADS

_FOLDERS = (UPLOADS, CONTEXTS, DOWNLOADS)
# A row follows its file within seconds, so no file that is about to get one is deleted.
_MIN_AGE = timedelta(hours=1)

log = logging.getLogger(__name__)


def delete_orphaned_files() -> int:
    """Delete rows that no release has used for days, and then old files that no row refers to.
    Returns the number of files."""
    # The files of these rows become orphans. An import that wants one of the rows either marks it
    # as used first, or waits for this transaction and finds it deleted.
    for rows in (Context.objects.unused(), ReleaseFile.objects.unused()):
        with transaction.atomic():
            locked = rows.select_for_update(skip_locked=True, of=("self",))
            ids = list(locked.values_list("pk", flat=True))
            rows.model._default_manager.filter(pk__in=ids).delete()
    # Files are listed before rows, so that a row written in between is not missed.
    stored = {f"{folder}/{file}" for folder in _FOLDERS for file in _files_in(folder)}
    referenced = set[str]().union(
        Original.objects.values_list("file", flat=True),
        Context.objects.values_list("text", flat=True),
        Context.objects.values_list("index", flat=True),
        ReleaseFile.objects.values_list("file", flat=True),
    )
    orphans = [name for name in stored - referenced if _is_old(name)]
    for name in orphans:
        log.warning("deleting a file that no row refers to: %s", name)
        default_storage.delete(name)
    return len(orphans)


def _files_in(folder: str) -> list[str]:
    try:
        return default_storage.listdir(folder)[1]
    except FileNotFoundError:  # nothing was ever stored there
        return []


def _is_old(name: str) -> bool:
    try:
        return timezone.now() - default_storage.get_modified_time(name) > _MIN_AGE
    except FileNotFoundError:  # deleted in the meantime
        return False
