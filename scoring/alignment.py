"""Align the rows of a prediction file with the examples of the gold: by id, or by row order.

The released files of ∞Bench use two id schemes for En.QA, En.MC and En.Sum. Most of the older ids
also exist among the newer ones, so matching by id can go wrong silently. If the labels in the file
suggest it, or if ids are unknown although the counts match, nothing is decided here: the submitter
is asked.
"""

from collections.abc import Container, Mapping
from itertools import islice, zip_longest
from typing import Literal, NamedTuple

from scoring.catalog import TASKS
from scoring.keys import Key
from scoring.labels import LabelError, release_label
from scoring.predictions.reader import ABSENT, Predictions, TaskPredictions
from scoring.problems import Parameter, Problem, ProblemLog
from scoring.releases.gold import TaskGold

CORRECTED_PERCENT = 1  # of the labels may differ: releases have corrected a few
Method = Literal["id", "order"]
_SHOWN_IDS = 3  # unknown ids shown in a question
Parameters = dict[str, Parameter]


class Agreement(NamedTuple):
    """How well a file fits a release: the number of rows with a label, and with their example's
    label."""

    labelled: int
    by_id: int
    by_order: int
    only_by_id: int
    only_by_order: int
    unknown: int  # rows with an id that the release lacks
    rows: int
    examples: int

    @property
    def best(self) -> int:
        return max(self.by_id, self.by_order)

    @property
    def needs_answer(self) -> bool:
        """Whether matching by id is doubtful.

        Many unknown ids (a tenth of the rows, and at least ten) point to another id scheme.
        """
        too_many_unknown_ids = self.unknown >= max(10, self.rows / 10)
        same_length = self.unknown > 0 and self.rows == self.examples
        return self.fits_better("order") or too_many_unknown_ids or same_length

    @property
    def mismatched(self) -> int:
        """Labels that are the gold's neither by id nor by order."""
        return self.labelled - self.by_id - self.only_by_order

    @property
    def labels_from_other_release(self) -> bool:
        """Whether more labels mismatch than a release's corrections explain."""
        return self.mismatched >= max(10, self.labelled / 5)

    def matched(self, method: Method) -> int:
        return self.by_order if method == "order" else self.by_id

    def fits_better(self, method: Method) -> bool:
        """Whether this method matches clearly more labels: at least two, and one in a hundred."""
        lead = self.only_by_order - self.only_by_id
        return (lead if method == "order" else -lead) >= max(2, self.labelled / 100)

    def as_json(self) -> dict[str, object]:
        return self._asdict()


class Placement(NamedTuple):
    """The prediction for each example of the gold, None if there is none."""

    method: Method
    predictions: list[str | None]
    unknown: int  # rows without an example in the gold


class AlignmentQuestion(NamedTuple):
    """What the submitter has to answer before a task is scored: match its rows by id or order?"""

    task: str
    files: tuple[str, ...]
    has_ids: bool
    agreement: Agreement
    unknown_ids: tuple[Key, ...] = ()  # the first few that the release lacks

    @property
    def sentence(self) -> str:
        found = self.agreement
        parts = [f"{', '.join(self.files)}: it is unclear which row answers which example."]
        if not self.has_ids:
            parts.append(f"Rows have no ids: {found.rows} rows for {found.examples} examples.")
            parts.append("They are matched by order in any case.")
        if found.unknown:
            parts.append(f"{found.unknown} of {found.rows} ids are unknown to this release.")
        if found.labelled:
            parts.append(
                f"Of {found.labelled} labels in the file, {found.by_id} match by id and "
                f"{found.by_order} by row order."
            )
            parts.append(
                "Neither fits: try another release."
                if found.best < found.labelled / 2
                else f"{'Row order' if found.by_order > found.by_id else 'The id'} fits better."
            )
        return " ".join(parts)

    def as_json(self) -> dict[str, object]:
        return {
            "task": self.task,
            "files": list(self.files),
            "has_ids": self.has_ids,
            "question": self.sentence,
            "unknown_ids": list(self.unknown_ids),
            **self.agreement.as_json(),
        }


def decide(
    gold: TaskGold, file: TaskPredictions, found: Agreement, answer: Method | None
) -> Method | AlignmentQuestion:
    """By id if that is safe, otherwise the submitter's answer, otherwise the question to ask.

    A file without ids is matched by order: without a question if it has a row for every example,
    and after any answer, which may have been given for other files.
    """
    with_ids = any(row.key is not None for row in file.rows)
    if not with_ids and (answer or found.rows == found.examples):
        return "order"
    if with_ids and not found.needs_answer:
        return "id"
    if with_ids and answer:
        return answer
    known = {None, *gold.keys}
    unknown = (row.key for row in file.rows if row.key not in known)
    ids = tuple(key for key in islice(unknown, _SHOWN_IDS) if key is not None)
    return AlignmentQuestion(file.task, tuple(file.files), with_ids, found, ids)


def scorable(
    predictions: Predictions, gold: Mapping[str, TaskGold], log: ProblemLog
) -> dict[str, TaskPredictions]:
    """The files of tasks that have gold and a usable row; for the others a problem is logged.

    A file without any usable row is treated as if it had not been submitted: no question is asked
    about it, and its task has no score.
    """
    found: dict[str, TaskPredictions] = {}
    for task, file in predictions.tasks.items():
        if task in gold and file.usable:
            found[task] = file
        else:
            code = "task_unreadable" if task in gold else "task_not_in_release"
            log.add(code, file=file.files[0], task=task)
    return found


def agreement(gold: TaskGold, file: TaskPredictions) -> Agreement:
    """Compare the labels in a file, if it has any, with those of the gold, by id and by order."""
    index = {example.key: example for example in gold.examples}
    same: list[tuple[bool, bool]] = []
    for row, in_order in zip_longest(file.rows, gold.examples[: len(file.rows)]):
        if row.label is ABSENT:
            continue
        try:
            label = release_label(TASKS[gold.task], row.label)
        except LabelError:  # not a label of the task's kind
            continue
        by_id = index.get(row.key) if row.key is not None else None
        same_by_id = by_id is not None and label == by_id.label
        same_in_order = same_by_id if by_id is in_order else in_order and label == in_order.label
        same.append((same_by_id, bool(same_in_order)))
    return Agreement(
        labelled=len(same),
        by_id=sum(by_id for by_id, _ in same),
        by_order=sum(by_order for _, by_order in same),
        only_by_id=sum(by_id and not by_order for by_id, by_order in same),
        only_by_order=sum(by_order and not by_id for by_id, by_order in same),
        unknown=sum(row.key is not None and row.key not in index for row in file.rows),
        rows=len(file.rows),
        examples=len(gold.examples),
    )


def place(gold: TaskGold, file: TaskPredictions, method: Method, log: ProblemLog) -> Placement:
    """The prediction of every example, by id or row order; rows without an example become
    problems."""
    if method == "id":
        return _place_by_id(gold, file, log)
    n = len(gold.examples)
    texts = [row.prediction for row in file.rows[:n]]
    surplus = file.rows[n:]
    for row in surplus:
        log.add("row_surplus", file=row.file, line=row.line, task=file.task, examples=n)
    return Placement("order", texts + [None] * (n - len(texts)), len(surplus))


def _place_by_id(gold: TaskGold, file: TaskPredictions, log: ProblemLog) -> Placement:
    known = set(gold.keys)
    texts: dict[Key, str | None] = {}
    unknown: set[Key] = set()
    for row in file.rows:
        if row.key is None:
            continue
        code = _fault(row.key, row.prediction, known, texts)
        if code:
            log.add(code, file=row.file, line=row.line, task=file.task, id=str(row.key))
        if code == "id_unknown":
            unknown.add(row.key)
        elif row.prediction is not None:  # an unusable row displaces no other
            texts[row.key] = None if code == "id_twice" else row.prediction
    return Placement("id", [texts.get(key) for key in gold.keys], len(unknown))


def _fault(
    key: Key, prediction: str | None, known: Container[Key], seen: Mapping[Key, str | None]
) -> str | None:
    """The problem of a row, given the rows before it: of several rows with one id, equal ones count
    as one."""
    if key not in known:
        return "id_unknown"
    if key not in seen or prediction is None:
        return None
    return "row_repeated" if seen[key] == prediction else "id_twice"


def report_coverage(
    file: TaskPredictions, found: Agreement, placement: Placement, log: ProblemLog
) -> None:
    """Log what casts doubt on the scores of a task: gaps, and labels that differ."""
    name = file.files[0]
    n = found.examples
    if placement.method == "order" and all(row.key is None for row in file.rows):
        log.add("taken_in_order", file=name, task=file.task)
    if missing := placement.predictions.count(None):
        log.add("predictions_missing", file=name, task=file.task, missing=missing, n=n)
    if mismatch := _label_mismatch(found, placement.method):
        code, params = mismatch
        params = {"labelled": found.labelled, **params}
        log.keep(Problem(code, name, task=file.task, params=params))


def _label_mismatch(found: Agreement, method: Method) -> tuple[str, Parameters] | None:
    """The most serious problem with labels that differ from those of their examples, if any do."""
    other: Method = "id" if method == "order" else "order"
    matched, better = found.matched(method), found.matched(other)
    if found.labels_from_other_release:
        return "labels_of_other_data", {"differ": found.mismatched}
    if found.fits_better(other):
        ways: Parameters = {"method": method, "other": other}
        return "labels_fit_otherwise", {**ways, "ours": matched, "better": better}
    differ = found.labelled - matched
    if differ >= 2 and differ > found.labelled * CORRECTED_PERCENT / 100:
        return "labels_often_differ", {"differ": differ, "percent": CORRECTED_PERCENT}
    return ("labels_differ", {"differ": differ}) if differ > 0 else None
