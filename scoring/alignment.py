"""Put the rows of a prediction file beside the examples of the gold: by id, or by row order.

The released files of ∞Bench use two id schemes for En.QA, En.MC and En.Sum. The older ids mostly
exist among the newer ones, so that matching by id can go wrong without a sign. Where the labels in
the file say so, or where ids are unknown although the counts match, nothing is decided here: the
person who submits is asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from scoring.catalog import TASKS
from scoring.gold import TaskGold
from scoring.keys import Key
from scoring.labels import Label, LabelError, release_label
from scoring.predictions import ABSENT, Row, TaskPredictions
from scoring.problems import Problem

Method = Literal["id", "order"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well a file fits a release: rows with a label, and how many of these labels are ours."""

    labelled: int
    by_id: int
    by_order: int
    only_by_id: int
    only_by_order: int
    unknown: int  # rows whose id the release does not have
    rows: int
    examples: int

    @property
    def best(self) -> int:
        return max(self.by_id, self.by_order)

    @property
    def needs_answer(self) -> bool:
        """Whether matching by id is doubtful.

        Order wins clearly when it explains labels that ids do not: at least two of them and one
        in a hundred more than the other way round.
        """
        lead = self.only_by_order - self.only_by_id
        wins = lead >= max(2, self.labelled / 100)
        return wins or (self.unknown > 0 and self.rows == self.examples)

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Placement:
    """The prediction for each example of the gold, None where there is none."""

    method: Method
    predictions: list[str | None]
    unknown: int
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class AlignmentQuestion:
    """What a person has to answer before a task is scored: match its rows by id or by order?"""

    task: str
    files: tuple[str, ...]
    has_ids: bool
    agreement: Agreement

    @property
    def sentence(self) -> str:
        found = self.agreement
        parts = [f"{', '.join(self.files)}: it is not clear which row answers which example."]
        if not self.has_ids:
            parts.append(f"Rows have no ids: {found.rows} rows for {found.examples} examples.")
        if found.unknown:
            parts.append(f"{found.unknown} of {found.rows} ids are unknown to this release.")
        if found.labelled:
            parts.append(
                f"Of {found.labelled} labels in the file, {found.by_id} are ours by id and "
                f"{found.by_order} by row order."
            )
        return " ".join(parts)


def decide(
    gold: TaskGold, file: TaskPredictions, answer: Method | None
) -> Method | AlignmentQuestion:
    """By id where that is safe; else the person's answer; else the question to ask.

    A file without ids is taken by order when it has a row for every example.
    """
    with_ids = any(row.key is not None for row in file.rows)
    found = agreement(gold, file)
    if not with_ids and (answer == "order" or found.rows == found.examples):
        return "order"
    if with_ids and not found.needs_answer:
        return "id"
    if with_ids and answer:
        return answer
    return AlignmentQuestion(file.task, tuple(file.files), with_ids, found)


def agreement(gold: TaskGold, file: TaskPredictions) -> Agreement:
    """Compare the labels in a file with ours, by id and by order, where it carries any."""
    index = {example.key: example.label for example in gold.examples}
    by_order = (example.label for example in gold.examples)
    pairs = [
        (label, index.get(row.key) if row.key is not None else None, next(by_order, None))
        for row, label in zip(file.rows, _labels(gold.task, file.rows), strict=True)
    ]
    same = [(label == ours, label == next_) for label, ours, next_ in pairs if label is not None]
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


def _labels(task: str, rows: Sequence[Row]) -> Iterator[Label | None]:
    """The labels that rows carry, None where there is none or it is not of the task's kind."""
    for row in rows:
        try:
            yield None if row.label is ABSENT else release_label(TASKS[task], row.label)
        except LabelError:
            yield None


def place(gold: TaskGold, file: TaskPredictions, method: Method) -> Placement:
    """Every example's prediction, by id or by row order, with the rows that found no place."""
    return _place_by_order(gold, file) if method == "order" else _place_by_id(gold, file)


def _place_by_order(gold: TaskGold, file: TaskPredictions) -> Placement:
    texts = [row.prediction for row in file.rows[: len(gold.examples)]]
    texts += [None] * (len(gold.examples) - len(texts))
    surplus = file.rows[len(gold.examples) :]
    problems = [
        Problem("row_surplus", row.file, row.line, file.task, {"examples": len(gold.examples)})
        for row in surplus
    ]
    return Placement("order", texts, len(surplus), problems)


def _place_by_id(gold: TaskGold, file: TaskPredictions) -> Placement:
    known = set(gold.keys)
    texts: dict[Key, str | None] = {}
    problems: list[Problem] = []
    unknown: set[Key] = set()
    for row in file.rows:
        if row.key is None:
            continue
        if row.key not in known:
            unknown.add(row.key)
            problems.append(_at(row, "id_unknown", file.task))
        elif row.key not in texts:
            texts[row.key] = row.prediction
        elif texts[row.key] == row.prediction:
            problems.append(_at(row, "row_repeated", file.task))
        else:
            texts[row.key] = None
            problems.append(_at(row, "id_twice", file.task))
    return Placement("id", [texts.get(key) for key in gold.keys], len(unknown), problems)


def _at(row: Row, code: str, task: str) -> Problem:
    return Problem(code, row.file, row.line, task, {"id": str(row.key)})


def coverage(gold: TaskGold, file: TaskPredictions, placement: Placement) -> Iterator[Problem]:
    """What to know before trusting the scores of a task: gaps, strangers, labels that differ."""
    yield from placement.problems
    n = len(gold.examples)
    if missing := placement.predictions.count(None):
        counts = {"missing": missing, "n": n}
        yield Problem("predictions_missing", file.files[0], task=gold.task, params=counts)
    found = agreement(gold, file)
    ours = found.by_order if placement.method == "order" else found.by_id
    if found.labelled > ours:
        counts = {"differ": found.labelled - ours, "labelled": found.labelled}
        yield Problem("labels_differ", file.files[0], task=gold.task, params=counts)
