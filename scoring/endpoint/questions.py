"""The questions of a release without their contexts, which are read one at a time when asked."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scoring.catalog import TASKS
from scoring.keys import Key
from scoring.releases.design import depth_class
from scoring.releases.facets import NO_FACETS, Facets, read_facets, read_token_counts
from scoring.releases.gold import GoldExample, read_release, read_row, release_files

Stratum = tuple[object, ...]


class ReleaseQuestion(NamedTuple):
    task: str
    example: GoldExample
    question: str
    facets: Facets
    characters: int  # of the context
    tokens: int | None  # of context and question; None: not counted yet
    read_context: Callable[[], str]  # from wherever it is kept

    @property
    def key(self) -> Key:
        return self.example.key

    @property
    def text(self) -> str:
        """Identifies its text; questions without one have nothing in common."""
        return self.example.text or f"{self.task} {self.key}"

    @property
    def stratum(self) -> Stratum:
        """What was fixed when the release was made."""
        facets = self.facets
        depth = depth_class(facets.depth)
        return (self.task, facets.target_tokens, facets.kind, facets.hops, depth)


def read_questions(directory: Path, tasks: Sequence[str]) -> list[ReleaseQuestion]:
    """The questions of those of the tasks that a release has, in the order of its files.

    Raises ``GoldError`` where the release is unusable.
    """
    found = []
    for task, file in release_files(directory).items():
        if task not in tasks:
            continue
        facets, tokens = read_facets(file), read_token_counts(file)
        for row in read_release(task, file):
            key = row.example.key
            found.append(
                ReleaseQuestion(
                    task,
                    row.example,
                    row.question,
                    facets.get(key, NO_FACETS),
                    len(row.context),
                    tokens.get(key),
                    partial(_context_in, task, file, row.offset, row.size),
                )
            )
    return found


def _context_in(task: str, file: Path, offset: int, size: int) -> str:
    """The context in the line of a release that begins there and has so many bytes."""
    with file.open("rb") as lines:
        lines.seek(offset)
        return read_row(TASKS[task], lines.read(size)).context


def questions_hash(questions: Iterable[ReleaseQuestion]) -> str:
    """A hash that identifies these questions with their texts, in this order."""
    digest = hashlib.sha256()
    for one in questions:
        parts = (one.task, one.key, one.example.text, one.question, one.example.options)
        digest.update(repr(parts).encode(errors="replace"))
    return digest.hexdigest()
