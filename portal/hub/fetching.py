"""Turn files on the Hub into a submission, as if their author had uploaded them.

Bytes are written to an unnamed file as they arrive: nothing is left of them after kill -9, and no
name from the Hub is ever used on our disks.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from django.conf import settings as site

from portal.errors import QuotaError, UserError
from portal.hub import jobs
from portal.hub.client import HubClient, HubFile
from portal.hub.failures import FAILURES, HubError
from portal.models import HubFetch, HubJobState, Original
from portal.submissions.files.originals import KeptFile, Upload
from portal.submissions.files.uploads import Incoming, RefusedUploadError, check_disks, safe_path
from portal.submissions.services import SubmissionSettings, submit_predictions
from scoring.limits import LIMITS
from scoring.predictions.dialects import may_hold_rows, named
from scoring.predictions.formats import looks_like_archive
from scoring.predictions.members import is_clutter, is_unsafe


class Chosen(NamedTuple):
    files: list[HubFile]
    is_file: bool  # the path names a file
    left_out: int = 0  # files in the folder that are not fetched


class _StoppedError(Exception):
    """The worker has to stop."""


@dataclass
class _Watch:
    """Called after each step while files arrive: stores the progress, which renews the lease.

    Raises ``ClaimLostError`` and ``_StoppedError``.
    """

    fetch: HubFetch
    is_stopping: Callable[[], bool]
    received: int = 0
    _noted: float = field(default_factory=time.monotonic)

    def __call__(self) -> None:
        if self.is_stopping():
            raise _StoppedError
        if time.monotonic() - self._noted > min(site.HEARTBEAT, 1.0):
            jobs.update(self.fetch, received=self.received)
            self._noted = time.monotonic()


def fetch_submission(fetch_id: UUID, is_stopping: Callable[[], bool] = lambda: False) -> None:
    """Safe to call any number of times: only one worker has the job, and one submission is made.

    Raises ``DatabaseError`` if the database is lost: then another worker takes over.
    """
    if jobs.claim(fetch_id) is None:
        return
    related = HubFetch.objects.select_related("owner", "language_model", "release", "previous")
    fetch = related.get(pk=fetch_id)
    watch = _Watch(fetch, is_stopping)
    with jobs.failures_recorded(fetch):
        token = jobs.token_of(fetch)
        incoming = Incoming()
        try:
            with HubClient(token, seconds=jobs.SECONDS, heartbeat=watch) as client:
                _receive(client, watch, incoming)
            _submit(fetch, incoming)
        except _StoppedError:
            jobs.give_back(fetch)
        finally:
            incoming.close()


def _receive(client: HubClient, watch: _Watch, incoming: Incoming) -> None:
    fetch = watch.fetch
    revision = client.resolve(fetch.kind, fetch.repository, fetch.commit or fetch.revision)
    commit = revision.commit
    file = client.find(fetch.kind, fetch.repository, commit, fetch.path) if fetch.path else None
    if file:
        chosen = Chosen([file], is_file=True)
    else:
        listed = client.files(fetch.kind, fetch.repository, commit, fetch.path)
        chosen = _predictions_among(listed)
    size = sum(file.size for file in chosen.files)
    if size > LIMITS.bytes_in:
        raise HubError("too_large")
    check_disks(size)
    jobs.update(
        fetch,
        commit=commit,
        is_private=revision.is_private,
        is_file=chosen.is_file,
        files=len(chosen.files),
        left_out=chosen.left_out,
        size=size,
        received=0,
    )
    for file in chosen.files:
        name = file.path.removeprefix(f"{fetch.path}/")
        incoming.begin(safe_path(name.rpartition("/")[2] if chosen.is_file else name))
        with closing(client.download(fetch.kind, fetch.repository, commit, file)) as parts:
            for data in parts:
                incoming.add(data)
                watch.received += len(data)
    jobs.update(fetch, received=watch.received)


def _predictions_among(files: Iterable[HubFile]) -> Chosen:
    """What to fetch from a folder, which may hold a whole model: files that are named for a task;
    if there are none, the only archive; if there is none, whatever may hold rows, since the scorer
    explains what is wrong with their names."""
    total = 0
    for_tasks: list[HubFile] = []
    archives: list[HubFile] = []
    others: list[HubFile] = []
    for file in files:
        total += 1
        if is_unsafe(file.path) or is_clutter(file.path):
            continue
        if named(file.path):
            for_tasks.append(file)
        elif looks_like_archive(file.path):
            archives.append(file)
        elif may_hold_rows(file.path):
            others.append(file)
        if max(map(len, (for_tasks, archives, others))) > LIMITS.entries:
            raise HubError("too_many_files")
    if not for_tasks and len(archives) > 1:
        raise HubError("several_archives")
    found = for_tasks or archives or others
    if not found:
        raise HubError("no_predictions")
    return Chosen(found, is_file=False, left_out=total - len(found))


def _kept_files(fetch: HubFetch) -> list[KeptFile]:
    """Those of the earlier version. Raises ``HubError`` if one of them has been deleted."""
    originals = Original.objects.in_bulk([key for key, _ in fetch.kept])
    if len(originals) < len(fetch.kept):
        raise HubError("files_gone")
    return [KeptFile(originals[key], tasks) for key, tasks in fetch.kept]


def _submit(fetch: HubFetch, incoming: Incoming) -> None:
    try:
        content, name = incoming.as_one_file()
        submit_predictions(
            owner=fetch.owner,
            language_model=fetch.language_model,
            release=fetch.release,
            settings=SubmissionSettings(**fetch.settings),
            upload=Upload(content, name, fetch.task),
            kept=_kept_files(fetch),
            submission_id=fetch.pk,
            previous=fetch.previous,
            fetch=fetch,
        )
    except RefusedUploadError:  # packed together they are larger than an upload may be
        raise HubError("too_large") from None
    except QuotaError:
        raise HubError("quota") from None
    except UserError as error:
        if error.code == "fetch_lost":
            raise jobs.ClaimLostError from None
        if error.code in FAILURES:
            raise HubError(error.code) from None
        jobs.end(fetch, HubJobState.FAILED, error.code, str(error))
