"""``infinitebench answer``: the reference reader's predictions for a release."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoring.baseline.release import AnswerError, answer_release
from scoring.catalog import TASKS
from scoring.cli.arguments import SHORT, at_least_one, several_names, tokens
from scoring.cli.terminal import Progress, add_json_argument, write_json
from scoring.cli.unusable import UnusableError
from scoring.report import aligned

_DESCRIPTION = """\
Answer a release with the reference reader, which works by rules and reads the first and the last
part of each prompt that is longer than its window.
"""

_EPILOG = """\
example:
  infinitebench answer release/ --window 8192 --out predictions/
  infinitebench score predictions/ --gold release/
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("release", type=Path, metavar="RELEASE", help="a release directory")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="OUT", help="a folder that does not exist yet"
    )
    parser.add_argument(
        "--window",
        type=tokens,
        metavar="N",
        help=f"tokens of a prompt that are read, 256 at least; {SHORT} (default: all)",
    )
    parser.add_argument(
        "--tasks",
        type=several_names,
        default=tuple(TASKS),
        metavar="A,B",
        help=f"some of {', '.join(TASKS)} (default: all that the release has)",
    )
    parser.add_argument(
        "--jobs",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="N",
        help="examples answered at the same time (default: one for each processor)",
    )
    add_json_argument(parser, "what was answered")


def run(arguments: Namespace) -> int:
    if unknown := set(arguments.tasks) - set(TASKS):
        raise UnusableError(f"There is no task called {min(unknown)}.")
    try:
        with Progress() as progress:
            answered = answer_release(
                arguments.release,
                arguments.out,
                window=arguments.window,
                tasks=arguments.tasks,
                jobs=arguments.jobs,
                progress=progress,
            )
    except AnswerError as error:
        raise UnusableError(str(error)) from error
    if arguments.json:
        tasks = {task.task: {"file": str(task.file), "rows": task.rows} for task in answered}
        write_json(arguments.json, {"out": str(arguments.out), "tasks": tasks})
    if arguments.json != "-":
        print(aligned([["", "rows"], *([task.task, str(task.rows)] for task in answered)]))
    return 0
