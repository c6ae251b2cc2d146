"""The gold answers of a release: read from a directory of ``{task}.jsonl`` in the official format.

Labels are kept, contexts are not: a context of two million tokens is read, hashed and let go.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import orjson

from scoring.catalog import TASKS, Task
from scoring.keys import Key, canonical_key
from scoring.labels import Label, LabelError, release_label


class GoldError(Exception):
    """The release cannot be used; the message says which file and line, and what to do."""


class GoldExample(NamedTuple):
    key: Key
    label: Label
    options: tuple[str, ...] = ()


class TaskGold(NamedTuple):
    """The gold of one task, with SHA-256 hashes that name exactly this data."""

    task: str
    examples: tuple[GoldExample, ...]
    labels_hash: str  # of keys and canonical labels: 88, [88] and "88" give the same
    questions_hash: str | None  # of keys, questions, options and contexts; None: labels alone

    @property
    def keys(self) -> list[Key]:
        return [example.key for example in self.examples]


def read_gold(directory: Path, tasks: Iterable[str] = TASKS) -> dict[str, TaskGold]:
    """The gold of those of the tasks that the directory has a file for, in catalogue order.

    Raises ``GoldError`` where there is none at all, or where a row cannot be used: with a faulty
    release no score means anything.
    """
    wanted = set(tasks)
    files = {task: directory / f"{task}.jsonl" for task in TASKS}
    found = {task: file for task, file in files.items() if file.is_file()}
    if directory.is_file():
        raise GoldError(f"{directory} is a file. Name the directory that it is in.")
    if not directory.exists():
        raise GoldError(f"{directory} does not exist. Name a directory with a release.")
    if not found:
        raise GoldError(
            f"{directory} holds no release: there is no file such as passkey.jsonl in it. "
            "Name a directory with one {task}.jsonl for each task."
        )
    return {task: _read_task(TASKS[task], file) for task, file in found.items() if task in wanted}


def task_gold(
    task: str, examples: Iterable[GoldExample], questions_hash: str | None = None
) -> TaskGold:
    """The gold of a task with its hashes; without questions only keys and labels are known."""
    kept = tuple(examples)
    labels = hashlib.sha256(_canonical_json([(item.key, item.label) for item in kept]))
    return TaskGold(task, kept, labels.hexdigest(), questions_hash)


def _read_task(task: Task, file: Path) -> TaskGold:
    examples: dict[Key, GoldExample] = {}
    questions = []
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                example, question = _read_row(task, line)
            except ValueError as error:
                raise GoldError(f"{file}, line {number}: {error}") from error
            if example.key in examples:
                raise GoldError(f"{file}, line {number}: the id {example.key} comes twice.")
            examples[example.key] = example
            questions.append(question)
    if not examples:
        raise GoldError(f"{file} has no rows.")
    questions_hash = hashlib.sha256(_canonical_json(questions)).hexdigest()
    return task_gold(task.id, examples.values(), questions_hash)


def _read_row(task: Task, line: bytes) -> tuple[GoldExample, tuple[object, ...]]:
    """The example, and what of its question goes into the hash.

    Raises ``ValueError`` with a sentence where the row is not usable as gold.
    """
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"this is not JSON ({error}).") from error
    if not isinstance(row, dict):
        raise ValueError("a row must be a JSON object with id and answer.")
    key = canonical_key(row.get("id"))
    if key is None:
        raise ValueError("“id” must be a whole number or text.")
    options = tuple(str(option) for option in row.get("options") or ())
    try:
        label = release_label(task, row.get("answer"), options)
    except LabelError as error:
        raise ValueError(f"“answer” {error}.") from error
    context = str(row.get("context", ""))
    digest = hashlib.sha256(context.encode("utf-8", "replace")).hexdigest() if context else ""
    return GoldExample(key, label, options), (key, row.get("input", ""), options, digest)


def _canonical_json(value: object) -> bytes:
    """Compact UTF-8; with whole numbers of any size, which orjson refuses beyond 64 bits."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
