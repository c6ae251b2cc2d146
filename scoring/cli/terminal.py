"""Output that all commands share: progress and problems on stderr, results on stdout."""

import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from scoring.catalog import TASKS
from scoring.cli.arguments import task_of_file
from scoring.problems import Problem
from scoring.report import problem_lines
from scoring.text.plurals import plural

_PATIENCE = 1.0  # seconds without output before progress is shown
_REDRAWN = 0.1  # seconds between two pictures of a line
_WIDTH = 30  # of a bar, in characters


def add_task_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--task",
        type=task_of_file,
        action="append",
        default=[],
        metavar="TASK",
        help="the task of the only file without one in its name; or FILE=TASK, once for each of "
        f"several: {', '.join(TASKS)}",
    )


def add_notes_argument(parser: ArgumentParser) -> None:
    parser.add_argument("--notes", action="store_true", help="also list harmless notes")


def add_json_argument(parser: ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--json", metavar="OUT", help=f"write {what} here as JSON (- for stdout, instead of text)"
    )


class _Line:
    """A line of a terminal that is drawn again and again, and taken away at the end."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def is_due(self, interval: float) -> bool:
        """Whether it is time: after the first second, then after each interval."""
        now = time.monotonic()
        if now - self._last < (interval if self._is_shown else _PATIENCE):
            return False
        self._last = now
        return True

    def show(self, text: str) -> None:
        self._is_shown = True
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80  # 0: it does not know
        print(f"\r\033[K{text[: columns - 1]}", end="", file=sys.stderr, flush=True)


class Progress(_Line):
    """The current step on stderr, after the first second: on one line of a terminal; in a log a
    line, at most once a second."""

    def __call__(self, step: str) -> None:
        if not sys.stderr.isatty():
            if self.is_due(_PATIENCE):
                print(f"… {step}", file=sys.stderr, flush=True)
        elif self.is_due(_REDRAWN):
            self.show(f"… {step}")


class Bar(_Line):
    """How much of something is done, on a terminal only: a log has no use for it."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def __call__(self, done: int, total: int) -> None:
        """``total``: 0 where it is not known."""
        if not sys.stderr.isatty() or not self.is_due(_REDRAWN):
            return
        share = min(1.0, done / total) if total else 0.0
        bar = f"[{'#' * round(share * _WIDTH):·<{_WIDTH}}] {share:4.0%} of " if total else ""
        self.show(f"{self._title} {bar}{(total or done) / 1e6:.1f} MB")


def print_problems(problems: Sequence[Problem], *, notes: bool = False) -> None:
    """List problems on stderr; the notes among them only with ``notes``, else their number."""
    shown = [problem for problem in problems if notes or problem.severity != "note"]
    if shown:
        print(problem_lines(shown), file=sys.stderr)
    if hidden := len(problems) - len(shown):
        number = f"{hidden:,} harmless {plural(hidden, 'note', 'notes')}"
        print(f"· {number} not listed; --notes lists them", file=sys.stderr)


def write_answer(arguments: Namespace, document: Mapping[str, object], text: str) -> int:
    """The document where ``--json`` wants it, and the text unless that is the output. Returns the
    exit code of success."""
    if arguments.json:
        write_json(arguments.json, document)
    if arguments.json != "-":
        print(text)
    return 0


def write_json(target: str, document: object) -> None:
    """Write a document to a file, or to stdout for “-”; the same document gives the same bytes."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")
