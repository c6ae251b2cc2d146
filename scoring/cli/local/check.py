"""``infinitebench check``: what is wrong with prediction files, and which release they fit."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scoring.alignment import (
    Agreement,
    AlignmentQuestion,
    decide,
    place,
    report_coverage,
    scorable,
)
from scoring.catalog import TASKS
from scoring.cli.arguments import tasks_of_files
from scoring.cli.terminal import add_notes_argument, add_task_argument, print_problems, write_json
from scoring.matching import Fit, fit_of
from scoring.predictions.reader import Predictions, read_predictions
from scoring.problems import Problem, ProblemLog
from scoring.releases.gold import TaskGold, read_gold
from scoring.report import aligned, problem_json

Release = Mapping[str, TaskGold]
Fits = dict[str, dict[str, Fit]]  # task → release → how well they fit

_DESCRIPTION = """\
Check prediction files without scoring them: every problem with its file, line and fix. With
several releases, also which one the predictions were made for, task by task.
"""

_EPILOG = """\
examples:
  infinitebench check predictions.zip
  infinitebench check predictions/ --gold releases/hf --gold releases/paper

exit codes: 0 clean; 1 problems; 2 nothing could be read.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("predictions", type=Path, metavar="PREDICTIONS")
    parser.add_argument(
        "--gold", type=Path, action="append", default=[], metavar="DIR", help="may be repeated"
    )
    add_task_argument(parser)
    add_notes_argument(parser)
    parser.add_argument("--json", metavar="OUT", help="write the findings here (- for stdout)")


def run(arguments: Namespace) -> int:
    file_tasks = tasks_of_files(arguments)
    predictions = read_predictions(
        arguments.predictions, task=file_tasks.pop("", None), file_tasks=file_tasks
    )
    releases = {str(path): read_gold(path, predictions.tasks) for path in arguments.gold}
    fits = {
        task: {name: fit_of(file, gold[task]) for name, gold in releases.items() if task in gold}
        for task, file in predictions.tasks.items()
    }
    log = ProblemLog()
    best = _best_release(fits, releases)
    if best:
        of_best = {task: found[best].agreement for task, found in fits.items() if best in found}
        _compare(predictions, releases[best], of_best, log)
    problems = predictions.problems + log.problems()
    print_problems(problems, notes=arguments.notes)
    if arguments.json:
        write_json(arguments.json, _document(predictions, fits, best, problems))
    if arguments.json != "-":
        print(_summary(predictions, fits, best))
    if not predictions.readable:
        return 2
    return 1 if any(problem.severity != "note" for problem in problems) else 0


def _best_release(fits: Fits, releases: Iterable[str]) -> str | None:
    """The release that fits best, summed over tasks; if several do, the one with more known ids."""

    def fit(name: str) -> tuple[float, int]:
        found = [of_task[name] for of_task in fits.values() if name in of_task]
        return sum(one.points for one in found), -sum(one.agreement.unknown for one in found)

    return max(releases, key=fit, default=None)


def _compare(
    predictions: Predictions, gold: Release, fits: Mapping[str, Agreement], log: ProblemLog
) -> None:
    for task, file in scorable(predictions, gold, log).items():
        method = decide(gold[task], file, fits[task], None)
        if isinstance(method, AlignmentQuestion):
            question = method.sentence
            log.add("alignment_needed", file=file.files[0], task=task, question=question)
        else:
            placement = place(gold[task], file, method, log)
            report_coverage(file, fits[task], placement, log)


def _summary(predictions: Predictions, fits: Fits, best: str | None) -> str:
    if not predictions.tasks:
        return "Nothing could be read."
    releases = list(dict.fromkeys(name for of_task in fits.values() for name in of_task))
    # Columns are titled with the folders' names, unless two are the same.
    names = [Path(name).absolute().name for name in releases]
    rows = [["", "rows", *(names if len(set(names)) == len(names) else releases)]]
    for task, file in predictions.tasks.items():
        cells = [_cell(fits[task].get(name)) for name in releases]
        rows.append([TASKS[task].title, str(len(file.rows)), *cells])
    lines = [aligned(rows)]
    if best and len(releases) > 1:
        lines.append(f"\nFits best: {best}")
        lines += _exceptions(fits, best)
    return "\n".join(lines)


def _exceptions(fits: Fits, best: str) -> Iterator[str]:
    """The tasks that another release fits better, or that none fits."""
    for task, of_task in fits.items():
        winner = max(of_task, key=lambda name: of_task[name].points, default=None)
        found = of_task.get(best)
        if winner and found and of_task[winner].points > found.points:
            yield f"  but {TASKS[task].title}: {winner}"
        elif found and found.agreement.labelled and not found.agreement.best:
            yield f"  but {TASKS[task].title}: no release has these labels"


def _cell(fit: Fit | None) -> str:
    """The number of labels in common where the file has labels, else of ids."""
    if fit is None:
        return "·"
    found = fit.agreement
    if found.labelled:
        how = "by order" if found.by_order > found.by_id else "by id"
        return f"{found.best}/{found.labelled} labels {how}"
    return f"{found.rows - found.unknown}/{found.rows} ids"


def _document(
    predictions: Predictions, fits: Fits, best: str | None, problems: list[Problem]
) -> dict[str, object]:
    return {
        "clean": not any(problem.severity != "note" for problem in problems),
        "fits_best": best,
        "tasks": {
            task: {
                "dialect": file.dialect,
                "files": file.files,
                "rows": len(file.rows),
                "releases": {name: fit.agreement.as_json() for name, fit in fits[task].items()},
            }
            for task, file in predictions.tasks.items()
        },
        "problems": [problem_json(problem) for problem in problems],
    }
