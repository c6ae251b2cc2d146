"""Whether the files of a generated release are still those that its ``release.json`` tells of."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from scoring.catalog import TASKS
from scoring.releases.facets import TOKENS, release_file_names
from scoring.releases.gold import GoldError, lines_of

MANIFEST = "release.json"


class _Listed(NamedTuple):
    rows: object
    sha256: object


def check_manifest(directory: Path) -> None:
    """Raises ``GoldError`` that names each file which is missing, or is another one.

    Without a ``release.json``, or with one that somebody else made, there is nothing to compare.
    """
    listed = _listed(directory / MANIFEST)
    if faults := list(_faults(directory, listed)) if listed else []:
        raise GoldError(
            f"{directory}: these are not the files that {MANIFEST} tells of: {'; '.join(faults)}. "
            f"Copy the folder once more; or, if you changed it on purpose, delete its {MANIFEST}."
        )


def _listed(manifest: Path) -> Mapping[str, _Listed]:
    """The files of a release that are named there; no other name is ever looked at."""
    try:
        files = json.loads(manifest.read_bytes())["files"]
        known = (name for name in release_file_names() if name in files)
        return {name: _Listed(files[name]["rows"], files[name]["sha256"]) for name in known}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _faults(directory: Path, listed: Mapping[str, _Listed]) -> Iterator[str]:
    for name, told in listed.items():
        yield from _faults_of_file(directory / name, name, told)
    for name in (f"{task}.jsonl" for task in TASKS):
        if name in listed:
            yield from _faults_of_counts(directory / TOKENS / name, listed[name])
        elif (directory / name).is_file():
            yield f"{name} is not in it"


def _faults_of_file(file: Path, name: str, told: _Listed) -> Iterator[str]:
    if not file.is_file():
        yield f"{name} is missing"
        return
    with file.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() == told.sha256:
            return
    rows = _rows(file)
    yield f"{name} has {rows} rows, not {told.rows}" if rows != told.rows else f"{name} is another"


def _faults_of_counts(file: Path, told: _Listed) -> Iterator[str]:
    """Of the tokens, which are measured: there is no hash of them, but a row for each example."""
    name = f"{TOKENS}/{file.name}"
    if not file.is_file():
        yield f"{name} is missing"
    elif (rows := _rows(file)) != told.rows:
        yield f"{name} has {rows} rows, not {told.rows}"


def _rows(file: Path) -> int:
    return sum(1 for _ in lines_of(file))
