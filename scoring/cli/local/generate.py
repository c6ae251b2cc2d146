"""``infinitebench generate``: a release of all tasks, fresh from a seed."""

import json
import os
import secrets
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from scoring.baseline.floors import measure_floors
from scoring.catalog import TASKS
from scoring.cli.arguments import SHORT, at_least_one, several_names, several_tokens
from scoring.cli.terminal import Progress, add_json_argument, write_json
from scoring.cli.unusable import UnusableError
from scoring.generators import RECIPES
from scoring.generators.example import NEAR_MISSES
from scoring.generators.haystack.texts import HaystackError, haystack_of
from scoring.generators.release import (
    GeneratedTask,
    GenerateError,
    generate_release,
)
from scoring.releases.floors import FLOOR_TITLES, TaskFloors, write_floors
from scoring.releases.manifest import MOST_NEAR_MISSES
from scoring.report import aligned
from scoring.text.variety import Variety, variety

_DESCRIPTION = """\
Generate a release in the official format, at any length: one {task}.jsonl per task, with contexts,
questions and answers. The same seed gives the same bytes.
"""

_EPILOG = """\
examples:
  infinitebench generate release/ --seed 7 --tokens 4000,128000 --examples 20
  infinitebench generate hidden/ --tokens 4000,128000   (a seed that cannot be guessed)
"""

_SEED_BITS = 128


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder that does not exist yet")
    _add_draws(parser)
    _add_what(parser)
    _add_haystack(parser)
    _add_ways(parser)


def _add_draws(parser: ArgumentParser) -> None:
    """Options of the random draws."""
    parser.add_argument(
        "--no-ladder",
        action="store_true",
        help="different questions at every length, so that in a hidden release the short texts do "
        "not reveal the answers of the long ones",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help=f"the same seed gives the same release (default: {_SEED_BITS} bits that cannot be "
        "guessed, as a hidden release needs)",
    )


def _add_what(parser: ArgumentParser) -> None:
    """Options of the release's content."""
    parser.add_argument(
        "--tokens",
        type=several_tokens,
        required=True,
        metavar="N,N",
        help=f"lengths, as 4000,128000 ({SHORT})",
    )
    parser.add_argument(
        "--tasks",
        type=several_names,
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
    parser.add_argument(
        "--near-misses",
        type=float,
        default=NEAR_MISSES,
        metavar="PER_1000",
        help="facts of the kinds asked about, in 1,000 tokens of a novel, that change no answer "
        f"(default: {NEAR_MISSES:.0f}; at most {MOST_NEAR_MISSES:.0f})",
    )


def _add_haystack(parser: ArgumentParser) -> None:
    """Options of texts that the operator supplies. They stay on the machine, but for what is in the
    contexts of the release."""
    parser.add_argument(
        "--haystack",
        action="append",
        default=[],
        metavar="KIND=PATH",
        help="make Code.Debug from a source tree or an installed package (code=PATH or code=NAME; "
        "its code is not run), En.Dia from plays and scripts (plays=PATH), En.QA and En.MC from "
        "novels in English (novels=PATH); other texts pad these (distractors=PATH)",
    )
    parser.add_argument(
        "--licence",
        default="",
        metavar="TEXT",
        help="under which terms the texts of --haystack may be used, in your words; it is stored "
        "with the release",
    )


def _add_ways(parser: ArgumentParser) -> None:
    """Options that leave the release's content as it is."""
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
        help="report how varied the longest context of each task is: how far it compresses, and "
        "how many of its sentences occur once",
    )
    parser.add_argument(
        "--no-floors",
        action="store_true",
        help="do not measure what the questions are worth to those who do not read the texts",
    )
    add_json_argument(parser, "what was generated")


def run(arguments: Namespace) -> int:
    seed = secrets.randbits(_SEED_BITS) if arguments.seed is None else arguments.seed
    examples: int | dict[str, int] = arguments.examples
    if arguments.realistic is not None:
        counts = {"realistic": arguments.realistic, "synthetic": arguments.examples}
        examples = {task.id: counts[task.context] for task in TASKS.values()}
    try:
        given = arguments.haystack
        haystack = haystack_of(given, arguments.licence) if given else None
        with Progress() as progress:
            made = generate_release(
                arguments.out,
                seed=seed,
                tokens=arguments.tokens,
                tasks=arguments.tasks,
                examples=examples,
                ladder=not arguments.no_ladder,
                haystack=haystack,
                near_misses=arguments.near_misses,
                jobs=max(1, min(arguments.jobs, len(arguments.tasks))),
                progress=progress,
            )
            floors: list[TaskFloors] = []
            if not arguments.no_floors:
                progress("measuring the floors")
                floors = measure_floors(arguments.out, arguments.tasks, jobs=arguments.jobs)
                write_floors(arguments.out, floors)
    except (GenerateError, HaystackError) as error:
        raise UnusableError(str(error)) from error
    varieties = {task.task: _variety_of(task.file) for task in made} if arguments.variety else {}
    if arguments.json:
        write_json(arguments.json, _document(arguments, made, varieties, floors))
    if arguments.json != "-":
        print(_summary(arguments, made, varieties, floors))
    return 0


def floor_lines(floors: Sequence[TaskFloors], *, red: bool) -> Iterator[str]:
    """The floors as a table, and a sentence for each that is above its bound."""
    if not floors:
        return
    names = [name for name in FLOOR_TITLES if any(name in one.floors for one in floors)]
    rows = [["floors, in percent", *(FLOOR_TITLES[name] for name in names)]]
    for one in floors:
        shown = (_shown(one, name) for name in names)
        rows.append([one.task, *shown])
    yield aligned(rows)
    for one in floors:
        for name, bound in one.above.items():
            text = (
                f"TOO HIGH: {FLOOR_TITLES[name]} scores {one.floors[name]:.0f} in "
                f"{TASKS[one.task].title}, more than {bound:.0f}: these questions can be answered "
                "without reading."
            )
            yield f"\x1b[31m{text}\x1b[0m" if red else text


def _shown(one: TaskFloors, name: str) -> str:
    if name not in one.floors:
        return ""
    return f"{one.floors[name]:.1f}{' !' if name in one.above else ''}"


def _variety_of(file: Path) -> Variety:
    with file.open(encoding="utf-8") as lines:
        longest = max(lines, key=len)
    return variety([json.loads(longest)["context"]])


def _summary(
    arguments: Namespace,
    made: Sequence[GeneratedTask],
    varieties: Mapping[str, Variety],
    floors: Sequence[TaskFloors],
) -> str:
    rows = [["", "examples", "tokens", "sha256"]]
    rows += [[task.task, str(task.rows), f"{task.tokens}", task.sha256] for task in made]
    lines = [aligned(rows)]
    if arguments.seed is None:
        lines.append(
            f"The seed was drawn at random, {_SEED_BITS} bits, and is stored in "
            f"{arguments.out / 'release.json'}. Anyone who knows it can generate the same answers."
        )
    lines += floor_lines(floors, red=sys.stdout.isatty())
    if varieties:
        rows = [["", "compresses to", "distinct sentences"]]
        for task, found in varieties.items():
            rows.append([task, f"{found.compressed:.1%}", f"{found.distinct:.1%}"])
        lines.append(aligned(rows))
    return "\n".join(lines)


def _document(
    arguments: Namespace,
    made: Sequence[GeneratedTask],
    varieties: Mapping[str, Variety],
    floors: Sequence[TaskFloors],
) -> dict[str, object]:
    return {
        "out": str(arguments.out),
        "seed": arguments.seed,  # one that was drawn is a secret: only release.json has it
        "tasks": {
            task.task: {
                "file": str(task.file),
                "rows": task.rows,
                "tokens": task.tokens.value,
                "estimated": task.tokens.estimated,
                "sha256": task.sha256,
            }
            for task in made
        },
        "variety": {task: asdict(found) for task, found in varieties.items()},
        "floors": {
            one.task: {**one._asdict(), "above": one.above, "task": one.task} for one in floors
        },
    }
