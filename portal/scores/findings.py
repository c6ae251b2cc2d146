"""What was found wrong with the files of a submission, as its page and its report list it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.models import Evaluation
from portal.scores.messages import worded
from scoring.catalog import TASKS

Finding = dict[str, Any]  # code, severity, task, file, line, message, fix, params: scoring.report

# Scores of which they say that they are hardly worth anything: shown before all others, and
# beside the scores.
DOUBTS = frozenset({"labels_of_other_data", "labels_fit_otherwise"})
# They count how many labels in a file are right, which of a hidden release nobody may know.
AGREEMENT = DOUBTS | {"labels_differ", "alignment_needed"}
_PLACES = 20  # of one row
_UNLISTED = "more_of_the_same"

_FIELDS = ("code", "severity", "task", "file", "line", "message", "fix")
GROUPS: dict[str, str | Promise] = {  # doubts, then by severity
    "doubt": _("Scores that say little"),
    "error": _("Left out"),
    "warning": _("Worth a look"),
    "note": _("Remarks"),
}


class Place(NamedTuple):
    file: str
    lines: str  # 3, 5–9; empty: the file as a whole


class Row(NamedTuple):
    """What was found of one task: the first of it in words, and all of its places."""

    task: str  # its id, where a page can lead to this row; else empty
    title: str  # of the task; empty: of none, or of several
    places: list[Place]
    left_out: int  # places that are not shown
    message: str
    alike: int  # others that say the same, but for a number or a name


class Kind(NamedTuple):
    """What has the same cause, and is mended in the same way."""

    fix: str
    rows: list[Row]


class FindingsOfGroup(NamedTuple):
    id: str  # of GROUPS
    title: str | Promise
    total: int
    kinds: list[Kind]

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


def grouped(findings: Sequence[Finding], *, each: bool = False) -> list[FindingsOfGroup]:
    """In the order of ``GROUPS``, in each by what is to be done: a row for each task, or for
    ``each`` thing that is said.
    """
    groups = []
    for name, title in GROUPS.items():
        of_group = [finding for finding in findings if _group(finding) == name]
        if of_group:
            groups.append(FindingsOfGroup(name, title, len(of_group), _kinds(of_group, each=each)))
    return groups


def _group(finding: Finding) -> str:
    return "doubt" if finding["code"] in DOUBTS else finding["severity"]


def _kinds(findings: Iterable[Finding], *, each: bool) -> list[Kind]:
    """In the order in which they were found; a page can lead to the first row of each task."""
    kinds: dict[tuple[str, str], dict[str, list[Finding]]] = {}
    for finding in findings:
        message, fix = worded(finding)
        place = _place_of(finding, message, each=each)
        rows = kinds.setdefault((finding["code"], fix), {})
        known = None if each else _same_of_task(finding, kinds)
        (rows.setdefault(place, []) if known is None else known).append(finding)
    named: set[str] = set()
    return [Kind(fix, _rows(rows.values(), named)) for (_, fix), rows in kinds.items() if rows]


def _place_of(finding: Finding, message: str, *, each: bool) -> str:
    """What a row is of. Remarks of several files are one row where they say the same."""
    if finding["severity"] == "note":
        return message
    task = finding["task"] or ""
    return f"{task} {message}" if each else task


def _same_of_task(
    finding: Finding, kinds: Mapping[tuple[str, str], Mapping[str, list[Finding]]]
) -> list[Finding] | None:
    """The row of those of which this one only says that there are more; they came before it."""
    if finding["code"] != _UNLISTED or not finding["task"]:
        return None
    code = (finding.get("params") or {}).get("code")
    rows = (rows for (of, _), rows in kinds.items() if of == code and finding["task"] in rows)
    return next((found[finding["task"]] for found in rows), None)


def _rows(rows: Iterable[list[Finding]], named: set[str]) -> list[Row]:
    order = {task: place for place, task in enumerate(TASKS)}
    found = sorted(rows, key=lambda row: order.get(row[0]["task"], -1))
    return [_row(row, named) for row in found]


def _row(findings: list[Finding], named: set[str]) -> Row:
    tasks = {finding["task"] for finding in findings}
    task = tasks.pop() if len(tasks) == 1 else None
    listed = [finding for finding in findings if finding["code"] != _UNLISTED] or findings
    messages = dict.fromkeys(worded(finding)[0] for finding in listed)
    more = sum(finding["params"]["count"] for finding in findings if finding not in listed)
    places = _places(findings)
    first = task if task in TASKS and task not in named else ""
    named.add(task or "")
    return Row(
        task=first or "",
        title=TASKS[task].title if task in TASKS else "",
        places=places[:_PLACES],
        left_out=len(places[_PLACES:]),
        message=next(iter(messages)),
        alike=len(messages) - 1 + more,
    )


def _places(findings: Iterable[Finding]) -> list[Place]:
    lines: dict[str, list[int]] = {}
    for finding in findings:
        if finding["file"]:
            known = lines.setdefault(finding["file"], [])
            known += [finding["line"]] if finding["line"] is not None else []
    return [Place(file, ranges(of_file)) for file, of_file in lines.items()]


def ranges(lines: Iterable[int]) -> str:
    """3, 5, 6 and 7 as “3, 5–7”."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
