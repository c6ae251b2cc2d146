"""Write examples row by row, and each row piece by piece: no whole line is ever in memory."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from scoring.generators.example import Example
from scoring.releases.facets import GAP, Span
from scoring.releases.lines import example_pieces, object_line
from scoring.text.tokens import NO_TOKENS, TokenCount, count_tokens

NO_CONTEXT, EVIDENCE_ONLY = "controls/no_context", "controls/evidence_only"  # the folders

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
        self.file = (directory / name).open("xb")
        self._hash = hashlib.sha256()
        self._rows = 0

    def add(self, pieces: Iterable[bytes]) -> None:
        """One row, which comes as pieces of one line."""
        for piece in pieces:
            self._hash.update(piece)
            self.file.write(piece)
        self._rows += 1

    @property
    def written(self) -> Written:
        return Written(self._name, self._rows, self._hash.hexdigest())


class TaskFiles(ExitStack):
    """The files of a task: its rows, their facets, their lengths in tokens; and its controls, the
    same questions without a context and with nothing but the evidence."""

    def __init__(self, directory: Path, task: str) -> None:
        super().__init__()
        folders = ("", "facets/", "tokens/", f"{NO_CONTEXT}/", f"{EVIDENCE_ONLY}/")
        files = [RowFile(directory, f"{folder}{task}.jsonl") for folder in folders]
        self.rows, self.facets, self._tokens, self._no_context, self._evidence = files
        for file in files:
            self.enter_context(file.file)
        self._last: tuple[Iterable[str], TokenCount] = ((), NO_TOKENS)

    def add(self, key: int, target: int, ladder: int, example: Example) -> TokenCount:
        """Write one example to all of them; returns the tokens of its context and question."""
        tokens = self._add_row(key, example) + count_tokens(example.question)
        self.facets.add([object_line(key, _facets(target, ladder, example))])
        counted = {"tokens": tokens.value, "estimated": tokens.estimated}
        self._tokens.add([object_line(key, counted)])
        return tokens

    def _add_row(self, key: int, example: Example) -> TokenCount:
        """Returns the tokens of the context, counted once for several questions about it."""
        last, tokens = self._last
        is_new = example.context is not last
        read = _Read(example.context, example.evidence, is_counted=is_new)
        self.rows.add(_pieces(key, read, example))
        tokens = read.tokens if is_new else tokens
        self._last = (example.context, tokens)
        self._no_context.add(_pieces(key, (), example))
        # Where all of the text decides, there is nothing less to show.
        if example.evidence and sorted(example.evidence) != [(0, read.characters)]:
            self._evidence.add(_pieces(key, [read.evidence], example))
        return tokens

    @property
    def controls(self) -> tuple[Written, Written]:
        return self._no_context.written, self._evidence.written


class _Read:
    """Pieces on their way to a file: counted as they pass, and the evidence in them copied."""

    def __init__(self, pieces: Iterable[str], spans: Sequence[Span], *, is_counted: bool) -> None:
        self._pieces = pieces
        self._is_counted = is_counted
        self._spans = sorted(spans)
        self._parts = [""] * len(spans)
        self.tokens = NO_TOKENS
        self.characters = 0

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            if self._is_counted:
                self.tokens += _count_piece(piece)
            before, self.characters = self.characters, self.characters + len(piece)
            for number, (start, end) in enumerate(self._spans):
                if start < self.characters and before < end:
                    self._parts[number] += piece[max(0, start - before) : end - before]
            yield piece

    @property
    def evidence(self) -> str:
        return GAP.join(self._parts)


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
