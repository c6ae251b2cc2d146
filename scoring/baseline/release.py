"""Prediction files of the baseline for a release; also an example of how to write such files."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from scoring.atomic_folder import atomic_directory
from scoring.baseline import read
from scoring.catalog import TASKS
from scoring.text.prompts import prompt_of

SMALLEST_WINDOW = 256  # tokens: a question alone may be longer
_AHEAD = 4  # rows for each process: a row of a long novel has 10 MB


class AnswerError(ValueError):
    """The release cannot be answered; the message is a sentence for the reader."""


class AnsweredTask(NamedTuple):
    task: str
    file: Path
    rows: int


def answer_release(
    release: Path,
    out: Path,
    *,
    window: int | None = None,
    tasks: Sequence[str] = tuple(TASKS),
    jobs: int = 1,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[AnsweredTask, ...]:
    """Write ``preds_{task}.jsonl`` for those of the tasks that a release directory has, in
    order.

    Only keys, contexts, questions and options are read. ``jobs`` rows are answered at the same
    time, each in a process of its own. Nothing appears at ``out`` before everything is written.

    Raises ``AnswerError`` if ``release`` contains no release, a file without rows or an invalid
    row, if ``out`` exists already, or if ``window`` is too small; ``OSError`` if a file cannot be
    read or written.
    """
    if not tasks:
        raise AnswerError(f"No task is named: choose some of {', '.join(TASKS)}.")
    if window is not None and window < SMALLEST_WINDOW:
        raise AnswerError(f"A window must have {SMALLEST_WINDOW} tokens at least, not {window}.")
    files = {task: release / f"{task}.jsonl" for task in tasks}
    found = {task: file for task, file in files.items() if file.is_file()}
    if not found:
        raise AnswerError(f"{release} has no file such as {next(iter(files.values())).name}.")
    try:
        with atomic_directory(out, ".answer-") as unfinished:
            counts = _write(found, unfinished, window, jobs, progress)
    except FileExistsError as error:
        raise AnswerError(str(error)) from error
    files = {task: out.absolute() / _name(task) for task in counts}
    return tuple(AnsweredTask(task, files[task], count) for task, count in counts.items())


def _name(task: str) -> str:
    return f"preds_{task}.jsonl"


def _write(
    files: dict[str, Path],
    folder: Path,
    window: int | None,
    jobs: int,
    progress: Callable[[str], None],
) -> dict[str, int]:
    # Spawned, not forked: the caller may have threads, or a database connection.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        counts = dict.fromkeys(files, 0)
        for task, file in files.items():
            progress(f"{TASKS[task].title}: answering {file.name}")
            work = partial(answered_row, file.name, task, window=window)
            with file.open("rb") as rows, (folder / _name(task)).open("xb") as answers:
                numbered = (line for line in enumerate(rows, 1) if line[1].strip())
                while batch := [*islice(numbered, _AHEAD * jobs)]:
                    answers.writelines(pool.map(work, *zip(*batch, strict=True)))
                    counts[task] += len(batch)
            if not counts[task]:
                raise AnswerError(f"{file.name} has no rows.")
    return counts


def answered_row(file: str, task: str, number: int, row: bytes, *, window: int | None) -> bytes:
    """One line of a prediction file for one line of a release.

    Raises ``AnswerError`` with the line number if it is no row.
    """
    try:
        example = json.loads(row)
        key, options = example["id"], example.get("options") or ()
        prompt = prompt_of(task, example["context"], example.get("input", ""), options)
        answer = read(prompt.text, window)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        message = f"{file}, line {number}: this is no row with an id, a context and a question."
        raise AnswerError(message) from error
    return f"{json.dumps({'id': key, 'prediction': answer})}\n".encode()
