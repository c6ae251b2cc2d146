"""Fetch a release from the Hub, with the Hub's own client, and prove that it came whole.

Only files with names of ours are asked for: a name in a repository's list never becomes a path.
The client's faster way (Xet) stays off: it is a second protocol, with other hosts to let through.
"""

import errno
import hashlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator
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
from huggingface_hub.hf_api import RepoSibling
from huggingface_hub.utils.tqdm import disable_progress_bars

from portal.errors import ReleaseError
from portal.telling import Tell, silence
from scoring.catalog import TASKS
from scoring.releases.facets import release_file_names

_COMMIT = re.compile(r"[0-9a-f]{40}")
_PATIENCE = 30  # seconds without a byte
_KEPT = "Files that came whole are kept."


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

    @property
    def origin_zh(self) -> str:
        return f"来自 {self.repository}，提交 {self.commit}。"


def fetch_release(repository: str, revision: str, tell: Tell = silence) -> Snapshot:
    """The files of a release in a data set of the Hub; those that are here already stay.

    A connection that breaks is taken up again where it broke. Raises ``HubError``.
    """
    _be_quiet()
    place = settings.HUB_ENDPOINT or "the Hub"
    try:
        return _fetched(_Repository(repository, revision), tell)
    except HFValidationError as error:
        raise HubError(f"“{repository}” names no data set. Write OWNER/NAME.") from error
    except (HTTPError, OSError, ValueError) as error:
        why = _why(_innermost(error), repository, revision, place)
        raise HubError(why) from error


def _be_quiet() -> None:
    constants.HF_HUB_DISABLE_XET = True
    constants.HF_HUB_DISABLE_TELEMETRY = True
    if not sys.stderr.isatty():
        disable_progress_bars()


class _Repository:
    """One data set of the Hub, as it is at the commit that a revision is now."""

    def __init__(self, name: str, revision: str) -> None:
        self.name = name
        self._api = HfApi(
            endpoint=settings.HUB_ENDPOINT or None,
            token=settings.HUB_TOKEN or False,  # False: also not one that a person keeps here
        )
        info = self._api.dataset_info(
            name, revision=revision, files_metadata=True, timeout=_PATIENCE
        )
        if not _COMMIT.fullmatch(info.sha or ""):
            raise HubError(f"{name}: the Hub does not say which commit “{revision}” is.")
        self.commit = str(info.sha)
        self.listed = {file.rfilename: file for file in info.siblings or ()}
        self.folder = Path(settings.CACHE_DIR, "hub", name.replace("/", "--"))

    def fetch(self, name: str) -> Path:
        return Path(
            self._api.hf_hub_download(
                self.name,
                name,
                repo_type="dataset",
                revision=self.commit,
                local_dir=self.folder,
                etag_timeout=_PATIENCE,
            )
        )


def _fetched(repository: _Repository, tell: Tell) -> Snapshot:
    names = release_file_names()
    wanted = [repository.listed[name] for name in names if name in repository.listed]
    if not any(file.rfilename.removesuffix(".jsonl") in TASKS for file in wanted):
        raise HubError(
            f"{repository.name} holds no release: there is no file such as passkey.jsonl in it."
        )
    repository.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check_room(repository.folder, wanted)
    tell(f"{repository.name} at {repository.commit}: {len(wanted)} files")
    for other in set(names) - repository.listed.keys():  # of another commit
        (repository.folder / other).unlink(missing_ok=True)
    for number, file in enumerate(wanted, 1):
        tell(f"fetching {file.rfilename} ({number} of {len(wanted)}, {_megabytes(file.size)})")
        _fetch_whole(repository, file)
    return Snapshot(repository.name, repository.commit, repository.folder)


def _check_room(folder: Path, wanted: list[RepoSibling]) -> None:
    """Raises ``HubError`` where the disk cannot hold what is not there yet."""
    missing = sum(
        file.size or 0 for file in wanted if not _has_size(folder / file.rfilename, file.size)
    )
    free = shutil.disk_usage(folder).free
    if missing > free:
        raise HubError(
            f"The disk of {folder} has {_megabytes(free)} left, and {_megabytes(missing)} are "
            "still to come. Make room, or set CACHE_DIR to a larger disk."
        )


def _fetch_whole(repository: _Repository, file: RepoSibling) -> None:
    """Fetch the file, a second time where the first one is damaged. Raises ``HubError``."""
    for _ in range(2):
        path = repository.fetch(file.rfilename)
        if _is_whole(path, file):
            return
        path.unlink()
    raise HubError(
        f"{file.rfilename} is not what {repository.name} says it is: its size or its hash is "
        "another one. Something on the way changes it, or the repository is damaged. Try again."
    )


def _is_whole(path: Path, file: RepoSibling) -> bool:
    """Whether the bytes are those of the commit: large files are listed with their SHA-256, others
    with the name that git gives them."""
    if not _has_size(path, file.size):
        return False
    if file.lfs:
        return _digest(path, hashlib.sha256) == file.lfs.sha256
    if file.blob_id:
        header = f"blob {path.stat().st_size}\0".encode()
        blob = hashlib.sha1(header, usedforsecurity=False)
        return _digest(path, lambda: blob) == file.blob_id
    return True


def _has_size(path: Path, size: int | None) -> bool:
    return path.is_file() and size in (None, path.stat().st_size)


def _digest(path: Path, begun: "Callable[[], hashlib._Hash]") -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, begun).hexdigest()


def _megabytes(size: int | None) -> str:
    return "size unknown" if size is None else f"{size / 1e6:,.1f} MB"


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _innermost(error: BaseException) -> BaseException:
    """What happened on the line: the client wraps it in sentences about its own cache."""
    known = (HTTPError, OfflineModeIsEnabled)
    return next((cause for cause in _causes(error) if isinstance(cause, known)), error)


# What the client raises, the more special first → what to say to whoever started the import.
_WHY: dict[type[BaseException], str] = {
    GatedRepoError: (
        "{repository} is open only to accounts that accepted its terms. Accept them on its page, "
        "and set HF_TOKEN to a token of that account."
    ),
    RepositoryNotFoundError: (
        "There is no data set {repository} at {place}, or it is private. Check its name; for a "
        "private one set HF_TOKEN."
    ),
    RevisionNotFoundError: (
        "{repository} has no revision “{revision}”. Name a branch, a tag or a commit."
    ),
    OfflineModeIsEnabled: (
        "HF_HUB_OFFLINE is set, so nothing is fetched. Unset it, or name a directory."
    ),
    LocalEntryNotFoundError: (
        "{place} does not answer as a Hub does. Check HF_ENDPOINT, and what a proxy makes of it."
    ),
}


def _why(error: BaseException, repository: str, revision: str, place: str) -> str:
    for kind, sentence in _WHY.items():
        if isinstance(error, kind):
            return sentence.format(repository=repository, revision=revision, place=place)
    if isinstance(error, HfHubHTTPError):
        return _why_refused(error.response.status_code, place)
    if isinstance(error, HTTPError):
        return (
            f"{place} cannot be reached ({type(error).__name__}). Check the network and the proxy, "
            f"or set HF_ENDPOINT to a mirror. {_KEPT}"
        )
    return _why_not_kept(error)


def _why_refused(status: int, place: str) -> str:
    if status in (401, 403):
        return f"{place} refuses this ({status}): check HF_TOKEN, and what its account may read."
    return f"{place} answered {status}. Try again later. {_KEPT}"


def _why_not_kept(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Make room, or set CACHE_DIR to a larger disk, and start again."
    if isinstance(error, OSError) and error.errno is not None:
        return f"{settings.CACHE_DIR} cannot be written: {error.strerror}."
    return f"A file did not come whole ({error}). Try again. {_KEPT}"
