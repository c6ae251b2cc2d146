"""Write examples row by row, and each row piece by piece: no whole line is ever in memory."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from scoring.generators.example import Example
from scoring.releases.lines import example_pieces, object_line
from scoring.text.tokens import NO_TOKENS, TokenCount, count_tokens

# The same piece of noise occurs thousands of times in every long example: count it once.
_count_piece = lru_cache(maxsize=4)(count_tokens)


@dataclass(frozen=True, slots=True)
class Written:
    name: str  # relative to the release's directory, with "/"
    rows: int
    sha256: str


class RowFile:
    """A new file of JSON lines, hashed while it is written."""

    def __init__(self, directory: Path, name: str) -> None:
        self._name = name
        self._file = (directory / name).open("xb")
        self._hash = hashlib.sha256()
        self._rows = 0

    def close(self) -> None:
        self._file.close()

    def add(self, pieces: Iterable[bytes]) -> None:
        """One row, which comes as pieces of one line."""
        for piece in pieces:
            self._hash.update(piece)
            self._file.write(piece)
        self._rows += 1

    @property
    def written(self) -> Written:
        return Written(self._name, self._rows, self._hash.hexdigest())


class TaskFiles:
    """The three files of a task: its rows, their facets, their lengths in tokens."""

    def __init__(self, directory: Path, task: str) -> None:
        self._rows = RowFile(directory, f"{task}.jsonl")
        self._facets = RowFile(directory, f"facets/{task}.jsonl")
        self._tokens = RowFile(directory, f"tokens/{task}.jsonl")
        self._last: tuple[Iterable[str], TokenCount] = ((), NO_TOKENS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for file in (self._rows, self._facets, self._tokens):
            file.close()

    def add(self, key: int, target: int, ladder: int, example: Example) -> TokenCount:
        """Write one example to all three; returns the tokens of its context and question."""
        tokens = self._add_row(key, example) + count_tokens(example.question)
        self._facets.add([object_line(key, _facets(target, ladder, example))])
        counted = {"tokens": tokens.value, "estimated": tokens.estimated}
        self._tokens.add([object_line(key, counted)])
        return tokens

    def _add_row(self, key: int, example: Example) -> TokenCount:
        """Returns the tokens of the context, counted once for several questions about it."""
        last, tokens = self._last
        if example.context is last:
            self._rows.add(_pieces(key, last, example))
        else:
            counted = _Counted(example.context)
            self._rows.add(_pieces(key, counted, example))
            tokens = counted.tokens
        self._last = (example.context, tokens)
        return tokens

    @property
    def rows(self) -> Written:
        return self._rows.written

    @property
    def facets(self) -> Written:
        return self._facets.written


class _Counted:
    """Pieces on their way to a file, their tokens added up as they pass."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = pieces
        self.tokens = NO_TOKENS

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self.tokens += _count_piece(piece)
            yield piece


def _pieces(key: int, context: Iterable[str], example: Example) -> Iterator[bytes]:
    return example_pieces(
        key,
        context,
        example.question,
        example.answer,
        example.options,
        answer_type=example.answer_type,
    )


def _facets(target: int, ladder: int, example: Example) -> Mapping[str, object]:
    return {
        "target_tokens": target,
        "ladder": ladder,
        "depth": example.depth,
        "hops": example.hops,
        "kind": example.kind,
        "evidence": example.evidence,
    }
