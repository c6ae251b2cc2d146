"""Predictions as capped JSONL: written by the first stage of the box, read by the second.

The second stage has the gold, so it trusts nothing that the first one wrote: a scorer that was
taken over by an upload may have written anything at all. The lines, in this order:

- ``{"canonical": 1, "digest": …}``
- for each task ``{"task", "dialect", "files", "rows": n}``, then n rows
  ``[key, prediction, file's number, line]`` with the label behind it where there is one
- the problems, ``{"problem": code, "file", "line", "task", "params"}``
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from scoring.catalog import TASKS
from scoring.keys import Key, canonical_key
from scoring.limits import LIMITS, MIB, Budget, LimitError, Limits
from scoring.predictions.json_rows import CHUNK, JsonError, check_value, decode, split_lines
from scoring.predictions.reader import ABSENT, Predictions, Row, TaskPredictions
from scoring.problems import MOST_PROBLEMS, PROBLEMS, Parameter, Problem

VERSION = 1
LINE_CAP = 32 * MIB  # a prediction at its cap with every character escaped, and a label
_NAME_CAP = 4_000  # characters of a file's name with everything unprintable spelled out
_TEXT_CAP = 16_000  # likewise of a problem's parameter
_KEY_CAP = 200
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DIGEST = re.compile("[0-9a-f]{64}")

Object = Mapping[str, object]


class CanonicalError(ValueError):
    """The bytes are not canonical predictions; the message is for the log, not for people."""


def write_canonical(predictions: Predictions, stream: BinaryIO) -> None:
    """Write what ``read_canonical`` reads back as an equal object; same input, same bytes."""
    stream.writelines(_ENCODER.encode(value).encode() + b"\n" for value in _values(predictions))


def _values(predictions: Predictions) -> Iterator[object]:
    yield {"canonical": VERSION, "digest": predictions.digest}
    for task, found in predictions.tasks.items():
        rows = len(found.rows)
        yield {"task": task, "dialect": found.dialect, "files": found.files, "rows": rows}
        numbers = {name: number for number, name in enumerate(found.files)}
        for key, prediction, label, file, line in found.rows:
            row = [key, prediction, numbers[file], line]
            yield row if label is ABSENT else [*row, label]
    for problem in predictions.problems:
        yield {
            "problem": problem.code,
            "file": problem.file,
            "line": problem.line,
            "task": problem.task,
            "params": dict(problem.params),
        }


def read_canonical(stream: BinaryIO, limits: Limits = LIMITS) -> Predictions:
    """The predictions in a file that ``write_canonical`` may have written.

    Raises ``CanonicalError`` at the first thing that it would not write, ``LimitError`` likewise.
    """
    lines = split_lines(iter(lambda: stream.read(CHUNK), b""), LINE_CAP)
    try:
        return _read(_decoded(lines), Budget(limits))
    except (JsonError, LimitError) as error:
        raise CanonicalError(f"refused: {error.code}") from error


def _decoded(lines: Iterable[bytes | None]) -> Iterator[tuple[object, bytes]]:
    for raw in lines:
        if raw is None:
            raise CanonicalError("a line is too long")
        value, rest = decode(raw)
        if rest:
            raise CanonicalError("text follows the value on a line")
        yield value, raw


def _read(lines: Iterator[tuple[object, bytes]], budget: Budget) -> Predictions:
    head = _object(next(lines, (None, b""))[0], {"canonical", "digest"})
    digest = _text(head["digest"], 64)
    if head["canonical"] != VERSION or not _DIGEST.fullmatch(digest):
        raise CanonicalError("the first line is not of this version")
    tasks: dict[str, TaskPredictions] = {}
    problems: list[Problem] = []
    for value, raw in lines:
        if isinstance(value, dict) and "task" in value and "problem" not in value:
            if problems:
                raise CanonicalError("a task follows the problems")
            found = _task(value, lines, budget)
            if found.task in tasks:
                raise CanonicalError("a task comes twice")
            tasks[found.task] = found
        else:
            if len(problems) == MOST_PROBLEMS:
                raise CanonicalError("there are more problems than are ever listed")
            check_value(value, raw)
            problems.append(_problem(value))
    if list(tasks) != [task for task in TASKS if task in tasks]:
        raise CanonicalError("the tasks are not in their order")
    return Predictions(tasks, problems, digest)


def _task(value: object, lines: Iterator[tuple[object, bytes]], budget: Budget) -> TaskPredictions:
    head = _object(value, {"task", "dialect", "files", "rows"})
    task, files = _task_id(head["task"]), head["files"]
    if not isinstance(files, list) or not files:
        raise CanonicalError("a task has no files")
    names = [_text(name, _NAME_CAP) for name in files]
    rows: list[Row] = []
    for _ in range(_count(head["rows"])):
        value, raw = next(lines, (None, b""))
        budget.take_line()
        row = _row(value, raw, names)
        budget.take_text(row.prediction)
        if row.prediction and len(row.prediction) > TASKS[task].prediction_cap:
            raise CanonicalError("a prediction is longer than its task's cap")
        rows.append(row)
    return TaskPredictions(task, _text(head["dialect"], _KEY_CAP), names, rows)


def _row(value: object, raw: bytes, files: list[str]) -> Row:
    if not isinstance(value, list) or len(value) not in {4, 5}:
        raise CanonicalError("a row is missing or has another form")
    key, prediction, file, line = value[:4]
    if prediction is not None and not isinstance(prediction, str):
        raise CanonicalError("a prediction is no text")
    number = _count(file)
    if number >= len(files):
        raise CanonicalError("a row is of no file")
    label = value[4] if len(value) == 5 else ABSENT
    check_value(prediction, raw)
    check_value(label, raw)
    return Row(_key(key), prediction, label, files[number], _count(line))


def _key(value: object) -> Key | None:
    """The key. Raises where it is not in the one form that ``canonical_key`` gives."""
    if value is None or (type(value) is int and canonical_key(value) == value):
        return value
    if isinstance(value, str) and canonical_key(value) == value:
        return _text(value, _KEY_CAP)
    raise CanonicalError("a key has another form")


def _problem(value: object) -> Problem:
    found = _object(value, {"problem", "file", "line", "task", "params"})
    code, file, line, task = (found[key] for key in ("problem", "file", "line", "task"))
    if not isinstance(code, str) or code not in PROBLEMS:
        raise CanonicalError("a problem is unknown")
    given = found["params"]
    if not isinstance(given, dict) or len(given) > 8:
        raise CanonicalError("a problem's parameters have another form")
    params = {_text(name, 40): _parameter(item) for name, item in given.items()}
    problem = Problem(
        code,
        None if file is None else _text(file, _NAME_CAP),
        None if line is None else _count(line),
        None if task is None else _task_id(task),
        params,
    )
    try:
        _ = problem.message, problem.fix
    except KeyError as error:
        raise CanonicalError(f"the problem {code} lacks {error}") from error
    return problem


def _task_id(value: object) -> str:
    if not isinstance(value, str) or value not in TASKS:
        raise CanonicalError("a task is unknown")
    return value


def _parameter(value: object) -> Parameter:
    if isinstance(value, str):
        return _text(value, _TEXT_CAP)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise CanonicalError("a parameter is neither text nor number")


def _object(value: object, keys: set[str]) -> Object:
    if not isinstance(value, dict) or set(value) != keys:
        raise CanonicalError("a line has another form")
    return value


def _text(value: object, cap: int) -> str:
    """A text that pages show: bounded and printable."""
    if not isinstance(value, str) or len(value) > cap or not value.isprintable():
        raise CanonicalError("a text has another form")
    return value


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= 1 << 40:
        raise CanonicalError("a number has another form")
    return value
