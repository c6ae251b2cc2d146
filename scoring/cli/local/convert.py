"""``infinitebench convert``: predictions in any form and logs of other tools, as official files."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from scoring.atomic_folder import atomic_directory
from scoring.catalog import TASKS
from scoring.cli.arguments import tasks_of_files
from scoring.cli.terminal import (
    Progress,
    add_json_argument,
    add_notes_argument,
    add_task_argument,
    print_problems,
    write_json,
)
from scoring.cli.unusable import UnusableError
from scoring.limits import LIMITS, Budget
from scoring.logs.answers import LOG_LIMITS, LOSSES, Log, LogError
from scoring.logs.every_eval_ever import read_every_eval_ever
from scoring.logs.helm_log import FILE, read_helm_log
from scoring.logs.inspect_log import (
    is_inspect_json,
    read_inspect_json,
    read_inspect_log,
    read_inspect_stream,
)
from scoring.predictions.archive import open_path
from scoring.predictions.dialects import ABSENT, base_name
from scoring.predictions.formats import INSPECT
from scoring.predictions.members import ArchiveError, Member, MemberError
from scoring.predictions.reader import Predictions, read_members
from scoring.problems import Problem, ProblemLog
from scoring.report import aligned, problem_json

Reader = Callable[[Path, str], Log]
_OF_NO_TASK = ("sample_broken", "task_unknown")  # losses that may be of any

_DESCRIPTION = f"""\
Convert predictions into official files, preds_{{task}}.jsonl in a new folder: any form that score
reads (lm-evaluation-harness, OpenCompass, HELMET, SGLang, InfLLM …), Inspect logs (.eval), the
lines of Every Eval Ever and HELM's {FILE}. Files may have many GB, with whole prompts, of
which nothing is kept. What is lost is listed.
"""

_EPILOG = f"""\
examples:
  infinitebench convert samples_infinitebench_*.jsonl --out predictions/
  infinitebench convert logs/*.eval --out predictions/
  infinitebench convert every-eval-ever.zip --out predictions/
  infinitebench convert benchmark_output/runs/v1/infinite_bench_en_qa:*/{FILE} --out predictions/
  infinitebench check predictions/ --gold release/

exit codes: 0 everything was converted; 1 a part of it, and what is missing was said; 2 nothing.
"""


@dataclass(slots=True)
class Source:
    """The rows of a task: id (None: their order counts), prediction, and label if there is one."""

    task: str
    form: str
    files: list[str]
    rows: list[dict[str, object]]

    @property
    def answered(self) -> int:
        return sum(row["prediction"] is not None for row in self.rows)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "inputs", type=Path, nargs="+", metavar="INPUT", help="files, folders, archives, logs"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="OUT", help="a folder that does not exist yet"
    )
    add_task_argument(parser)
    add_notes_argument(parser)
    add_json_argument(parser, "what was converted and what was lost")


def run(arguments: Namespace) -> int:
    if arguments.out.exists():
        raise UnusableError(f"{arguments.out} exists already.")
    file_tasks = tasks_of_files(arguments)
    task = file_tasks.pop("", "")
    paths: list[Path] = arguments.inputs
    readers = _logs_in(paths)
    with Progress() as progress:
        logs, errors = _read_logs(readers, task, file_tasks, progress)
        members = LogMembers(task, file_tasks)
        predictions = _read_predictions(paths, readers, members, progress)
        logs += members.logs
        errors += members.errors
    sources, doubled = _one_of_each_task([*_of_predictions(predictions), *map(_of_log, logs)])
    errors += doubled
    lost = _lost(logs)
    if sources:
        with atomic_directory(arguments.out, ".converted-") as folder:
            for source in sources:
                _write(folder / f"preds_{source.task}.jsonl", source)
    print_problems(predictions.problems, notes=arguments.notes)
    for one in lost:
        where = f"{one['file']}, {TASKS[one['task']].title}" if one["task"] else one["file"]
        print(f"! {where}: {one['count']:,} {one['message']}", file=sys.stderr)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    if arguments.json:
        problems = [problem_json(problem) for problem in predictions.problems]
        document = _document(arguments.out, sources)
        write_json(
            arguments.json, {**document, "lost": lost, "errors": errors, "problems": problems}
        )
    if arguments.json != "-":
        print(_table(sources) if sources else "Nothing was converted.")
    if not sources:
        return 2
    is_whole = not (lost or errors or any(p.severity != "note" for p in predictions.problems))
    return 0 if is_whole else 1


def _lost(logs: Iterable[Log]) -> list[dict[str, Any]]:
    """One file may have the answers of all tasks."""
    return [
        {
            "file": log.file,
            "task": None if code in _OF_NO_TASK else log.task,
            "code": code,
            "count": count,
            "message": LOSSES[code].one if count == 1 else LOSSES[code].many,
        }
        for log in logs
        for code, count in sorted(log.lost.items())
    ]


@dataclass(slots=True)
class LogMembers:
    """The logs inside folders and archives; of Every Eval Ever also files by themselves."""

    task: str
    file_tasks: Mapping[str, str]
    logs: list[Log] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def take(self, path: Path, member: Member) -> bool:
        """Whether the member has been read, or has nothing to be read. Raises ``ArchiveError``."""
        if member.problem is None or member.problem.code != "file_is_log":
            return False
        name = base_name(member.name)
        task = self.file_tasks.get(name, self.task)
        try:
            if member.problem.params["format"] == INSPECT:
                # A zip is read from its end, and the member of an archive only forwards.
                with TemporaryFile() as stream:
                    _copy(member, stream, LIMITS.ratio * path.stat().st_size)
                    self.logs.append(read_inspect_stream(stream, member.name, task))
            else:
                self.logs += read_every_eval_ever(name, member.chunks, task)
        except LogError as error:
            self.errors.append(str(error))
        except MemberError as error:
            problem = Problem(error.code, member.name, params=error.params)
            self.errors.append(f"{member.name}: {problem.message}")
        except ArchiveError:
            self.logs.clear()  # nothing of a damaged archive is used
            raise
        return True


def _copy(member: Member, stream: BinaryIO, limit: int) -> None:
    """Raises ``LogError`` where there is more than the limit, as of a bomb."""
    for chunk in member.chunks:
        if stream.tell() + len(chunk) > limit:
            raise LogError(f"{member.name} is more than {LIMITS.ratio} times its archive.")
        stream.write(chunk)


def _reader_of(path: Path) -> Reader | None:
    """Of a log; None for anything else."""
    if path.name == FILE:
        return read_helm_log
    if path.suffix == ".eval":
        return read_inspect_log
    return read_inspect_json if path.is_file() and is_inspect_json(path) else None


def _logs_in(paths: Iterable[Path]) -> dict[Path, Reader]:
    files = (
        file
        for path in paths
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if not file.is_dir()
    )
    found = ((file, _reader_of(file)) for file in files)
    return {file: reader for file, reader in found if reader}


def _read_logs(
    readers: Mapping[Path, Reader], task: str, file_tasks: Mapping[str, str], progress: Progress
) -> tuple[list[Log], list[str]]:
    logs, errors = [], []
    for path, read in readers.items():
        progress(f"reading {path}")
        try:
            logs.append(read(path, file_tasks.get(path.name, task)))
        except LogError as error:
            errors.append(str(error))
    return logs, errors


def _read_predictions(
    paths: Iterable[Path],
    logs: Collection[Path],
    inside: LogMembers,
    progress: Progress,
) -> Predictions:
    """What is in the inputs besides the logs. Those among their members go to ``inside``."""
    others = [path for path in paths if not _has_only(path, logs)]
    if not others:
        return Predictions({}, [], "")
    log = ProblemLog()

    def members() -> Iterator[Member]:
        for path in others:
            for member in open_path(path, LOG_LIMITS, log):
                if path / member.name not in logs:
                    progress(f"reading {member.name}")
                    if not inside.take(path, member):
                        yield member

    name = others[0].name if len(others) == 1 else ""
    found = read_members(
        name, members(), log,
        task=inside.task or None, file_tasks=inside.file_tasks, budget=Budget(LOG_LIMITS),
    )  # fmt: skip
    if inside.logs or inside.errors:
        problems = [problem for problem in found.problems if problem.code != "nothing_to_score"]
        return replace(found, problems=problems)
    return found


def _has_only(path: Path, logs: Collection[Path]) -> bool:
    if not path.is_dir():
        return path in logs
    files = [file for file in path.rglob("*") if file.is_file()]
    return bool(files) and all(file in logs for file in files)


def _of_predictions(predictions: Predictions) -> Iterator[Source]:
    for task, found in predictions.tasks.items():
        rows: list[dict[str, object]] = []
        for row in found.rows:
            key = {} if row.key is None else {"id": row.key}
            label = {} if row.label is ABSENT else {"ground_truth": row.label}
            rows.append({**key, "prediction": row.prediction, **label})
        yield Source(task, found.dialect, found.files, rows)


def _of_log(log: Log) -> Source:
    rows: list[dict[str, object]] = [
        {"id": answer.key, "prediction": answer.text} for answer in log.answers
    ]
    return Source(log.task, log.tool, [log.file], rows)


def _one_of_each_task(found: Iterable[Source]) -> tuple[list[Source], list[str]]:
    """The first of each task, in the order of the catalogue, and what is said of the others."""
    sources: dict[str, Source] = {}
    errors = []
    for source in found:
        first = sources.setdefault(source.task, source)
        if first is not source:
            errors.append(
                f"{source.files[0]} is of {TASKS[source.task].title} too, and is left out: "
                f"{first.files[0]} was first. Convert each run into a folder of its own."
            )
    return [sources[task] for task in TASKS if task in sources and sources[task].rows], errors


def _write(file: Path, source: Source) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for row in source.rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _table(sources: Iterable[Source]) -> str:
    rows = [["", "rows", "answered", "from"]]
    for source in sources:
        title, count = TASKS[source.task].title, str(len(source.rows))
        rows.append([title, count, str(source.answered), source.form])
    return aligned(rows)


def _document(out: Path, sources: Iterable[Source]) -> dict[str, object]:
    return {
        "out": str(out),
        "tasks": {
            source.task: {
                "file": f"preds_{source.task}.jsonl",
                "from": source.files,
                "form": source.form,
                "rows": len(source.rows),
                "answered": source.answered,
            }
            for source in sources
        },
    }
