"""Problems found in the files of a submission, as its page and its report list them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from portal.models import Evaluation
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.problems import PROBLEMS, Parameter

Finding = dict[str, Any]  # code, severity, task, file, line, message, fix, params: scoring.report

# These make the score of their task unreliable: shown before all others, and next to the score.
UNRELIABLE = frozenset({"labels_of_other_data", "labels_fit_otherwise", "labels_often_differ"})
# These count the correct labels in a file, which must stay secret on a hidden release.
AGREEMENT = UNRELIABLE | {"labels_differ", "alignment_needed"}
_MAX_PLACES = 20  # of one row
_UNLISTED = "more_of_the_same"

_FIELDS = ("code", "severity", "task", "file", "line", "message", "fix")
GROUPS: dict[str, str] = {  # what makes scores unreliable, then by severity
    "doubt": "Unreliable scores",
    "error": "Errors",
    "warning": "Warnings",
    "note": "Notes",
}


class Place(NamedTuple):
    file: str
    lines: str  # 3, 5–9; empty: the file as a whole


class Row(NamedTuple):
    """The findings of one task: the first message, and all places."""

    task: str  # its id, if a page can link to this row; else empty
    title: str  # of the task; empty: of no task, or of several
    places: list[Place]
    left_out: int  # places not shown
    message: str
    similar: int  # other findings, whose messages differ in a number or a name


class Kind(NamedTuple):
    """Findings with the same cause and the same fix."""

    code: str
    fix: str
    rows: list[Row]


class FindingGroup(NamedTuple):
    id: str  # of GROUPS
    title: str
    total: int
    kinds: list[Kind]

    @property
    def severity(self) -> str:
        return "warning" if self.id == "doubt" else self.id


def findings_of(evaluation: Evaluation, *, with_agreement: bool) -> list[Finding]:
    """In the order in which they were found."""
    return [
        finding_of(problem)
        for problem in evaluation.problems
        if with_agreement or problem["code"] not in AGREEMENT
    ]


def finding_of(problem: Mapping[str, Any]) -> Finding:
    """The stored problem in the scorer's form, with its order of keys."""
    return {
        **{name: problem.get(name) for name in _FIELDS},
        "params": dict(sorted(problem.get("params", {}).items())),
    }


def message_and_fix(finding: Mapping[str, Any]) -> tuple[str, str]:
    """The words of today's scorer, with advice about the form; as stored if a scorer of another
    version has stored it with another code or other parameters."""
    kind = PROBLEMS.get(finding["code"])
    if kind is None:
        return finding["message"], finding["fix"]
    is_one = kind.one and (finding.get("params") or {}).get(kind.counts) == 1
    message = fill(kind.one if is_one else kind.message, finding)
    return message or finding["message"], fill(kind.form or kind.fix, finding) or finding["fix"]


def fill(text: str, finding: Mapping[str, Any]) -> str | None:
    """The text with the parameters of the finding; None if an older scorer did not store them."""
    task = finding["task"]
    known: dict[str, Parameter] = {"task": task}
    if task in TASKS:
        known["title"] = TASKS[task].title
    try:
        return text.format_map(known | (finding.get("params") or {}))
    except (LookupError, ValueError):
        return None


def group_findings(findings: Sequence[Finding], *, each: bool = False) -> list[FindingGroup]:
    """In the order of ``GROUPS``, grouped by the fix, with a row for each task; with ``each``, for
    each message."""
    by_group: dict[str, list[Finding]] = {name: [] for name in GROUPS}
    for finding in findings:
        name = "doubt" if finding["code"] in UNRELIABLE else finding["severity"]
        by_group[name].append(finding)
    return [
        FindingGroup(name, GROUPS[name], len(found), _kinds(found, each=each))
        for name, found in by_group.items()
        if found
    ]


def _kinds(findings: Iterable[Finding], *, each: bool) -> list[Kind]:
    """In the order in which they were found; a page can link to the first row of each task."""
    kinds: dict[tuple[str, str], dict[str, list[Finding]]] = {}
    for finding in findings:
        message, fix = message_and_fix(finding)
        task = finding["task"] or ""
        row = f"{task} {message}" if each else task
        if finding["severity"] == "note":
            row = message  # the same remark about several files
        rows = kinds.setdefault((finding["code"], fix), {})
        known = None if each else _row_of_unlisted(finding, kinds)
        (rows.setdefault(row, []) if known is None else known).append(finding)
    order = {task: index for index, task in enumerate(BOARD_ORDER)}
    linked: set[str] = set()
    return [
        Kind(
            code,
            fix,
            [
                _row(found, linked)
                for found in sorted(rows.values(), key=lambda row: order.get(row[0]["task"], -1))
            ],
        )
        for (code, fix), rows in kinds.items()
        if rows
    ]


def _row_of_unlisted(
    finding: Finding, kinds: Mapping[tuple[str, str], Mapping[str, list[Finding]]]
) -> list[Finding] | None:
    """A finding that only says that there are more of another belongs to that one's row, which came
    before it."""
    if finding["code"] != _UNLISTED or not finding["task"]:
        return None
    code = (finding.get("params") or {}).get("code")
    rows = (rows for (of, _), rows in kinds.items() if of == code and finding["task"] in rows)
    return next((found[finding["task"]] for found in rows), None)


def _row(findings: list[Finding], linked: set[str]) -> Row:
    tasks = {finding["task"] for finding in findings}
    task = tasks.pop() if len(tasks) == 1 else None
    listed = [finding for finding in findings if finding["code"] != _UNLISTED] or findings
    messages = dict.fromkeys(message_and_fix(finding)[0] for finding in listed)
    unlisted = sum(finding["params"]["count"] for finding in findings if finding not in listed)
    lines: dict[str, list[int]] = {}
    for finding in findings:
        if finding["file"]:
            known = lines.setdefault(finding["file"], [])
            known += [finding["line"]] if finding["line"] is not None else []
    places = [Place(file, ranges(of_file)) for file, of_file in lines.items()]
    link = task if task in TASKS and task not in linked else ""
    linked.add(task or "")
    return Row(
        task=link or "",
        title=TASKS[task].title if task in TASKS else "",
        places=places[:_MAX_PLACES],
        left_out=len(places[_MAX_PLACES:]),
        message=next(iter(messages)),
        similar=len(messages) - 1 + unlisted,
    )


def ranges(lines: Iterable[int]) -> str:
    """3, 5, 6 and 7 as “3, 5–7”."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][-1] + 1:
            spans[-1].append(line)
        else:
            spans.append([line])
    return ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans)
