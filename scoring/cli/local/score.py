"""``infinitebench score``: prediction files + gold answers → scores."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoring.catalog import TASKS
from scoring.cli.arguments import KeptTasks, kept_tasks, tasks_of_files
from scoring.cli.terminal import (
    Progress,
    add_notes_argument,
    add_task_argument,
    print_problems,
    write_json,
)
from scoring.cli.unusable import UnusableError
from scoring.embedded_gold import embedded_gold
from scoring.intervals import Design
from scoring.limits import LIMITS
from scoring.predictions.archive import open_path
from scoring.predictions.reader import Predictions, read_predictions
from scoring.predictions.versions import Upload, read_version
from scoring.releases.design import read_designs
from scoring.releases.gold import read_gold
from scoring.report import question_json, report_json, report_table, unscored_json
from scoring.score import (
    AlignmentNeeded,
    anything_to_score,
    problems_of_unscored,
    score,
)

EMBEDDED = "embedded"

_DESCRIPTION = """\
Score prediction files under official-2024-06 (the paper), official-2024-09 (upstream's newest) and
strict (one answer per example), all at once. Every example of the gold counts; a missing prediction
counts as 0.
"""

_EPILOG = """\
examples:
  a folder of preds_{task}.jsonl, one score each task, a table on the terminal:
    infinitebench score predictions/ --gold release/
  the same packed, with everything down to single examples as JSON:
    infinitebench score predictions.zip --gold release/ --json report.json
  one file without a task in its name:
    infinitebench score answers.jsonl --task longbook_qa_eng --gold release/
  a corrected file of one task, and two tasks of an earlier archive:
    infinitebench score preds_kv_retrieval.jsonl --keep run.zip=passkey,En.QA --gold release/
  released result files against their own labels:
    infinitebench score results/gpt4/ --gold embedded --drop-first

exit codes:
  0  scored
  2  nothing could be read; the problems say why
  3  some rows can be matched by id or by row order and you must say which: look at the question,
     then add --align id or --align order
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "predictions",
        type=Path,
        metavar="PREDICTIONS",
        nargs="?",
        help="a file, a folder, or an archive (.zip, .tar.gz, .jsonl.gz)",
    )
    parser.add_argument(
        "--keep",
        type=kept_tasks,
        action="append",
        default=[],
        metavar="FILE=TASKS",
        help="also score these tasks of an earlier file or archive, as far as PREDICTIONS has no "
        "file for them; may be given several times, the earliest first",
    )
    parser.add_argument(
        "--gold",
        required=True,
        metavar="DIR",
        help=f"a release: a folder of {{task}}.jsonl; or “{EMBEDDED}”: the labels in the files",
    )
    parser.add_argument("--json", metavar="OUT", help="write the full report here (- for stdout)")
    parser.add_argument(
        "--align",
        choices=("id", "order"),
        help="how to match rows if that is unclear: by id, or by row order",
    )
    add_task_argument(parser)
    parser.add_argument(
        "--drop-first",
        action="store_true",
        help="Math.Calc answers repeat the first operand: drop it",
    )
    add_notes_argument(parser)


def run(arguments: Namespace) -> int:
    if arguments.predictions is None and not arguments.keep:
        raise UnusableError("Give PREDICTIONS: a file, a folder or an archive.")
    predictions = _read(arguments)
    if arguments.gold == EMBEDDED:
        predictions, gold = embedded_gold(predictions)
        designs: dict[str, Design] = {}
    else:
        gold = read_gold(Path(arguments.gold), predictions.tasks)
        designs = read_designs(Path(arguments.gold), gold)
    if not anything_to_score(predictions, gold):
        problems = problems_of_unscored(predictions, gold)
        print_problems(problems, notes=True)
        print("Nothing could be scored.", file=sys.stderr)
        if arguments.json:
            write_json(arguments.json, unscored_json(problems))
        return 2
    try:
        with Progress() as progress:
            report = score(
                predictions,
                gold,
                align=arguments.align,
                drop_first=arguments.drop_first,
                designs=designs,
                progress=progress,
            )
    except AlignmentNeeded as needed:
        print_problems(predictions.problems)
        for question in needed.questions:
            print(f"? {TASKS[question.task].title}: {question.sentence}", file=sys.stderr)
        print("Nothing was scored. Add --align id or --align order.", file=sys.stderr)
        if arguments.json:
            write_json(arguments.json, question_json(needed, predictions.problems))
        return 3
    if arguments.json:
        write_json(arguments.json, report_json(report))
    print(report_table(report), file=sys.stderr if arguments.json == "-" else sys.stdout)
    print_problems(report.problems, notes=arguments.notes)
    return 0


def _read(arguments: Namespace) -> Predictions:
    file_tasks = tasks_of_files(arguments)
    task = file_tasks.pop("", None)
    path: Path | None = arguments.predictions
    if path and not arguments.keep:
        return read_predictions(path, task=task, file_tasks=file_tasks)

    def upload(one: Path, kept: tuple[str, ...] | None = None, task: str | None = None) -> Upload:
        return Upload(one.name, lambda log: open_path(one, LIMITS, log), task, file_tasks, kept)

    keep: list[KeptTasks] = arguments.keep
    kept = [upload(one.path, one.tasks) for one in keep]
    return read_version(upload(path, task=task) if path else None, kept).predictions
