"""``python -m scoring generate``: a release of all tasks, fresh from a seed."""

import json
import os
import secrets
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoring.catalog import TASKS
from scoring.cli.amounts import SHORT, at_least_one, several_tokens
from scoring.cli.terminal import Progress
from scoring.generators import RECIPES
from scoring.generators.release import GeneratedTask, GenerateError, generate_release
from scoring.generators.variety import variety
from scoring.report import aligned

_DESCRIPTION = """\
Make a release in the official format, at any length: one {task}.jsonl for each task, with contexts,
questions and answers. The same seed gives the same bytes.
"""

_EPILOG = """\
examples:
  python -m scoring generate release/ --seed 7 --tokens 4000,128000 --examples 20
  python -m scoring generate hidden/ --tokens 4000,128000   (a seed that nobody can guess)
"""

_SEED_BITS = 128


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder that does not exist yet")
    _add_draws(parser)
    _add_what(parser)
    _add_ways(parser)


def _add_draws(parser: ArgumentParser) -> None:
    """What is drawn by chance."""
    parser.add_argument(
        "--no-ladder",
        action="store_true",
        help="other questions at every length: of a hidden release, the short texts then do not "
        "give away the answers of the long ones",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help=f"the same seed gives the same release (default: {_SEED_BITS} bits that nobody can "
        "guess, as a hidden release needs)",
    )


def _add_what(parser: ArgumentParser) -> None:
    """What the release is made of."""
    parser.add_argument(
        "--tokens",
        type=several_tokens,
        required=True,
        metavar="N,N",
        help=f"lengths, as 4000,128000 ({SHORT})",
    )
    parser.add_argument(
        "--tasks",
        type=_names,
        default=tuple(RECIPES),
        metavar="A,B",
        help=f"some of {', '.join(RECIPES)} (default: all)",
    )
    parser.add_argument(
        "--examples",
        type=int,
        default=10,
        metavar="N",
        help="of each task at each length (default: 10)",
    )
    parser.add_argument(
        "--realistic",
        type=int,
        metavar="N",
        help="of each task with a novel, a play or a package, if not as many as --examples",
    )


def _add_ways(parser: ArgumentParser) -> None:
    """What changes nothing of what is made."""
    parser.add_argument(
        "--jobs",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="N",
        help="tasks made at the same time (default: one for each processor)",
    )
    parser.add_argument(
        "--variety",
        action="store_true",
        help="tell how varied the longest context of each task is: how far it compresses, and how "
        "many of its sentences come once",
    )


def run(arguments: Namespace) -> int:
    try:
        made = generate_release(
            arguments.out,
            seed=_seed(arguments.seed),
            tokens=arguments.tokens,
            tasks=arguments.tasks,
            examples=_examples(arguments),
            ladder=not arguments.no_ladder,
            jobs=max(1, min(arguments.jobs, len(arguments.tasks))),
            progress=Progress(),
        )
    except GenerateError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = [["", "examples", "tokens", "sha256"]]
    rows += [[task.task, str(task.rows), f"{task.tokens}", task.sha256] for task in made]
    print(aligned(rows))
    if arguments.seed is None:
        print(_drawn(arguments.out))
    if arguments.variety:
        print(aligned([["", "compresses to", "distinct sentences"], *map(_varied, made)]))
    return 0


def _seed(asked: int | None) -> int:
    return secrets.randbits(_SEED_BITS) if asked is None else asked


def _drawn(out: Path) -> str:
    return (
        f"The seed was drawn at random, {_SEED_BITS} bits: it stands in {out / 'release.json'}. "
        "Whoever knows it can make the same answers."
    )


def _varied(task: GeneratedTask) -> list[str]:
    with task.file.open(encoding="utf-8") as lines:
        longest = max(lines, key=len)
    found = variety([json.loads(longest)["context"]])
    return [task.task, f"{found.compressed:.1%}", f"{found.distinct:.1%}"]


def _examples(arguments: Namespace) -> int | dict[str, int]:
    every, realistic = arguments.examples, arguments.realistic
    if realistic is None:
        return int(every)
    return {task.id: realistic if task.context == "realistic" else every for task in TASKS.values()}


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
