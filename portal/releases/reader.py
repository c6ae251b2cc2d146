"""Read a task of a release row by row: what is long goes to its place at once, and of the rest a
draft is kept on the disk, until everything is there and the rows can be written in one go."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import orjson

from portal.errors import ReleaseError
from portal.models import KEY_CAP, ReleaseFile
from portal.releases.context_store import ContextStore
from portal.releases.downloads import FileDraft, import_file
from scoring.keys import Key, canonical_key
from scoring.labels import Label
from scoring.releases.facets import (
    NO_FACETS,
    Facets,
    check_evidence,
    check_tokens,
    facets_file,
    read_facets,
    read_token_counts,
    tokens_file,
)
from scoring.releases.gold import GoldError, GoldExample, ReleaseRow, TaskHashes, read_release
from scoring.releases.lines import example_line, object_line


class DraftRow(NamedTuple):
    """An example as it will be stored."""

    key: str
    label: Label
    options: tuple[str, ...]
    question: str = ""
    context: str = ""  # its hash
    tokens: int | None = None  # as measured by whoever made the release
    facets: Facets = NO_FACETS


@dataclass(frozen=True, slots=True)
class TaskDraft:
    task: str
    size: int  # examples
    labels_hash: str
    questions_hash: str  # empty: labels alone
    rows: Callable[[], Iterable[DraftRow]]
    has_contexts: bool = False
    whole_file: ReleaseFile | None = None
    questions_file: ReleaseFile | None = None
    facets_file: ReleaseFile | None = None

    @property
    def files(self) -> dict[str, ReleaseFile]:
        """What can be downloaded, by the name of its column."""
        found = {
            "whole_file": self.whole_file,
            "questions_file": self.questions_file,
            "facets_file": self.facets_file,
        }
        return {name: file for name, file in found.items() if file}


class TaskReader:
    """Reads the files of one task; what it keeps is gone with the ``ExitStack``.

    ``facets`` are what is known otherwise: only for a task that has no file of them.
    """

    def __init__(
        self,
        task: str,
        file: Path,
        store: ContextStore,
        opened: ExitStack,
        facets: Mapping[Key, Facets],
    ) -> None:
        self._task, self._file, self._store = task, file, store
        self._facets = read_facets(file) or facets
        self._counts = read_token_counts(file)
        self._hashes = TaskHashes()
        self._keys: set[Key] = set()
        self._rows = opened.enter_context(import_file())
        self._has_contexts = False

    def read(self, *, hidden: bool, passed: Callable[[ReleaseRow], None]) -> TaskDraft:
        """The whole task. Raises ``GoldError`` or ``ReleaseError``, with what is stored by then
        stored: it is found again."""
        with FileDraft() as lines:
            for row in read_release(self._task, self._file):
                self._add(row)
                lines.add([_line(row.written, hidden=hidden)])
                passed(row)
            self._check_keys()
            file = lines.keep() if self._has_contexts else None
        return TaskDraft(
            task=self._task,
            size=len(self._keys),
            labels_hash=self._hashes.labels,
            questions_hash=self._hashes.questions,
            rows=self._stored_rows,
            has_contexts=self._has_contexts,
            whole_file=None if hidden else file,
            questions_file=file if hidden else None,
            facets_file=self._facets_file(),
        )

    def _add(self, row: ReleaseRow) -> None:
        key = row.example.key
        self._keys.add(key)
        self._hashes.add(row)
        facets = self._facets.get(key, NO_FACETS)
        draft = draft_row(
            row.example,
            str(self._file),
            question=row.question,
            context=row.context_hash,
            tokens=self._counts.get(key),
            facets=facets,
        )
        self._check(row, facets)
        self._rows.write(orjson.dumps([*draft[:-1], facets[:]]) + b"\n")
        if row.context:
            self._has_contexts = True
            self._store.add(row.context_hash, row.context)
            if key not in self._counts:
                self._store.count(row.question)

    def _check(self, row: ReleaseRow, facets: Facets) -> None:
        """Whether what is told beside the row can be true of it."""
        key = row.example.key
        file = facets_file(self._file)
        try:
            check_evidence(facets, len(row.context))
            if row.context and key in self._counts:
                file = tokens_file(self._file)
                check_tokens(self._counts[key], _bytes(row.context) + _bytes(row.question))
        except ValueError as error:
            raise GoldError(f"{file}, id {key}: {error}.") from error

    def _check_keys(self) -> None:
        beside = {facets_file: self._facets.keys(), tokens_file: self._counts.keys()}
        for file, keys in beside.items():
            for key in keys - self._keys:
                raise GoldError(f"{file(self._file)}: the id {key} is not in {self._file.name}.")

    def _facets_file(self) -> ReleaseFile | None:
        if not self._facets:
            return None
        with FileDraft() as lines:
            for row in self._stored_rows():
                if row.facets != NO_FACETS:
                    lines.add([_facets_line(canonical_key(row.key), row.facets)])
            return lines.keep()

    def _stored_rows(self) -> Iterator[DraftRow]:
        return _read_rows(self._rows)


def draft_row(
    example: GoldExample,
    source: str,
    *,
    question: str = "",
    context: str = "",
    tokens: int | None = None,
    facets: Facets = NO_FACETS,
) -> DraftRow:
    """Raises ``ReleaseError`` for what the database does not take."""
    key = str(example.key)
    if any("\0" in text for text in (key, question, *_texts(example))):
        raise ReleaseError(f"{source}: the example {key!r} holds a NUL: it cannot be stored.")
    if len(key) > KEY_CAP or canonical_key(key) != example.key:
        raise ReleaseError(f"{source}: the id {key[:50]!r} is too long.")
    return DraftRow(key, example.label, example.options, question, context, tokens, facets)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _texts(example: GoldExample) -> Iterator[str]:
    label = example.label if isinstance(example.label, tuple) else (example.label,)
    return map(str, (*label, *example.options))


def _read_rows(rows: BinaryIO) -> Iterator[DraftRow]:
    rows.seek(0)
    for line in rows:
        key, label, options, question, context, tokens, facets = orjson.loads(line)
        yield DraftRow(key, label, options, question, context, tokens, Facets(*facets))


def _line(written: Mapping[str, object], *, hidden: bool) -> bytes:
    """A row as it can be downloaded: the official format, and nothing that it does not have.

    Without answers the list is empty, since the official code asks for one.
    """
    return example_line(
        written["id"],
        str(written.get("context") or ""),
        str(written.get("input") or ""),
        [] if hidden else written.get("answer"),
        written.get("options") or [],
    )


def _facets_line(key: Key | None, facets: Facets) -> bytes:
    return object_line(key, {**facets._asdict(), "kind": facets.kind or None})
