"""What was found wrong with the files of a submission, as its page and its report list it."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.models import Evaluation
from scoring.catalog import TASKS

Finding = dict[str, Any]  # code, severity, task, file, line, message, fix: of scoring.report

# They count how many labels in a file are right, which of a hidden release nobody may know.
AGREEMENT = frozenset({"labels_differ", "alignment_needed"})
SHOWN = 200  # at once

_FIELDS = ("code", "severity", "task", "file", "line", "message", "fix")
SEVERITIES: dict[str, str | Promise] = {
    "error": _("Left out"),
    "warning": _("Worth a look"),
    "note": _("Remarks"),
}


class Lines(NamedTuple):
    """The same finding, on one or more lines of a file."""

    file: str | None
    lines: str  # 3, 5–9; empty: of the file as a whole
    message: str
    fix: str


class FindingsOfTask(NamedTuple):
    title: str  # empty: of no task
    findings: list[Lines]


class FindingsOfSeverity(NamedTuple):
    severity: str
    title: str | Promise
    total: int  # also of those that are not shown
    tasks: list[FindingsOfTask]


def findings_of(evaluation: Evaluation, *, with_agreement: bool) -> list[Finding]:
    """As they were found, each in the scorer's own form and order of keys."""
    return [
        {name: problem.get(name) for name in _FIELDS}
        for problem in evaluation.problems
        if with_agreement or problem["code"] not in AGREEMENT
    ]


def grouped(findings: Sequence[Finding], limit: int | None = SHOWN) -> list[FindingsOfSeverity]:
    """By severity, the worst first, then by task; at most so many of them."""
    left = len(findings) if limit is None else limit
    groups = []
    for severity, title in SEVERITIES.items():
        of_severity = [finding for finding in findings if finding["severity"] == severity]
        if of_severity:
            shown = of_severity[:left]
            left -= len(shown)
            groups.append(FindingsOfSeverity(severity, title, len(of_severity), _by_task(shown)))
    return groups


def _by_task(findings: Sequence[Finding]) -> list[FindingsOfTask]:
    places = {task: place for place, task in enumerate(TASKS)}
    in_order = sorted(findings, key=lambda finding: places.get(finding["task"], -1))
    return [
        FindingsOfTask(TASKS[task].title if task in TASKS else "", _together(of_task))
        for task, of_task in groupby(in_order, key=lambda finding: finding["task"])
    ]


def _together(findings: Iterable[Finding]) -> list[Lines]:
    """Those that say the same of one file, as one."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for finding in findings:
        lines = found.setdefault((finding["file"], finding["message"], finding["fix"]), [])
        if finding["line"] is not None:
            lines.append(finding["line"])
    return [
        Lines(file, ranges(lines), message, fix) for (file, message, fix), lines in found.items()
    ]


def ranges(lines: Iterable[int]) -> str:
    """3, 5, 6 and 7 as “3, 5–7”."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
