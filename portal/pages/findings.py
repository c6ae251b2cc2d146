"""What was found wrong with the files of a submission, as its page and its report list it."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.models import Evaluation
from portal.pages.wordings import worded
from scoring.catalog import TASKS

Finding = dict[str, Any]  # code, severity, task, file, line, message, fix, params: scoring.report

# Scores of which they say that they are hardly worth anything: shown before all others, and
# beside the scores.
DOUBTS = frozenset({"labels_of_other_data", "labels_fit_otherwise"})
# They count how many labels in a file are right, which of a hidden release nobody may know.
AGREEMENT = DOUBTS | {"labels_differ", "alignment_needed"}
SHOWN = 200  # at once
_PLACES = 20  # of one remark

_FIELDS = ("code", "severity", "task", "file", "line", "message", "fix")
GROUPS: dict[str, str | Promise] = {  # doubts, then by severity
    "doubt": _("Scores that say little"),
    "error": _("Left out"),
    "warning": _("Worth a look"),
    "note": _("Remarks"),
}


class Place(NamedTuple):
    file: str | None
    lines: str  # 3, 5–9; empty: the file as a whole


class Saying(NamedTuple):
    """What is said of one or more places at once."""

    places: list[Place]
    left_out: int  # places that are not shown
    message: str
    fix: str


class FindingsOfTask(NamedTuple):
    task: str  # its id; empty: of no task, or of several
    title: str
    findings: list[Saying]


class FindingsOfGroup(NamedTuple):
    id: str  # of GROUPS
    title: str | Promise
    total: int  # also of those that are not shown
    tasks: list[FindingsOfTask]

    @property
    def severity(self) -> str:
        return "warning" if self.id == "doubt" else self.id


def findings_of(evaluation: Evaluation, *, with_agreement: bool) -> list[Finding]:
    """As they were found, each in the scorer's own form and order of keys."""
    return [
        {
            **{name: problem.get(name) for name in _FIELDS},
            "params": dict(sorted(problem.get("params", {}).items())),
        }
        for problem in evaluation.problems
        if with_agreement or problem["code"] not in AGREEMENT
    ]


def grouped(findings: Sequence[Finding], limit: int | None = SHOWN) -> list[FindingsOfGroup]:
    """In the order of ``GROUPS``, and then by task; at most so many of them."""
    left = len(findings) if limit is None else limit
    groups = []
    for name, title in GROUPS.items():
        of_group = [finding for finding in findings if _group(finding) == name]
        if of_group:
            shown = of_group[:left]
            left -= len(shown)
            tasks = _remarks(shown) if name == "note" else _by_task(shown)
            groups.append(FindingsOfGroup(name, title, len(of_group), tasks))
    return groups


def _group(finding: Finding) -> str:
    return "doubt" if finding["code"] in DOUBTS else finding["severity"]


def _by_task(findings: Sequence[Finding]) -> list[FindingsOfTask]:
    places = {task: place for place, task in enumerate(TASKS)}
    in_order = sorted(findings, key=lambda finding: places.get(finding["task"], -1))
    found = []
    for task, of_task in groupby(in_order, key=lambda finding: finding["task"]):
        title = TASKS[task].title if task in TASKS else ""
        found.append(FindingsOfTask(task if title else "", title, _together(of_task)))
    return found


def _remarks(findings: Sequence[Finding]) -> list[FindingsOfTask]:
    """All tasks at once: what is said of twelve files is said one time."""
    said: dict[tuple[str, str], list[Place]] = {}
    for saying in _together(findings):
        said.setdefault((saying.message, saying.fix), []).extend(saying.places)
    sayings = [
        Saying(places[:_PLACES], len(places[_PLACES:]), *words) for words, places in said.items()
    ]
    return [FindingsOfTask("", "", sayings)] if sayings else []


def _together(findings: Iterable[Finding]) -> list[Saying]:
    """Those that say the same of one file, as one."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for finding in findings:
        lines = found.setdefault((finding["file"], *worded(finding)), [])
        if finding["line"] is not None:
            lines.append(finding["line"])
    return [
        Saying([Place(file, ranges(lines))] if file else [], 0, message, fix)
        for (file, message, fix), lines in found.items()
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
