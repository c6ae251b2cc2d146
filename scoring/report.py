"""A report as JSON for programs and as a table for people."""

from collections.abc import Iterable, Mapping, Sequence

from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.intervals import Interval
from scoring.matching import Fit, ReleaseNeeded, VersionNeeded
from scoring.metrics import METRIC_SETS
from scoring.problems import Problem
from scoring.score import AlignmentNeeded, Report, TaskReport
from scoring.stats import rounded

Json = dict[str, object]

_INTERVAL_WIDTH = 11  # of the longest, with two spaces before it: ``99.4–100``, ``10.1–20.2``
_MARKS = {"error": "✗", "warning": "!", "note": "·"}


def report_json(report: Report) -> Json:
    """The contract of ``--json``: percentages, standard errors in points, example scores 0 to 1.

    Intervals are left out where none were wanted.
    """
    by_task: dict[str | None, list[Json]] = {}
    for problem in report.problems:
        task = problem.task if problem.task in report.tasks else None
        by_task.setdefault(task, []).append(problem_json(problem))
    return {
        "signature": report.signature,
        "overall": report.overall(),
        "domains": report.domains(),
        **_mean_intervals(report),
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
        **_intervals_json(task),
        "examples": {
            "keys": task.keys,
            **{
                name: [verdict.score if verdict else None for verdict in verdicts]
                for name, verdicts in task.verdicts.items()
            },
        },
    }


def _intervals_json(task: TaskReport) -> Json:
    if not task.estimates:
        return {}
    texts = next((one.texts for one in task.estimates.values() if one), None)
    found = {name: interval_json(one and one.interval) for name, one in task.estimates.items()}
    return {"intervals": found, "texts": texts}


def _mean_intervals(report: Report) -> Json:
    if not any(task.estimates for task in report.tasks.values()):
        return {}

    def intervals(tasks: Sequence[str]) -> Json:
        return {name: interval_json(report.interval_of_mean(tasks, name)) for name in METRIC_SETS}

    domains = {domain: intervals(tasks_of(domain)) for domain in DOMAINS}
    return {"intervals": {"overall": intervals(tuple(TASKS)), "domains": domains}}


def interval_json(interval: Interval | None) -> Json | None:
    return dict(interval._asdict()) if interval else None


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
    """Tasks, domains and the overall score under every metric set, in percent, each with its 95 %
    interval."""
    rows = [["", "answered", *METRIC_SETS]]
    for task in (report.tasks[task] for task in TASKS if task in report.tasks):
        estimates = [task.estimates.get(name) for name in METRIC_SETS]
        scores = [
            _score(task.means[name], one.interval if one else None)
            for name, one in zip(METRIC_SETS, estimates, strict=True)
        ]
        rows.append([TASKS[task.task].title, f"{task.answered}/{len(task.keys)}", *scores])
    rows.append([])
    means = [(name, report.domain(name), tasks_of(name)) for name in DOMAINS]
    for title, by_set, tasks in (*means, ("overall", report.overall(), tuple(TASKS))):
        scores = [
            _score(by_set[name], report.interval_of_mean(tasks, name)) for name in METRIC_SETS
        ]
        rows.append([title, "", *scores])
    return aligned(rows)


def _score(percent: float | None, interval: Interval | None) -> str:
    if percent is None:
        return "·" + " " * _INTERVAL_WIDTH
    return f"{rounded(percent, 2)}  {interval or ''!s:{_INTERVAL_WIDTH - 2}}"


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
