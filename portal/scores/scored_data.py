"""What the tasks of an evaluation were scored with."""

from typing import NamedTuple

from django.utils.functional import Promise

from portal.models import Evaluation
from portal.scores.titles import ALIGNMENT_TITLES
from scoring.catalog import TASKS


class DataRow(NamedTuple):
    """One task."""

    title: str
    matched: str | Promise
    labels: str  # hashes; that of labels empty where it would tell whether a guess is right
    questions: str  # empty where the release has labels only


def scored_data(evaluation: Evaluation, *, with_labels: bool) -> list[DataRow]:
    """In the order of the catalogue, from the evaluation's signature."""
    signature = evaluation.signature or {}
    gold, aligned = signature.get("gold", {}), signature.get("aligned", {})
    return [
        DataRow(
            TASKS[task].title,
            ALIGNMENT_TITLES[aligned[task]],
            gold[task]["labels"] if with_labels else "",
            gold[task]["questions"] or "",
        )
        for task in TASKS
        if task in gold
    ]
