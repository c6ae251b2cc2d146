"""What is known of the examples of a release beside their text.

It is read from ``facets/{task}.jsonl`` and ``tokens/{task}.jsonl`` beside the ``{task}.jsonl``;
``scoring.generators.release`` says what they hold. Either may be absent, or silent about some.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scoring.catalog import TASKS
from scoring.keys import Key, canonical_key
from scoring.releases.gold import GoldError, lines_of, object_of

FACETS, TOKENS = "facets", "tokens"  # the folders
KIND_CAP = 60  # characters
_LARGEST = (1 << 31) - 1

_Value = TypeVar("_Value")
Span = tuple[int, int]  # [start, end) in characters of the context


class Facets(NamedTuple):
    """None, or no kind: it is not known, or the task has no such thing."""

    target_tokens: int | None = None
    ladder: int | None = None  # one number: the same question, told at several lengths
    depth: float | None = None  # 0..1
    hops: int | None = None
    kind: str = ""
    evidence: tuple[Span, ...] | None = None  # in the order in which a reader needs them


NO_FACETS = Facets()


def depth_of(position: int, last: int) -> float:
    """A position among 0..last as a depth from 0 to 1."""
    return round(position / last, 6) if last else 0.0


def release_file_names() -> tuple[str, ...]:
    """Of all files that a release may have, as in its directory."""
    rows = tuple(f"{task}.jsonl" for task in TASKS)
    return (*rows, *(f"{folder}/{name}" for folder in (FACETS, TOKENS) for name in rows))


def facets_file(release_file: Path) -> Path:
    return release_file.parent / FACETS / release_file.name


def tokens_file(release_file: Path) -> Path:
    return release_file.parent / TOKENS / release_file.name


def read_facets(release_file: Path) -> dict[Key, Facets]:
    """Those of the examples in a ``{task}.jsonl``, by key; none where there is no such file.

    Raises ``GoldError`` with file and line.
    """
    return dict(_rows(facets_file(release_file), _facets))


def read_token_counts(release_file: Path) -> dict[Key, int]:
    """The tokens of context and question together, where they were counted and not estimated.

    Raises ``GoldError`` with file and line.
    """
    counts = _rows(tokens_file(release_file), _tokens)
    return {key: count for key, count in counts if count is not None}


def check_evidence(facets: Facets, characters: int) -> None:
    """Raises ``ValueError`` where a span is not within a context of so many characters."""
    for start, end in facets.evidence or ():
        if not 0 <= start < end <= characters:
            raise ValueError(
                f"“evidence” [{start}, {end}] is not in the context, which has {characters:,} "
                "characters"
            )


def check_tokens(count: int, size: int) -> None:
    """Raises ``ValueError`` where a text of so many bytes cannot have so many tokens."""
    if not 1 <= count <= size:
        raise ValueError(
            f"“tokens” cannot be {count:,}: context and question have {size:,} bytes together"
        )


def _rows(file: Path, read: Callable[[dict[str, Any]], _Value]) -> Iterator[tuple[Key, _Value]]:
    if not file.is_file():
        return
    seen: set[Key] = set()
    for number, line in lines_of(file):
        try:
            key, value = _row(line, read)
        except ValueError as error:
            raise GoldError(f"{file}, line {number}: {error}.") from error
        if key in seen:
            raise GoldError(f"{file}, line {number}: the id {key} comes twice.")
        seen.add(key)
        yield key, value


def _row(line: bytes, read: Callable[[dict[str, Any]], _Value]) -> tuple[Key, _Value]:
    row = object_of(line)
    key = canonical_key(row.get("id"))
    if key is None:
        raise ValueError("“id” must be a whole number or text")
    return key, read(row)


def _tokens(row: dict[str, Any]) -> int | None:
    count = _whole(row, "tokens")
    return None if row.get("estimated") else count


def _facets(row: dict[str, Any]) -> Facets:
    return Facets(
        target_tokens=_whole(row, "target_tokens"),
        ladder=_whole(row, "ladder"),
        depth=_depth(row.get("depth")),
        hops=_whole(row, "hops"),
        kind=_kind(row.get("kind")),
        evidence=_evidence(row.get("evidence")),
    )


def _whole(row: dict[str, Any], name: str) -> int | None:
    value = row.get(name)
    if value is not None and not (_is_whole(value) and 0 <= value <= _LARGEST):
        raise ValueError(f"“{name}” must be a whole number from 0 to {_LARGEST}, or null")
    return value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _depth(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("“depth” must be a number from 0 to 1, or null")
    return float(value)


def _kind(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > KIND_CAP or "\0" in value:
        raise ValueError(f"“kind” must be text of at most {KIND_CAP} characters, or null")
    return value


def _evidence(value: object) -> tuple[Span, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(map(_is_span, value)):
        raise ValueError("“evidence” must be a list of [start, end], or null")
    return tuple((start, end) for start, end in value)


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_whole, value))
