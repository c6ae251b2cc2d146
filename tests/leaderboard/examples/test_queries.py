"""Who sees whose answers, and scores of entries with different data sets."""

from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from leaderboard.board.ranking.standings import forget
from leaderboard.examples.queries import (
    QuestionSet,
    find_question_set,
    own_answering,
    published_answering,
    score_matrix,
)
from portal.models import Example, Release, Submission, SubmissionState, TaskDataSet, User
from portal.permissions.access import Reader
from scoring.metrics import METRIC_SETS, PAPER_SET
from tests.support.factories import (
    add_answers,
    add_examples,
    model,
    release_of_all_tasks,
    with_slug,
)

pytestmark = pytest.mark.django_db

NOBODY = AnonymousUser()
TASK = "code_run"


@pytest.fixture
def board(db: None) -> Release:
    forget()
    release = release_of_all_tasks("hf")
    add_examples(release)
    return release


def answered(
    owner: User | None, release: Release, name: str, scores: list[float], **columns: Any
) -> Submission:
    columns = {"state": SubmissionState.PUBLISHED, **columns}
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, **columns
    )
    with_slug(submission)
    add_answers(submission, {TASK: dict.fromkeys(METRIC_SETS, scores)})
    return submission


def of_board() -> QuestionSet:
    return find_question_set(NOBODY, "hf", TASK)


def test_published_answers_are_for_everybody(alice: User, board: Release) -> None:
    answered(alice, board, "One", [1.0, 0.0, 0.5, 1.0])
    answered(alice, board, "Two", [1.0, 1.0, 1.0, 1.0], state=SubmissionState.PRIVATE)
    found = published_answering(NOBODY, of_board())
    assert [(one.title, one.shows_verdicts) for one in found] == [("One", True)]
    assert score_matrix(of_board(), found, PAPER_SET).tolist() == [[1.0, 0.0, 0.5, 1.0]]


def test_entries_with_data_of_their_own_are_asked_the_same_questions(
    alice: User, board: Release
) -> None:
    """They come in another order, with one question that the release does not have."""
    numbers: dict[str, list[int | None]] = {"hf": [10, 11, 12, None], "own": [12, 99, 10]}
    own = Release.objects.create(slug="own", title="Own")
    data_set = TaskDataSet.objects.create(
        task=TASK, size=3, labels_hash="own", questions_hash="own"
    )
    own.data_sets.add(data_set)
    Example.objects.bulk_create(
        Example(data_set=data_set, index=index, key=str(index), label=["y"]) for index in range(3)
    )
    for slug, found in numbers.items():
        for index, number in enumerate(found):
            of_set = Example.objects.filter(data_set__releases__slug=slug, data_set__task=TASK)
            of_set.filter(index=index).update(question_number=number)
    answered(None, own, "Historical", [0.25, 0.5, 1.0], origin="historical")
    [entry] = published_answering(NOBODY, of_board())
    scores = score_matrix(of_board(), [entry], PAPER_SET)
    np.testing.assert_array_equal(scores, [[1.0, np.nan, 0.25, np.nan]])


def test_a_private_submission_is_for_its_owner_and_reviewers(
    alice: User, bob: User, rita: User, board: Release
) -> None:
    private = answered(alice, board, "One", [1.0] * 4, state=SubmissionState.PRIVATE)
    for reader in (alice, rita):
        found = own_answering(reader, of_board(), private.entry_id)
        assert found
        assert (found.is_public, found.shows_verdicts) == (False, True)
    for stranger in (bob, NOBODY):
        with pytest.raises(Http404):
            own_answering(stranger, of_board(), private.entry_id)


def test_answers_to_a_hidden_release_are_for_reviewers_and_their_authors(
    alice: User, bob: User, rita: User, board: Release
) -> None:
    Release.objects.update(hidden=True)
    one = answered(alice, board, "One", [1.0] * 4)
    answered(rita, board, "Two", [1.0] * 4)
    readers: list[Reader] = [NOBODY, alice, bob]
    for reader in readers:
        questions = find_question_set(reader, "hf", TASK)
        assert not questions.shows_answers
        assert published_answering(reader, questions) == []
    questions = find_question_set(rita, "hf", TASK)
    assert questions.shows_answers
    found = published_answering(rita, questions)
    assert {one.title: one.shows_verdicts for one in found} == {"One": True, "Two": False}
    assert np.isnan(score_matrix(questions, found, PAPER_SET)).any(axis=1).tolist() == [
        not one.shows_verdicts for one in found
    ]
    own = own_answering(alice, find_question_set(alice, "hf", TASK), one.entry_id)
    assert own
    assert not own.shows_verdicts


@pytest.mark.parametrize(("slug", "task"), [("hf", "nothing"), ("other", TASK)])
def test_what_is_not_there_is_not_found(board: Release, slug: str, task: str) -> None:
    with pytest.raises(Http404):
        find_question_set(NOBODY, slug, task)


def test_entries_of_one_model_are_told_apart(alice: User, board: Release) -> None:
    for strategy in ("step by step", "context recalling"):
        answered(alice, board, "One", [1.0] * 4, prompt_strategy=strategy)
    titles = {one.title for one in published_answering(NOBODY, of_board())}
    assert titles == {"One (step by step)", "One (context recalling)"}
