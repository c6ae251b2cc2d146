"""Files that nobody knows of: what a process left that was killed between the file and its row."""

import logging
from datetime import timedelta

from django.core.files.storage import default_storage
from django.utils import timezone

from portal.models import Submission
from portal.submissions import UPLOADS

_AGE = timedelta(hours=1)  # a row follows its file within seconds; so none that is awaited is hit

log = logging.getLogger(__name__)


def remove_strays() -> int:
    """Delete old files of uploads that no row names. Returns how many there were."""
    strays = _old_files() - set(Submission.objects.values_list("upload", flat=True))
    for name in strays:
        log.warning("a file that no submission names is deleted: %s", name)
        default_storage.delete(name)
    return len(strays)


def _old_files() -> set[str]:
    """Their names; looked at before the rows, so that a row written meanwhile is seen."""
    if not default_storage.exists(UPLOADS):
        return set()
    names = {f"{UPLOADS}/{file}" for file in default_storage.listdir(UPLOADS)[1]}
    return {name for name in names if _is_old(name)}


def _is_old(name: str) -> bool:
    try:
        return timezone.now() - default_storage.get_modified_time(name) > _AGE
    except FileNotFoundError:  # deleted in the meantime
        return False
