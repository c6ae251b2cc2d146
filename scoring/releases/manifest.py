"""Whether the files of a generated release are still those listed in its ``release.json``."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from scoring.catalog import TASKS
from scoring.releases.facets import TOKENS, release_file_names
from scoring.releases.gold import GoldError, lines_of

MANIFEST = "release.json"
LICENCE_CAP = 500  # characters
MOST_NEAR_MISSES = 20.0  # in 1,000 tokens: there is no room for more


class Origin(NamedTuple):
    """What a manifest says about how the release was made."""

    generator: int | None = None  # the version; None: it was not generated
    licence: str = ""  # of texts that the operator supplied, in the operator's words
    near_misses: float | None = None  # in 1,000 tokens of its novels; None: as many as usual


def read_origin(directory: Path) -> Origin:
    """Nothing is known without a ``release.json``, or from one of another format."""
    try:
        document = json.loads((directory / MANIFEST).read_bytes())
        generator, haystack = document["generator"], document.get("haystack") or {}
        licence = str(haystack.get("licence", ""))[:LICENCE_CAP]
        near_misses = (document.get("dials") or {}).get("near_misses")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Origin()
    is_version = isinstance(generator, int) and 0 < generator < 1_000
    is_rate = isinstance(near_misses, int | float) and 0 <= near_misses <= MOST_NEAR_MISSES
    return Origin(
        generator if is_version else None,
        licence if licence.isprintable() else "",
        near_misses if is_rate else None,
    )


class _Listed(NamedTuple):
    rows: object
    sha256: object


def check_manifest(directory: Path) -> None:
    """Raises ``GoldError`` that names each missing or different file.

    Without a ``release.json``, or with one of another format, nothing is compared.
    """
    try:
        files = json.loads((directory / MANIFEST).read_bytes())["files"]
        known = (name for name in release_file_names() if name in files)  # reads no other path
        listed = {name: _Listed(files[name]["rows"], files[name]["sha256"]) for name in known}
    except (OSError, ValueError, KeyError, TypeError):
        return
    if listed and (faults := list(_faults(directory, listed))):
        raise GoldError(
            f"{directory}: the files do not match {MANIFEST}: {'; '.join(faults)}. Copy the "
            f"folder again; or, if you changed it on purpose, delete its {MANIFEST}."
        )


def _faults(directory: Path, listed: Mapping[str, _Listed]) -> Iterator[str]:
    for name, expected in listed.items():
        if fault := _fault(directory / name, name, expected, hashed=True):
            yield fault
    for name in (f"{task}.jsonl" for task in TASKS):
        if name in listed:  # its tokens are measured: they have a row for each example, but no hash
            counts = f"{TOKENS}/{name}"
            if fault := _fault(directory / counts, counts, listed[name], hashed=False):
                yield fault
        elif (directory / name).is_file():
            yield f"{name} is not in it"


def _fault(file: Path, name: str, expected: _Listed, *, hashed: bool) -> str | None:
    if not file.is_file():
        return f"{name} is missing"
    if hashed:
        with file.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() == expected.sha256:
                return None
    rows = sum(1 for _ in lines_of(file))
    if rows != expected.rows:
        return f"{name} has {rows} rows, not {expected.rows}"
    return f"{name} has changed" if hashed else None
