"""Entries whose answers to every question are known."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from portal.models import Release, Submission, SubmissionState, User
from portal.releases.importer import import_release
from scoring.metrics import METRIC_SETS
from tests.support.factories import add_answers, model, with_slug
from tests.support.worlds import write_rows

QUESTIONS = {"passkey": 40, "kv_retrieval": 40, "longbook_qa_eng": 30}
Answers = Mapping[str, Sequence[float | None]]  # 0 to 1; None: missing


def canary(task: str, number: int) -> str:
    """A label that occurs in no other text of the site."""
    return f"canary{task.replace('_', '')}{number:03}"


def imported(folder: Path, slug: str, *, hidden: bool = False) -> Release:
    for task, size in QUESTIONS.items():
        rows = [{"id": number, "answer": [canary(task, number)]} for number in range(size)]
        write_rows(folder / slug / f"{task}.jsonl", rows)
    return import_release(folder / slug, slug=slug, title=slug.title(), hidden=hidden)


@pytest.fixture
def data(db: None, tmp_path: Path) -> Release:
    """A release of three tasks, one of which has partial scores."""
    return imported(tmp_path, "data")


def answered(
    owner: User,
    release: Release,
    name: str,
    answers: Answers,
    state: SubmissionState = SubmissionState.PUBLISHED,
) -> Submission:
    """A submission whose answers have these scores, also under ``strict``."""
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, state=state
    )
    with_slug(submission)
    by_set = {task: dict.fromkeys(METRIC_SETS, column) for task, column in answers.items()}
    add_answers(submission, by_set)
    return submission


def right(share: int, of: int, first: int = 0) -> list[float]:
    """Scores with this many right answers in a row, from this question on."""
    return [float(first <= number < first + share) for number in range(of)]


STRONG = {
    "passkey": right(38, 40),
    "kv_retrieval": right(20, 40),
    "longbook_qa_eng": [0.5 + 0.01 * number for number in range(30)],
}
WEAK = {
    "passkey": right(20, 40),
    "kv_retrieval": right(19, 40, first=1),
    "longbook_qa_eng": [0.2 + 0.01 * number for number in range(30)],
}


@pytest.fixture
def strong(alice: User, data: Release) -> Submission:
    return answered(alice, data, "Strong", STRONG)


@pytest.fixture
def weak(bob: User, data: Release) -> Submission:
    return answered(bob, data, "Weak", WEAK)
