"""Submissions whose answers are really scored."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from portal.models import (
    SCORE_COLUMNS,
    Evaluation,
    Example,
    ExampleResult,
    Release,
    Submission,
    SubmissionState,
    TaskDataSet,
    User,
)
from scoring.catalog import TASKS
from scoring.labels import canonical_label
from scoring.metrics import METRIC_SETS, Question, judge
from tests.support.example_results import change_results
from tests.support.factories import add_answers, language_model, with_slug

SIZE = 20  # questions of each task
PLACES = ["harbour", "mill", "tower", "meadow", "chapel"]
GOLD: dict[str, list[str]] = {
    "passkey": [str(10_007 * number) for number in range(1, SIZE + 1)],
    "longbook_qa_eng": [
        f"Because {name} left the {PLACES[number % 5]} before {number + 3} of them were ready"
        for number, name in enumerate("ABCDEFGHIJKLMNOPQRST")
    ],
}
Texts = Mapping[str, Sequence[str | None]]


@pytest.fixture
def tasks_of_text(db: None) -> Release:
    """A release of two tasks, whose gold answers are ``GOLD``."""
    release = Release.objects.create(slug="texts", title="Texts")
    for task, labels in GOLD.items():
        data_set = TaskDataSet.objects.create(
            task=task, size=SIZE, labels_hash=f"texts-{task}", questions_hash=""
        )
        release.data_sets.add(data_set)
        Example.objects.bulk_create(
            Example(
                data_set=data_set, index=index, key=f"{task}/{index}", label=[label],
                question=f"A long instruction. {'…' * 400} Why number {index}?",
            )
            for index, label in enumerate(labels)
        )  # fmt: skip
    return release


def answered(
    owner: User,
    release: Release,
    name: str,
    texts: Texts,
    state: SubmissionState = SubmissionState.PUBLISHED,
    **columns: Any,
) -> Submission:
    """A submission with these answers; None for one that is missing."""
    submission = Submission.objects.create(
        owner=owner,
        language_model=language_model(name, owner),
        release=release,
        state=state,
        **columns,
    )
    with_slug(submission)
    scores = {
        task: [_scores(task, *pair) for pair in zip(answers, GOLD[task], strict=True)]
        for task, answers in texts.items()
    }
    by_set = {
        task: {name: [one[name] for one in of_task] for name in METRIC_SETS}
        for task, of_task in scores.items()
    }
    _store(add_answers(submission, by_set), texts, scores)
    return submission


def _scores(task: str, text: str | None, gold: str) -> dict[str, float]:
    label = canonical_label(TASKS[task], [gold])
    verdicts = judge(task, text or "", label, Question())
    return {name: verdict.score for name, verdict in verdicts.items()}


def _store(
    evaluation: Evaluation, texts: Texts, scores: Mapping[str, Sequence[Mapping[str, float]]]
) -> None:
    for task, of_task in texts.items():
        rows = ExampleResult.objects.filter(evaluation=evaluation, task=task)
        for index, text in enumerate(of_task):
            known = scores[task][index] if text is not None else {}
            columns = {column: known.get(name) for name, column in SCORE_COLUMNS.items()}
            change_results(rows.filter(index=index), prediction=text, **columns)
