"""Types of command-line options. Each raises ``ArgumentTypeError`` with a sentence."""

import re
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import NamedTuple

from scoring.catalog import TASKS
from scoring.predictions.dialects import TASK_NAMES, squeezed
from scoring.text.amounts import read_amount

_DIGITS = 12
SHORT = "8K is 8000, 1M is 1000000"  # for the help of an option


def tokens(text: str) -> int:
    """``8192``, ``8K`` (8,000), ``128,000``, ``1.5M``."""
    number = read_amount(text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is not a number of tokens: write 4000, 8K or 1M")
    return number


def several_tokens(text: str) -> tuple[int, ...]:
    """``4000,128K``; empty parts are ignored. Commas only separate: 128,000 is refused."""
    parts = [part for part in text.split(",") if part.strip()]
    if not parts or any(re.match(r"\s*0\d", part) for part in parts):
        raise ArgumentTypeError("write numbers of tokens with commas, as in 4000,128000")
    return tuple(tokens(part) for part in parts)


def several_names(text: str) -> tuple[str, ...]:
    """``passkey,code_run``; empty parts are ignored."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


class FileTask(NamedTuple):
    file: str  # empty: the only file without a task in its name
    task: str


def task_of_file(text: str) -> FileTask:
    """``passkey``, ``En.QA`` or ``answers.jsonl=passkey``."""
    file, _, name = text.rpartition("=")
    task = TASK_NAMES.get(squeezed(name))
    if task is None:
        raise ArgumentTypeError(f"{name!r} is not a task: choose from {', '.join(TASKS)}")
    return FileTask(file, task)


def tasks_of_files(arguments: Namespace) -> dict[str, str]:
    """File → task; if a file is named several times, the last one counts."""
    given: list[FileTask] = arguments.task
    return dict(given)


class KeptTasks(NamedTuple):
    path: Path
    tasks: tuple[str, ...] | None  # None: all


def kept_tasks(text: str) -> KeptTasks:
    """``run.zip=passkey,En.QA``, or ``run.zip`` for all of its tasks."""
    file, equals, names = text.rpartition("=")
    if not equals:
        return KeptTasks(Path(text), None)
    return KeptTasks(Path(file), tuple(task_of_file(name).task for name in several_names(names)))


def at_least_one(text: str) -> int:
    number = text.strip()
    if not (number.isascii() and number.isdigit() and len(number) < _DIGITS and int(number)):
        raise ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(number)
