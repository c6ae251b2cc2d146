"""Fetch a release from the Hub with the Hub's own client, and verify every file.

Only files with the names of a release are requested: a name in a repository's list never becomes a
path. They are fetched one by one, since ``snapshot_download`` returns whatever the folder holds if
the Hub does not answer. The client's faster protocol (Xet) stays off: it needs more hosts.
"""

import errno
import hashlib
import logging
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from httpx2 import HTTPError
from huggingface_hub import HfApi, constants
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import DatasetInfo, RepoSibling
from huggingface_hub.utils.tqdm import disable_progress_bars

from portal.errors import ReleaseError
from scoring.catalog import TASKS
from scoring.releases.facets import release_file_names

_COMMIT = re.compile(r"[0-9a-f]{40}")
_TIMEOUT = 30  # seconds without a byte
_KEPT = "Complete files are kept."

log = logging.getLogger(__name__)


class HubError(ReleaseError):
    """The release cannot be fetched from the Hub."""


class Snapshot(NamedTuple):
    """The release in a repository as it is at one commit."""

    repository: str
    commit: str
    folder: Path  # its files, and no others of a release

    @property
    def origin(self) -> str:
        return f"From {self.repository} at {self.commit}."


def fetch_release(
    repository: str, revision: str, report: Callable[[str], None] = log.info
) -> Snapshot:
    """Fetch the files of a release in a data set of the Hub, except those that are here already.

    An interrupted download resumes where it stopped. Raises ``HubError``.
    """
    constants.HF_HUB_DISABLE_XET = True
    constants.HF_HUB_DISABLE_TELEMETRY = True
    if not sys.stderr.isatty():
        disable_progress_bars()
    api = HfApi(
        endpoint=settings.HUB_ENDPOINT or None,
        token=settings.HUB_TOKEN or False,  # False: do not use a token in the home directory either
    )
    try:
        info = api.dataset_info(
            repository, revision=revision, files_metadata=True, timeout=_TIMEOUT
        )
        if not _COMMIT.fullmatch(info.sha or ""):
            raise HubError(f"{repository}: the Hub does not say which commit “{revision}” is.")
        return _download(api, repository, str(info.sha), info, report)
    except HFValidationError as error:
        raise HubError(f"“{repository}” is not the name of a dataset. Write OWNER/NAME.") from error
    except (HTTPError, OSError, ValueError) as error:
        raise HubError(_explanation(error, repository, revision)) from error


def _download(
    api: HfApi,
    repository: str,
    commit: str,
    info: DatasetInfo,
    report: Callable[[str], None],
) -> Snapshot:
    listed = {file.rfilename: file for file in info.siblings or ()}
    names = release_file_names()
    files = [listed[name] for name in names if name in listed]
    if not any(file.rfilename.removesuffix(".jsonl") in TASKS for file in files):
        raise HubError(f"{repository} contains no release: it has no file such as passkey.jsonl.")
    folder = Path(settings.CACHE_DIR, "hub", repository.replace("/", "--"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    missing = sum(
        file.size or 0 for file in files if not _has_size(folder / file.rfilename, file.size)
    )
    if missing > free:
        raise HubError(
            f"The disk of {folder} has {_megabytes(free)} left, but {_megabytes(missing)} are "
            "still to be downloaded. Free some space, or set CACHE_DIR to a larger disk."
        )
    report(f"{repository} at {commit}: {len(files)} files")
    for name in set(names) - listed.keys():  # files of another commit
        (folder / name).unlink(missing_ok=True)
    for number, file in enumerate(files, 1):
        report(f"fetching {file.rfilename} ({number} of {len(files)}, {_megabytes(file.size)})")
        for _ in range(2):  # a damaged file is fetched once more
            path = Path(
                api.hf_hub_download(
                    repository,
                    file.rfilename,
                    repo_type="dataset",
                    revision=commit,
                    local_dir=folder,
                    etag_timeout=_TIMEOUT,
                )
            )
            if _is_intact(path, file):
                break
            path.unlink()
        else:
            raise HubError(
                f"{file.rfilename} is not what {repository} says it is: its size or hash differs. "
                "Something on the way changes it, or the repository is damaged. Try again."
            )
    return Snapshot(repository, commit, folder)


def _is_intact(path: Path, file: RepoSibling) -> bool:
    """Whether the file is as committed: large files are listed with their SHA-256, others with
    git's hash of the blob."""
    if not _has_size(path, file.size):
        return False
    with path.open("rb") as data:
        if file.lfs:
            return hashlib.file_digest(data, "sha256").hexdigest() == file.lfs.sha256
        if file.blob_id:
            header = f"blob {path.stat().st_size}\0".encode()
            blob = hashlib.sha1(header, usedforsecurity=False)
            return hashlib.file_digest(data, lambda: blob).hexdigest() == file.blob_id
    return True


def _has_size(path: Path, size: int | None) -> bool:
    return path.is_file() and size in (None, path.stat().st_size)


def _megabytes(size: int | None) -> str:
    return "size unknown" if size is None else f"{size / 1e6:,.1f} MB"


# By error of the client, the more specific first: the message for the person who runs the import.
_EXPLANATIONS: dict[type[BaseException], str] = {
    GatedRepoError: (
        "{repository} is open only to accounts that accepted its terms. Accept them on its page, "
        "and set HF_TOKEN to a token of that account."
    ),
    RepositoryNotFoundError: (
        "There is no dataset {repository} at {place}, or it is private. Check its name; for a "
        "private one set HF_TOKEN."
    ),
    RevisionNotFoundError: (
        "{repository} has no revision “{revision}”. Name a branch, a tag or a commit."
    ),
    OfflineModeIsEnabled: (
        "HF_HUB_OFFLINE is set, so nothing is downloaded. Unset it, or give a directory."
    ),
    LocalEntryNotFoundError: (
        "{place} does not respond like the Hub. Check HF_ENDPOINT, and any proxy in between."
    ),
}


def _explanation(error: Exception, repository: str, revision: str) -> str:
    place = settings.HUB_ENDPOINT or "the Hub"
    # The client wraps errors of the connection in sentences about its own cache.
    cause: BaseException | None = error
    while cause and not isinstance(cause, (HTTPError, OfflineModeIsEnabled)):
        cause = cause.__cause__
    root = cause or error
    for kind, sentence in _EXPLANATIONS.items():
        if isinstance(root, kind):
            return sentence.format(repository=repository, revision=revision, place=place)
    if isinstance(root, HfHubHTTPError):
        status = root.response.status_code
        return (
            f"{place} refused access ({status}): check HF_TOKEN, and what its account may read."
            if status in (401, 403)
            else f"{place} answered {status}. Try again later. {_KEPT}"
        )
    if isinstance(root, HTTPError):
        return (
            f"{place} cannot be reached ({type(root).__name__}). Check the network and the proxy, "
            f"or set HF_ENDPOINT to a mirror. {_KEPT}"
        )
    if isinstance(root, OSError) and root.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            "The disk is full. Free some space, or set CACHE_DIR to a larger disk, and start again."
        )
    if isinstance(root, OSError) and root.errno is not None:
        return f"{settings.CACHE_DIR} cannot be written: {root.strerror}."
    return f"A download was incomplete ({root}). Try again. {_KEPT}"
