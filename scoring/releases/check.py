"""Check a release row by row: the facets its contexts show, and how it differs from the official.

Only counts, short texts and spans of a row are kept, so contexts may have any length.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scoring.catalog import TASKS, Kind
from scoring.keys import Key
from scoring.labels import LETTERS
from scoring.problems import visible
from scoring.releases.evidence import NOTHING, Asked, Found, find_evidence
from scoring.releases.facets import Facets
from scoring.releases.gold import ReleaseRow, TaskGold, TaskHashes
from scoring.releases.official import (
    DEPTH_TOLERANCE,
    FACTS,
    HUB_LABELS,
    KEYS,
    LENGTH_TOLERANCE,
    PAPER_LABELS,
    Difference,
    Facts,
)

_HASH = 16  # characters of a hash of labels that are compared
_NUMBERS = (Kind.INTEGER, Kind.NUMBER, Kind.INTEGERS)
_HAS_EVIDENCE = (
    "passkey", "number_string", "kv_retrieval", "code_run", "code_debug", "longdialogue_qa_eng",
)  # fmt: skip


@dataclass(slots=True)
class _Finding:
    """How many rows differ in one way, and the first of them."""

    count: int
    id: str
    found: str
    expected: str


class _Findings(dict[str, _Finding]):
    """Differences of rows by their code."""

    def note(self, code: str, key: Key, found: object = "", expected: object = "") -> None:
        if code in self:
            self[code].count += 1
        else:
            self[code] = _Finding(1, visible(str(key)), visible(str(found)), str(expected))


class TaskCheck:
    """Checks the rows of one task one by one, then gives their facets and their differences."""

    def __init__(self, task: str) -> None:
        self._task = TASKS[task]
        self._facts = FACTS[task]
        self._hashes = TaskHashes()
        self._found: list[tuple[Key, Found]] = []
        self._findings = _Findings()
        self._findings_by_id = _Findings()  # used only if the ids are the official ones

    def check_row(self, row: ReleaseRow) -> None:
        example = row.example
        asked = Asked(row.context, row.question, example.label)
        found = find_evidence(self._task.id, asked) if row.context else NOTHING
        self._hashes.add_label(example)
        self._check_format(row)
        self._check_answer(row)
        if row.context:
            self._check_context(row, found)
        if len(self._found) < self._task.examples:
            self._check_id(len(self._found), found)
        self._found.append((example.key, replace(found, answer=None)))

    def facets(self) -> dict[Key, Facets]:
        """The facets of each example, in the order of the rows.

        What the context does not show follows from the id, if the ids and the number of rows are
        the official ones.
        """
        official = self._has_official_ids()
        facets: dict[Key, Facets] = {}
        for key, found in self._found:
            of_id = self._facts_of_id(int(key)) if official else NOTHING
            facets[key] = Facets(
                depth=of_id.depth if found.depth is None else found.depth,
                hops=of_id.hops if found.hops is None else found.hops,
                kind=(of_id.kind if found.kind is None else found.kind) or "",
                evidence=found.evidence or None,
            )
        return facets

    def differences(self) -> Iterator[Difference]:
        """The differences from the official data; first those of the task as a whole."""
        rows, expected = len(self._found), self._task.examples
        if rows != expected:
            yield self._difference("rows", found=rows, expected=expected)
        if (other := self._first_other_id()) is not None:
            yield self._difference("ids", found=visible(str(other)), last=expected - 1)
        labels = self._hashes.labels[:_HASH]
        if PAPER_LABELS.get(self._task.id) == labels:
            yield self._difference("labels_paper")
        elif HUB_LABELS[self._task.id] != labels:
            yield self._difference("labels_other")
        findings = self._findings | (self._findings_by_id if self._has_official_ids() else {})
        for code, one in findings.items():
            params = {"id": one.id, "found": one.found, "expected": one.expected}
            yield self._difference(code, count=one.count, rows=rows, **params)

    def _difference(self, code: str, **params: str | int) -> Difference:
        return Difference(code, self._task.id, params)

    def _has_official_ids(self) -> bool:
        return len(self._found) == self._task.examples and self._first_other_id() is None

    def _first_other_id(self) -> Key | None:
        rows = enumerate(self._found)
        return next((key for index, (key, _) in rows if key != index), None)

    def _check_format(self, row: ReleaseRow) -> None:
        key, written = row.example.key, row.written
        if missing := [name for name in KEYS if name not in written]:
            self._findings.note("keys_missing", key, ", ".join(missing))
        if other := sorted(set(written) - set(KEYS)):
            self._findings.note("keys_other", key, ", ".join(other))
        if "context" in written and not row.context:
            self._findings.note("context_empty", key)
        if "input" in written and not row.question.strip() and self._facts.quoted:
            self._findings.note("question_empty", key)
        if "options" in written and len(row.example.options) != self._facts.options:
            self._findings.note("options", key, len(row.example.options), self._facts.options)

    def _check_answer(self, row: ReleaseRow) -> None:
        key, label, options = row.example[:3]
        answer = row.written.get("answer")
        if not (isinstance(answer, list) or (self._facts.bare and isinstance(answer, str))):
            self._findings.note("answer_not_list", key)
        first = answer
        while isinstance(first, list) and first:
            first = first[0]
        if self._task.kind in _NUMBERS and isinstance(first, str):
            self._findings.note("answer_as_text", key)
        if not self._facts.is_answer(label):
            self._findings.note("answer_form", key, _shortened(label), self._facts.answer)
        elif isinstance(label, tuple) and self._task.kind is Kind.CHOICE and options:
            text, letter = label
            if text not in options or LETTERS[options.index(text) :][:1] != letter:
                self._findings.note("letter", key, f"{letter} for {_shortened(text)}")

    def _check_context(self, row: ReleaseRow, found: Found) -> None:
        key, label, units = row.example.key, row.example.label, self._facts.units
        if units and found.units is not None and not units.least <= found.units <= units.most:
            self._findings.note("units", key, f"{found.units:,}", units)
        if self._task.id in _HAS_EVIDENCE and not found.evidence:
            self._findings.note("evidence_missing", key)
        if found.answer is not None and found.answer != label:
            self._findings.note("answer", key, *_first_other(label, found.answer))

    def _check_id(self, index: int, found: Found) -> None:
        of_id, findings = self._facts_of_id(index), self._findings_by_id
        if _differs(found.depth, of_id.depth):
            findings.note("depth", index, found.depth, round(of_id.depth or 0.0, 4))
        if _differs(found.hops, of_id.hops):
            findings.note("hops", index, found.hops, of_id.hops)
        if found.kind and of_id.kind and found.kind != of_id.kind:
            findings.note("kind", index, found.kind, of_id.kind)

    def _facts_of_id(self, key: int) -> Found:
        return _facts_of_id(self._facts, key)


def facets_of_labels(data: TaskGold) -> dict[Key, Facets]:
    """What the ids of labels imply, if they are exactly those of the official data; otherwise
    nothing."""
    if HUB_LABELS[data.task] != data.labels_hash[:_HASH]:
        return {}
    of_ids = ((key, _facts_of_id(FACTS[data.task], int(key))) for key in data.keys)
    return {
        key: Facets(depth=of_id.depth, hops=of_id.hops, kind=of_id.kind or "")
        for key, of_id in of_ids
    }


def _facts_of_id(facts: Facts, key: int) -> Found:
    """What an official id implies."""
    return Found(
        depth=round(facts.depth(key), 6) if facts.depth else None,
        hops=facts.hops(key) if facts.hops else None,
        kind=facts.kind(key) if facts.kind else None,
    )


def differences_of_tasks(tasks: Mapping[str, object]) -> Iterator[Difference]:
    """One for each task that a release lacks."""
    return (Difference("task_missing", task) for task in TASKS if task not in tasks)


def differences_of_lengths(averages: Mapping[str, float]) -> Iterator[Difference]:
    """From the paper's table 2, given the average tokens of contexts with their questions."""
    for task, average in averages.items():
        expected = TASKS[task].input_tokens
        share = average / expected - 1
        if abs(share) > LENGTH_TOLERANCE:
            params = {"found": round(average), "expected": expected, "percent": 100 * share}
            yield Difference("tokens", task, params)


def _differs(found: float | None, expected: float | None) -> bool:
    return found is not None and expected is not None and abs(found - expected) > DEPTH_TOLERANCE


def _shortened(label: object) -> str:
    text = ", ".join(map(str, label[:5])) if isinstance(label, tuple) else str(label)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _first_other(label: object, answer: object) -> tuple[str, str]:
    """The two answers, or where two long ones begin to differ."""
    if not (isinstance(label, tuple) and isinstance(answer, tuple)):
        return _shortened(label), _shortened(answer)
    pairs = zip(label, answer, strict=False)
    index = next((index for index, (a, b) in enumerate(pairs) if a != b), None)
    if index is None:
        return f"{len(label):,} values", f"{len(answer):,}"
    return f"value {index + 1:,} is {label[index]}", str(answer[index])
