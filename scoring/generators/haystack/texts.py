"""The texts of an operator: which files there are, and how they are read."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Never

from scoring.text.tokens import estimate_tokens

KINDS = {"code": ".py", "plays": ".txt", "novels": ".txt", "distractors": ".txt"}
_LARGEST = 8 << 20  # bytes of a file
_MOST = 20_000  # files
_ALL = 128 << 20  # bytes of all files of a kind, at most


class HaystackError(ValueError):
    """The texts cannot be used; the message is a sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Text:
    name: str  # its path below the folder that was named, with that folder
    text: str
    tokens: int  # estimated


@dataclass(frozen=True, slots=True)
class Haystack:
    """What the operator supplies, by kind; two with equal sums give the same release."""

    paths: tuple[tuple[str, str], ...]  # kind, path
    licence: str

    def of_kind(self, kind: str) -> tuple[str, ...]:
        return tuple(path for one, path in self.paths if one == kind)

    @property
    def sums(self) -> dict[str, str]:
        """By kind, the SHA-256 of all names and texts. No path of the machine is in a release."""
        found = {}
        for kind, ending in KINDS.items():
            if paths := self.of_kind(kind):
                whole = hashlib.sha256()
                for one in read_texts(paths, ending):
                    whole.update(f"{one.name}\0{one.text}\0".encode())
                found[kind] = whole.hexdigest()
        return found


def no_more() -> Iterator[Never]:
    """Behind the texts that fill up a length: raises ``HaystackError`` where they do not."""
    yield from ()
    raise HaystackError("The texts are too short for this length: add others, or distractors.")


def haystack_of(given: Iterable[str], licence: str) -> Haystack:
    """From ``KIND=PATH``, where code may also be the name of an installed package.

    Raises ``HaystackError``.
    """
    paths = []
    for one in given:
        kind, equals, place = one.partition("=")
        if kind not in KINDS or not equals:
            raise HaystackError(f"{one!r} is no haystack: write {' or '.join(KINDS)}=PATH.")
        path = Path(place)
        if kind == "code" and not path.exists():
            path = _package(place)
        if not path.exists():
            raise HaystackError(f"There is nothing at {place}.")
        paths.append((kind, str(path.resolve())))
    if {kind for kind, _ in paths} <= {"distractors"}:
        raise HaystackError("Distractors pad other texts: name some, such as novels=PATH.")
    if not licence.strip():
        raise HaystackError("Say with --licence under which terms the texts may be used.")
    return Haystack(tuple(paths), " ".join(licence.split()))


def _package(name: str) -> Path:
    """Where an installed package is. It is not imported: its code must not run."""
    if not name.isidentifier():
        raise HaystackError(f"There is no folder {name}.")
    spec = PathFinder.find_spec(name)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise HaystackError(f"There is no folder and no installed package {name}.")
    return Path(places[0])


@lru_cache(maxsize=8)
def read_texts(paths: Sequence[str], ending: str) -> tuple[Text, ...]:
    """All files with the ending below the paths, by name; those that are no UTF-8 are left out."""
    found: dict[str, Text] = {}
    size = 0
    for path in map(Path, paths):
        files = [path] if path.is_file() else sorted(path.rglob(f"*{ending}"))
        for file in files[:_MOST]:
            if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
                continue
            try:
                text = file.read_text(encoding="utf-8-sig")
            except (UnicodeDecodeError, OSError):
                continue
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            size += len(text)
            if size > _ALL:
                raise HaystackError(f"{path.name}: these are more than {_ALL >> 20} MB of text.")
            name = f"{path.name}/{file.relative_to(path)}" if file != path else path.name
            if text.strip() and "\0" not in text:
                found.setdefault(name, Text(name, text, round(estimate_tokens(text))))
    if not found:
        raise HaystackError(
            f"There are no files *{ending} in the haystack that are text in UTF-8 and have at most "
            f"{_LARGEST >> 20} MB."
        )
    return tuple(found.values())
