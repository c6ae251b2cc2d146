"""The gold answers of a release: read from a directory of ``{task}.jsonl`` in the official format.

Labels are kept, contexts are not: a context of two million tokens is read, hashed and dropped.
"""

import codecs
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from scoring.catalog import TASKS, Task
from scoring.keys import Key, canonical_key
from scoring.labels import NUMBER, Label, LabelError, release_label


class GoldError(Exception):
    """The release is unusable; the message names file and line, and says what to do."""


class GoldExample(NamedTuple):
    key: Key
    label: Label
    options: tuple[str, ...] = ()
    text: str = ""  # the hash of its context; empty: not known
    answer_type: str = ""  # ``NUMBER``: ``strict`` compares it as a number


class TaskGold(NamedTuple):
    """The gold of one task, with SHA-256 hashes that identify exactly this data."""

    task: str
    examples: tuple[GoldExample, ...]
    labels_hash: str  # of keys and canonical labels: 88, [88] and "88" give the same
    questions_hash: str | None  # of keys, questions, options and contexts; None: labels alone

    @property
    def keys(self) -> list[Key]:
        return [example.key for example in self.examples]


class ReleaseRow(NamedTuple):
    """A row of a release with its context; only one is held in memory at a time."""

    example: GoldExample
    question: str
    context: str
    context_hash: str  # SHA-256; empty where there is no context
    written: dict[str, object]  # as in the file
    size: int  # bytes of its line
    offset: int = 0  # of its line in the file


class TaskHashes:
    """The hashes of a task's labels and questions, computed row by row without keeping them."""

    def __init__(self) -> None:
        self._labels = _ListHash()
        self._questions = _ListHash()

    def add(self, row: ReleaseRow) -> None:
        example = row.example
        self.add_label(example)
        question = row.written.get("input", "")
        self._questions.add((example.key, question, example.options, row.context_hash))

    def add_label(self, example: GoldExample) -> None:
        """Add an example of which only the label is known."""
        typed = (example.answer_type,) if example.answer_type else ()
        self._labels.add((example.key, example.label, *typed))

    @property
    def labels(self) -> str:
        return self._labels.hexdigest()

    @property
    def questions(self) -> str:
        return self._questions.hexdigest()


class _ListHash:
    """SHA-256 of a list as compact JSON in UTF-8, one item at a time."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._before = b"["

    def add(self, item: object) -> None:
        try:
            data = orjson.dumps(item)
        except TypeError:  # an integer beyond 64 bits
            data = json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()
        self._hash.update(self._before + data)
        self._before = b","

    def hexdigest(self) -> str:
        whole = self._hash.copy()
        whole.update(b"]" if self._before == b"," else b"[]")
        return whole.hexdigest()


def read_gold(directory: Path, tasks: Iterable[str] = TASKS) -> dict[str, TaskGold]:
    """The gold of those of the tasks that the directory has a file for, in catalogue order.

    Raises ``GoldError`` where there is none at all, or where a row is unusable: no score against a
    faulty release means anything.
    """
    wanted = set(tasks)
    gold: dict[str, TaskGold] = {}
    for task, file in release_files(directory).items():
        if task in wanted:
            examples = []
            hashes = TaskHashes()
            for row in read_release(task, file):
                examples.append(row.example)
                hashes.add(row)
            gold[task] = TaskGold(task, tuple(examples), hashes.labels, hashes.questions)
    return gold


def release_files(directory: Path) -> dict[str, Path]:
    """The ``{task}.jsonl`` of a release, in catalogue order. Raises ``GoldError`` without any."""
    files = {task: directory / f"{task}.jsonl" for task in TASKS}
    found = {task: file for task, file in files.items() if file.is_file()}
    if directory.is_file():
        raise GoldError(f"{directory} is a file. Give the directory that it is in.")
    if not directory.exists():
        raise GoldError(f"{directory} does not exist. Give a directory with a release.")
    if not found:
        raise GoldError(
            f"{directory} contains no release: it has no file such as passkey.jsonl. Give a "
            "directory with one {task}.jsonl per task."
        )
    return found


def read_release(task: str, file: Path) -> Iterator[ReleaseRow]:
    """The rows of a task, one at a time: no more than one line of the file is in memory.

    Raises ``GoldError`` with file and line where a row is unusable, or where there is none.
    """
    seen: set[Key] = set()
    for number, offset, line in located_lines(file):
        try:
            row = read_row(TASKS[task], line, offset)
        except ValueError as error:
            raise GoldError(f"{file}, line {number}: {error}.") from error
        if row.example.key in seen:
            raise GoldError(f"{file}, line {number}: the id {row.example.key} appears twice.")
        seen.add(row.example.key)
        yield row
    if not seen:
        raise GoldError(f"{file} has no rows.")


def lines_of(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, numbered from 1; without the BOM that some editors write."""
    return ((number, line) for number, _, line in located_lines(file))


def located_lines(file: Path) -> Iterator[tuple[int, int, bytes]]:
    """Likewise, each with where it begins in the file."""
    offset = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            content = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if content.strip():
                yield number, offset + len(line) - len(content), content
            offset += len(line)


def object_of(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises ``ValueError`` with an unfinished sentence."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if not _is_utf8(line):
            raise ValueError("this is not UTF-8; save the file in that encoding") from error
        raise ValueError(f"this is not JSON ({error})") from error
    if not isinstance(row, dict):
        raise ValueError("a row must be a JSON object")
    return row


def task_gold(
    task: str, examples: Iterable[GoldExample], questions_hash: str | None = None
) -> TaskGold:
    """The gold of a task from its examples; without ``questions_hash`` only labels are known."""
    kept = tuple(examples)
    hashes = TaskHashes()
    for example in kept:
        hashes.add_label(example)
    return TaskGold(task, kept, hashes.labels, questions_hash)


def read_row(task: Task, line: bytes, offset: int = 0) -> ReleaseRow:
    """A line of a file as a row. Raises ``ValueError`` where the row is unusable as gold."""
    row = object_of(line)
    key = canonical_key(row.get("id"))
    if key is None:
        raise ValueError("“id” must be a whole number or text")
    options = _options(row.get("options"))
    question, context = _text(row, "input"), _text(row, "context")
    digest = hashlib.sha256(context.encode()).hexdigest() if context else ""
    answer_type = row.get("answer_type") or ""
    if answer_type not in ("", NUMBER):
        raise ValueError(f"“answer_type” must be “{NUMBER}”, or not there")
    label = _label(task, row.get("answer"), options)
    example = GoldExample(key, label, options, digest, answer_type)
    return ReleaseRow(example, question, context, digest, row, len(line), offset)


def _label(task: Task, answer: object, options: tuple[str, ...]) -> Label:
    """Metrics accept an empty list of answers as the official code does; a release may not."""
    if answer in ([], [[]]):
        raise ValueError(
            "“answer” is an empty list: this file has no answers to score with (the download of a "
            "hidden release has none); give the files that the release was made from"
        )
    try:
        return release_label(task, answer, options)
    except LabelError as error:
        raise ValueError(f"“answer” {error}") from error


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"“{name}” must be text, or null")
    return value or ""


def _options(value: object) -> tuple[str, ...]:
    if value in (None, ""):
        return ()
    if not isinstance(value, list):
        raise ValueError("“options” must be a list, or null")
    if any(isinstance(item, bool) or not isinstance(item, str | int | float) for item in value):
        raise ValueError("“options” must be texts or numbers")
    return tuple(map(str, value))


def _is_utf8(line: bytes) -> bool:
    """Whether a line that is not JSON is UTF-8; UTF-16 may decode too, but has NULs."""
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False
