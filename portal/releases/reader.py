"""Read one task of a release row by row.

Contexts are stored at once. The rest of each row goes to a temporary file, until all tasks have
been read and the examples can be written in one transaction.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import orjson

from portal.errors import ReleaseError
from portal.models import KEY_CAP, ReleaseFile
from portal.releases.context_store import ContextStore
from portal.releases.downloads import FileDraft, temporary_import_file
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

_HASH = 10  # characters: enough to tell the labels of a task apart
_DOTS = (".", "..")  # browsers remove these from addresses, however they are written


HashedLabel = dict[Literal["hash"], str]


class DraftRow(NamedTuple):
    """An example as it will be stored."""

    key: str
    label: Label | HashedLabel
    options: tuple[str, ...]
    question: str = ""
    context: str = ""  # its hash
    tokens: int | None = None  # as the release states it
    facets: Facets = NO_FACETS
    answer_type: str = ""


@dataclass(frozen=True, slots=True)
class TaskDraft:
    task: str
    size: int  # examples
    labels_hash: str
    questions_hash: str  # empty: labels alone
    rows: Callable[[], Iterable[DraftRow]]
    has_contexts: bool = False
    has_facts: bool = False  # of plots
    figures_only: bool = False
    whole_file: ReleaseFile | None = None
    questions_file: ReleaseFile | None = None
    facets_file: ReleaseFile | None = None

    @property
    def files(self) -> dict[str, ReleaseFile]:
        """Downloadable files by the name of their column."""
        files = {
            "whole_file": self.whole_file,
            "questions_file": self.questions_file,
            "facets_file": self.facets_file,
        }
        return {name: file for name, file in files.items() if file}


class TaskReader:
    """Reads the files of one task; its temporary file is closed with the ``ExitStack``.

    ``facets`` is for a task without a facets file.
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
        self._rows = opened.enter_context(temporary_import_file())
        self._has_contexts = False

    def read(self, *, hidden: bool, on_row: Callable[[ReleaseRow], None]) -> TaskDraft:
        """The whole task. Raises ``GoldError`` or ``ReleaseError``; the next import finds the files
        that were stored by then."""
        with FileDraft() as lines:
            for row in read_release(self._task, self._file):
                self._add(row)
                # The official format needs a list of answers even where they are hidden.
                line = example_line(
                    row.written["id"],
                    str(row.written.get("context") or ""),
                    str(row.written.get("input") or ""),
                    [] if hidden else row.written.get("answer"),
                    row.written.get("options") or [],
                    answer_type="" if hidden else row.example.answer_type,
                )
                lines.add(line)
                on_row(row)
            keys_of_files = {facets_file: self._facets.keys(), tokens_file: self._counts.keys()}
            for file_of, keys in keys_of_files.items():
                for key in keys - self._keys:
                    name = file_of(self._file)
                    raise GoldError(f"{name}: the id {key} is not in {self._file.name}.")
            file = lines.store() if self._has_contexts else None
        return TaskDraft(
            task=self._task,
            size=len(self._keys),
            labels_hash=self._hashes.labels,
            questions_hash=self._hashes.questions,
            rows=self._draft_rows,
            has_contexts=self._has_contexts,
            has_facts=any(one.facts for one in self._facets.values()),
            whole_file=None if hidden else file,
            questions_file=file if hidden else None,
            facets_file=self._store_facets() if self._facets else None,
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
        self._check_facts(row, facets)
        self._rows.write(orjson.dumps([*draft[:-2], facets[:], draft.answer_type]) + b"\n")
        if row.context:
            self._has_contexts = True
            self._store.add(row.context_hash, row.context)
            if key not in self._counts:
                self._store.count(row.question)

    def _check_facts(self, row: ReleaseRow, facets: Facets) -> None:
        """Raises ``GoldError`` where the facets or token counts cannot be true of the row."""
        key = row.example.key
        file = facets_file(self._file)
        try:
            check_evidence(facets, len(row.context))
            if row.context and key in self._counts:
                file = tokens_file(self._file)
                check_tokens(self._counts[key], _utf8_size(row.context) + _utf8_size(row.question))
        except ValueError as error:
            raise GoldError(f"{file}, id {key}: {error}.") from error

    def _store_facets(self) -> ReleaseFile:
        with FileDraft() as lines:
            for row in self._draft_rows():
                if row.facets != NO_FACETS:
                    facets = {**row.facets._asdict(), "kind": row.facets.kind or None}
                    if row.facets.facts is None:
                        del facets["facts"]
                    lines.add(object_line(canonical_key(row.key), facets))
            return lines.store()

    def _draft_rows(self) -> Iterator[DraftRow]:
        self._rows.seek(0)
        for line in self._rows:
            row = DraftRow(*orjson.loads(line))
            yield row._replace(facets=Facets(*row.facets))


def hashed_label(label: Label) -> HashedLabel:
    """What stands for a label in a data set of figures; equal for equal labels."""
    text = json.dumps(label, ensure_ascii=False, separators=(",", ":"))
    return {"hash": hashlib.sha256(text.encode()).hexdigest()[:_HASH]}


def draft_row(
    example: GoldExample,
    source: str,
    *,
    question: str = "",
    context: str = "",
    tokens: int | None = None,
    facets: Facets = NO_FACETS,
) -> DraftRow:
    """Raises ``ReleaseError`` for text that cannot be stored, and an id without an address."""
    key = str(example.key)
    label = example.label if isinstance(example.label, tuple) else (example.label,)
    if any("\0" in str(text) for text in (key, question, *label, *example.options)):
        raise ReleaseError(f"{source}: the example {key!r} contains a NUL: it cannot be stored.")
    if len(key) > KEY_CAP or canonical_key(key) != example.key:
        raise ReleaseError(f"{source}: the id {key[:50]!r} is too long.")
    if not key.isprintable() or key in _DOTS:
        raise ReleaseError(
            f"{source}: the id {key[:50]!r} has no address: use printable characters."
        )
    return DraftRow(
        key,
        example.label,
        example.options,
        question,
        context,
        tokens,
        facets,
        example.answer_type,
    )


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
