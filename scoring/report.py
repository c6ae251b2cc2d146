"""A report as JSON for programs and as a table for people."""

from collections.abc import Iterable, Mapping, Sequence

from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.matching import Fit, ReleaseNeeded, VersionNeeded
from scoring.metrics import METRIC_SETS
from scoring.problems import Problem
from scoring.score import AlignmentNeeded, Report, TaskReport
from scoring.stats import macro_standard_error, rounded

Json = dict[str, object]

_MARKS = {"error": "✗", "warning": "!", "note": "·"}


def report_json(report: Report) -> Json:
    """The contract of ``--json``: percentages, standard errors in points, example scores 0 to 1."""
    by_task: dict[str | None, list[Json]] = {}
    for problem in report.problems:
        task = problem.task if problem.task in report.tasks else None
        by_task.setdefault(task, []).append(problem_json(problem))
    return {
        "signature": report.signature,
        "overall": report.overall(),
        "domains": report.domains(),
        "tasks": {
            task: _task_json(scored, by_task.get(task, [])) for task, scored in report.tasks.items()
        },
        "problems": by_task.get(None, []),
    }


def unscored_json(problems: Sequence[Problem]) -> Json:
    """The document instead of a report where nothing could be scored."""
    return {"tasks": {}, "problems": [problem_json(problem) for problem in problems]}


def question_json(
    needed: AlignmentNeeded | VersionNeeded | ReleaseNeeded, problems: Sequence[Problem]
) -> Json:
    """The document instead of a report while a question is open."""
    question: Json
    if isinstance(needed, AlignmentNeeded):
        question = {"alignment": [one.as_json() for one in needed.questions]}
    elif isinstance(needed, VersionNeeded):
        question = {"version": {"among": needed.versions, "differing": needed.differing}}
    else:
        fits = {other.release: _fits_json(other.fits) for other in needed.others}
        question = {"release": {"chosen": _fits_json(needed.chosen), "others": fits}}
    return unscored_json(problems) | question


def _fits_json(fits: Mapping[str, Fit]) -> Json:
    return {task: {"has_ids": fit.has_ids, **fit.agreement.as_json()} for task, fit in fits.items()}


def _task_json(task: TaskReport, problems: list[Json]) -> Json:
    n = len(task.keys)
    return {
        "n": n,
        "answered": task.answered,
        "missing": n - task.answered,
        "unknown": task.unknown,
        "aligned": task.method,
        "problems": problems,
        "scores": task.means,
        "stderr": task.stderrs,
        "examples": {
            "keys": task.keys,
            **{
                name: [verdict.score if verdict else None for verdict in verdicts]
                for name, verdicts in task.verdicts.items()
            },
        },
    }


def problem_json(problem: Problem) -> Json:
    return {
        "code": problem.code,
        "severity": problem.severity,
        "task": problem.task,
        "file": problem.file,
        "line": problem.line,
        "message": problem.message,
        "fix": problem.fix,
        "params": dict(sorted(problem.params.items())),
    }


def report_table(report: Report) -> str:
    """Tasks, domains and the overall score under every metric set, in percent ± standard error."""
    rows = [["", "answered", *METRIC_SETS]]
    for task in (report.tasks[task] for task in TASKS if task in report.tasks):
        scores = [_score(task.means[name], task.stderrs[name]) for name in METRIC_SETS]
        rows.append([TASKS[task.task].title, f"{task.answered}/{len(task.keys)}", *scores])
    rows.append([])
    rows += [[name, "", *_means(report.domain(name), report, tasks_of(name))] for name in DOMAINS]
    rows.append(["overall", "", *_means(report.overall(), report, TASKS)])
    return aligned(rows)


def _means(means: Mapping[str, float | None], report: Report, tasks: Iterable[str]) -> list[str]:
    found = [report.tasks[task].stderrs for task in tasks if task in report.tasks]
    return [
        _score(means[name], macro_standard_error([stderrs[name] for stderrs in found]))
        for name in METRIC_SETS
    ]


def _score(percent: float | None, stderr: float | None) -> str:
    if percent is None:
        return "·        "
    error = f" ± {rounded(stderr, 2):5}" if stderr is not None else " " * 8
    return f"{rounded(percent, 2)}{error}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """A table as text; the first column is aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*filter(None, rows), strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines)


def problem_lines(problems: Iterable[Problem]) -> str:
    """One paragraph for each problem: where, what, and what to do."""
    paragraphs = []
    for problem in problems:
        line = f", line {problem.line}" if problem.line else ""
        where = f"{problem.file}{line}: " if problem.file else ""
        mark = _MARKS[problem.severity]
        paragraphs.append(f"{mark} {where}{problem.message}\n    → {problem.fix}")
    return "\n".join(paragraphs)
