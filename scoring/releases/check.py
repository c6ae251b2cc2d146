"""Look through a release row by row: what it shows of its examples, and how it differs.

Only counts, short texts and spans are kept of a row, so that contexts of any length pass through.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scoring.catalog import TASKS, Kind
from scoring.keys import Key
from scoring.labels import LETTERS
from scoring.problems import visible
from scoring.releases.evidence import NOTHING, Asked, Found, find_evidence
from scoring.releases.facets import Facets
from scoring.releases.gold import ReleaseRow, TaskHashes
from scoring.releases.official import (
    DEPTH_TOLERANCE,
    FACTS,
    HUB_LABELS,
    KEYS,
    LENGTH_TOLERANCE,
    PAPER_LABELS,
    Difference,
)

_NUMBERS = (Kind.INTEGER, Kind.NUMBER, Kind.INTEGERS)
_HAS_EVIDENCE = (
    "passkey", "number_string", "kv_retrieval", "code_run", "code_debug", "longdialogue_qa_eng",
)  # fmt: skip


@dataclass(slots=True)
class _Seen:
    """How many rows differ in one way, and the first of them."""

    count: int
    id: str
    found: str
    expected: str


class _Tally(dict[str, _Seen]):
    """Differences of rows by their code."""

    def note(self, code: str, key: Key, found: object = "", expected: object = "") -> None:
        if code in self:
            self[code].count += 1
        else:
            self[code] = _Seen(1, visible(str(key)), visible(str(found)), str(expected))


class TaskCheck:
    """The rows of one task, one after another; then what they show, and how they differ."""

    def __init__(self, task: str) -> None:
        self._task = TASKS[task]
        self._facts = FACTS[task]
        self._hashes = TaskHashes()
        self._found: list[tuple[Key, Found]] = []
        self._seen = _Tally()
        self._seen_by_id = _Tally()  # counts only if the ids are the official ones

    def look(self, row: ReleaseRow) -> None:
        example = row.example
        asked = Asked(row.context, row.question, example.label)
        found = find_evidence(self._task.id, asked) if row.context else NOTHING
        self._hashes.add_label(example)
        self._look_at_form(row)
        self._look_at_answer(row)
        if row.context:
            self._look_at_context(row, found)
        if len(self._found) < self._task.examples:
            self._look_at_id(len(self._found), found)
        self._found.append((example.key, replace(found, answer=None)))

    def facets(self) -> dict[Key, Facets]:
        """Those of each example, in the order of the rows.

        What its context does not show is told by its id, if ids and their number are the official
        ones.
        """
        official = self._has_official_ids()
        return {
            key: _facets(self._completed(int(key), found) if official else found)
            for key, found in self._found
        }

    def differences(self) -> Iterator[Difference]:
        """From the official data; first those of the task as a whole."""
        rows, expected = len(self._found), self._task.examples
        if rows != expected:
            yield self._difference("rows", found=rows, expected=expected)
        if (other := self._first_other_id()) is not None:
            yield self._difference("ids", found=visible(str(other)), last=expected - 1)
        yield from self._differences_of_labels()
        seen = self._seen | (self._seen_by_id if self._has_official_ids() else {})
        for code, one in seen.items():
            params = {"id": one.id, "found": one.found, "expected": one.expected}
            yield self._difference(code, count=one.count, rows=rows, **params)

    def _difference(self, code: str, **params: str | int) -> Difference:
        return Difference(code, self._task.id, params)

    def _has_official_ids(self) -> bool:
        return len(self._found) == self._task.examples and self._first_other_id() is None

    def _first_other_id(self) -> Key | None:
        rows = enumerate(self._found)
        return next((key for index, (key, _) in rows if key != index), None)

    def _look_at_form(self, row: ReleaseRow) -> None:
        key, written = row.example.key, row.written
        if missing := [name for name in KEYS if name not in written]:
            self._seen.note("keys_missing", key, ", ".join(missing))
        if other := sorted(set(written) - set(KEYS)):
            self._seen.note("keys_other", key, ", ".join(other))
        if "context" in written and not row.context:
            self._seen.note("context_empty", key)
        if "input" in written and not row.question.strip() and self._facts.quoted:
            self._seen.note("question_empty", key)
        if "options" in written and len(row.example.options) != self._facts.options:
            self._seen.note("options", key, len(row.example.options), self._facts.options)

    def _look_at_answer(self, row: ReleaseRow) -> None:
        (key, label, options), answer = row.example, row.written.get("answer")
        if not (isinstance(answer, list) or (self._facts.bare and isinstance(answer, str))):
            self._seen.note("answer_not_list", key)
        if self._task.kind in _NUMBERS and _is_text(answer):
            self._seen.note("answer_as_text", key)
        if not self._facts.is_answer(label):
            self._seen.note("answer_form", key, _shortened(label), self._facts.answer)
        elif isinstance(label, tuple) and self._task.kind is Kind.CHOICE and options:
            text, letter = label
            if text not in options or LETTERS[options.index(text) :][:1] != letter:
                self._seen.note("letter", key, f"{letter} for {_shortened(text)}")

    def _look_at_context(self, row: ReleaseRow, found: Found) -> None:
        key, label, units = row.example.key, row.example.label, self._facts.units
        if units and found.units is not None and not units.least <= found.units <= units.most:
            self._seen.note("units", key, f"{found.units:,}", units)
        if self._task.id in _HAS_EVIDENCE and not found.evidence:
            self._seen.note("evidence_missing", key)
        if found.answer is not None and found.answer != label:
            self._seen.note("answer", key, *_first_other(label, found.answer))

    def _differences_of_labels(self) -> Iterator[Difference]:
        task, labels = self._task.id, self._hashes.labels
        if PAPER_LABELS.get(task, "none") == labels[:16]:
            yield self._difference("labels_paper")
        elif HUB_LABELS[task] != labels[:16]:
            yield self._difference("labels_other")

    def _look_at_id(self, index: int, found: Found) -> None:
        told = self._told(index)
        if _differs(found.depth, told.depth):
            self._seen_by_id.note("depth", index, found.depth, round(told.depth or 0.0, 4))
        if _differs(found.hops, told.hops):
            self._seen_by_id.note("hops", index, found.hops, told.hops)
        if found.kind and told.kind and found.kind != told.kind:
            self._seen_by_id.note("kind", index, found.kind, told.kind)

    def _completed(self, key: int, found: Found) -> Found:
        told = self._told(key)
        return replace(
            found,
            depth=told.depth if found.depth is None else found.depth,
            hops=told.hops if found.hops is None else found.hops,
            kind=told.kind if found.kind is None else found.kind,
        )

    def _told(self, key: int) -> Found:
        """What an official id says."""
        depth, hops, kind = self._facts.depth, self._facts.hops, self._facts.kind
        return Found(
            depth=round(depth(key), 6) if depth else None,
            hops=hops(key) if hops else None,
            kind=kind(key) if kind else None,
        )


def _facets(found: Found) -> Facets:
    return Facets(
        depth=found.depth,
        hops=found.hops,
        kind=found.kind or "",
        evidence=found.evidence or None,
    )


def differences_of_tasks(tasks: Mapping[str, object]) -> Iterator[Difference]:
    """For each task that a release has not."""
    return (Difference("task_missing", task) for task in TASKS if task not in tasks)


def differences_of_lengths(averages: Mapping[str, float]) -> Iterator[Difference]:
    """From the paper's table 2, given the average tokens of contexts with their questions."""
    for task, average in averages.items():
        expected = TASKS[task].input_tokens
        share = average / expected - 1
        if abs(share) > LENGTH_TOLERANCE:
            params = {"found": round(average), "expected": expected, "percent": 100 * share}
            yield Difference("tokens", task, params)


def _differs(found: float | None, told: float | None) -> bool:
    return found is not None and told is not None and abs(found - told) > DEPTH_TOLERANCE


def _is_text(answer: object) -> bool:
    while isinstance(answer, list) and answer:
        answer = answer[0]
    return isinstance(answer, str)


def _shortened(label: object) -> str:
    text = ", ".join(map(str, label[:5])) if isinstance(label, tuple) else str(label)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _first_other(label: object, answer: object) -> tuple[str, str]:
    """The two answers, or where two long ones begin to differ."""
    if not (isinstance(label, tuple) and isinstance(answer, tuple)):
        return _shortened(label), _shortened(answer)
    pairs = zip(label, answer, strict=False)
    place = next((place for place, (a, b) in enumerate(pairs) if a != b), None)
    if place is None:
        return f"{len(label):,} values", f"{len(answer):,}"
    return f"value {place + 1:,} is {label[place]}", str(answer[place])
