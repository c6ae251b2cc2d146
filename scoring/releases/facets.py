"""Facets of the examples of a release: what is known about them besides their text.

They are read from ``facets/{task}.jsonl`` and ``tokens/{task}.jsonl`` next to the ``{task}.jsonl``;
``scoring.generators.release`` describes them. Either file, and any example in it, may be missing.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scoring.catalog import TASKS
from scoring.keys import Key, canonical_key
from scoring.releases.gold import GoldError, lines_of, object_of

FACETS, TOKENS = "facets", "tokens"  # the folders
KIND_CAP = 60  # characters
GAP = "\n…\n"  # between parts of a context, as a model sees them without the rest
_LARGEST = (1 << 31) - 1

_Value = TypeVar("_Value")
Span = tuple[int, int]  # [start, end) in characters of the context


class Facets(NamedTuple):
    """None, or an empty kind: not known, or not applicable to the task."""

    target_tokens: int | None = None
    ladder: int | None = None  # equal for examples with the same question at several lengths
    depth: float | None = None  # 0..1
    hops: int | None = None
    kind: str = ""
    evidence: tuple[Span, ...] | None = None  # in the order in which a reader needs them


NO_FACETS = Facets()


def depth_of(position: int, last: int) -> float:
    """A position among 0..last as a depth from 0 to 1."""
    return round(position / last, 6) if last else 0.0


def evidence_text(context: str, spans: Iterable[Span]) -> str:
    """The parts that decide, in the order of the text."""
    return GAP.join(context[start:end] for start, end in sorted(spans))


def release_file_names() -> tuple[str, ...]:
    """The paths, relative to its directory, of all files that a release may have."""
    rows = tuple(f"{task}.jsonl" for task in TASKS)
    return (*rows, *(f"{folder}/{name}" for folder in (FACETS, TOKENS) for name in rows))


def facets_file(release_file: Path) -> Path:
    return release_file.parent / FACETS / release_file.name


def tokens_file(release_file: Path) -> Path:
    return release_file.parent / TOKENS / release_file.name


def read_facets(release_file: Path) -> dict[Key, Facets]:
    """The facets of the examples in a ``{task}.jsonl``, by key; none where there is no such file.

    Raises ``GoldError`` with file and line.
    """
    return dict(_rows(facets_file(release_file), _facets))


def read_token_counts(release_file: Path) -> dict[Key, int]:
    """The number of tokens of context and question together, by key, unless it was estimated.

    Raises ``GoldError`` with file and line.
    """
    counts = _rows(
        tokens_file(release_file), lambda row: (_whole(row, "tokens"), row.get("estimated"))
    )
    return {key: count for key, (count, estimated) in counts if count is not None and not estimated}


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
            row = object_of(line)
            key = canonical_key(row.get("id"))
            if key is None:
                raise ValueError("“id” must be a whole number or text")
            value = read(row)
        except ValueError as error:
            raise GoldError(f"{file}, line {number}: {error}.") from error
        if key in seen:
            raise GoldError(f"{file}, line {number}: the id {key} appears twice.")
        seen.add(key)
        yield key, value


def _facets(row: dict[str, Any]) -> Facets:
    """Raises ``ValueError`` where a value is not of its type or out of its range."""
    target_tokens, ladder, hops = (
        _whole(row, name) for name in ("target_tokens", "ladder", "hops")
    )
    depth, kind, evidence = row.get("depth"), row.get("kind"), row.get("evidence")
    if not (depth is None or ((_is_whole(depth) or isinstance(depth, float)) and 0 <= depth <= 1)):
        raise ValueError("“depth” must be a number from 0 to 1, or null")
    if not (kind is None or (isinstance(kind, str) and len(kind) <= KIND_CAP and "\0" not in kind)):
        raise ValueError(f"“kind” must be text of at most {KIND_CAP} characters, or null")
    if not (evidence is None or (isinstance(evidence, list) and all(map(_is_span, evidence)))):
        raise ValueError("“evidence” must be a list of [start, end], or null")
    return Facets(
        target_tokens=target_tokens,
        ladder=ladder,
        depth=None if depth is None else float(depth),
        hops=hops,
        kind=kind or "",
        evidence=None if evidence is None else tuple((start, end) for start, end in evidence),
    )


def _whole(row: dict[str, Any], name: str) -> int | None:
    value = row.get(name)
    if value is not None and not (_is_whole(value) and 0 <= value <= _LARGEST):
        raise ValueError(f"“{name}” must be a whole number from 0 to {_LARGEST}, or null")
    return value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_whole, value))
