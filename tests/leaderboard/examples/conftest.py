"""A task with four questions, and entries that have answered them."""

from collections.abc import Sequence
from typing import Any

import pytest

from portal.models import Example, ExampleResult, Release, Submission, SubmissionState, User
from scoring.metrics import METRIC_SETS
from tests.support.example_results import change_results
from tests.support.factories import add_answers, model, release_of_all_tasks, with_slug

TASK = "code_run"
KEYS = ["first", "a/b?c#d%20 e", "第三", "last"]
QUESTIONS = ["Where is the gold?", "What did Ann say?", "他的名字是什么？", "Whose pass-key is it?"]
LABELS = ["under the stone", "canaryann", "李明", "canaryhers"]
TOKENS = [1_000, 120_000, 200_000, None]
DEPTHS = [0.1, 0.35, 0.35, 0.9]
KINDS = ["mellow", "mellow", "two words", ""]
Texts = Sequence[str | None]


@pytest.fixture
def board(db: None) -> Release:
    release = release_of_all_tasks("hf")
    data_set = release.data_sets.get(task=TASK)
    columns = zip(KEYS, QUESTIONS, LABELS, TOKENS, DEPTHS, KINDS, strict=True)
    Example.objects.bulk_create(
        Example(
            data_set=data_set, index=index, key=key, question=question, label=[label],
            tokens=tokens, depth=depth, hops=index, kind=kind,
        )
        for index, (key, question, label, tokens, depth, kind) in enumerate(columns)
    )  # fmt: skip
    return release


def answered(
    owner: User | None,
    release: Release,
    name: str,
    scores: Sequence[float],
    texts: Texts = ("", "", "", ""),
    **columns: Any,
) -> Submission:
    columns = {"state": SubmissionState.PUBLISHED, **columns}
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, **columns
    )
    with_slug(submission)
    by_set = {name: list(scores) for name in METRIC_SETS}
    evaluation = add_answers(submission, {TASK: by_set})
    for index, text in enumerate(texts):
        of_question = ExampleResult.objects.filter(evaluation=evaluation, index=index)
        change_results(of_question, prediction=text)
    return submission


@pytest.fixture
def good(alice: User, board: Release) -> Submission:
    texts = ["It is under the stone", "Nothing, the Answer is 42", "他的书", "passkey"]
    return answered(alice, board, "Good", [1.0, 1.0, 0.25, 1.0], texts)


@pytest.fixture
def bad(bob: User, board: Release) -> Submission:
    texts = ["the answer: STONE!", " \n", None, "pass key"]
    return answered(bob, board, "Bad", [1.0, 0.0, 0.0, 0.0], texts)


@pytest.fixture
def fair(rita: User, board: Release) -> Submission:
    return answered(rita, board, "Fair", [1.0, 1.0, 0.0, 0.0], ["so", "so", "so", "so"])
