"""From how many scored submissions of its model an entry was chosen."""

import pytest

from portal.evaluations.results import count_attempt
from portal.language_models.services import (
    create_language_model,
    delete_language_model,
    merge_language_models,
)
from portal.models import LanguageModel, Release, ScoredAttempt, Submission, User
from portal.personal_data.deletion import delete_account
from portal.review.services import withdraw_submission
from portal.scores.attempts import scored_attempts
from portal.submissions.services import delete_submission, score_again
from tests.support.attempts import published, scored
from tests.support.factories import as_if_scored, judged, make_submission, whole_release

pytestmark = pytest.mark.django_db


@pytest.fixture
def whole(db: None) -> Release:
    return whole_release()


def number(submission: Submission) -> int | None:
    return scored_attempts([submission.pk]).get(submission.pk)


def test_each_set_of_predictions_of_the_account_for_the_model_counts_until_publication(
    alice: User, bob: User, rita: User, whole: Release
) -> None:
    first = scored(alice, whole, "a")
    scored(alice, whole, "a")  # the same file again
    count_attempt(first, "canonical in another way")  # by a newer scorer
    scored(alice, whole, "b", "Other model")
    scored(bob, whole, "c", "Model")
    scored(alice, whole_release("another"), "d")
    assert number(first) == 1
    scored(alice, whole, "e")
    assert number(published(first, by=rita)) == 2
    later = scored(alice, whole, "f")
    assert (number(first), number(later)) == (2, 3)


def test_dropping_the_first_operand_makes_other_predictions(alice: User, whole: Release) -> None:
    first = scored(alice, whole, "a")
    second = judged(alice, whole, name="Model")
    Submission.objects.filter(pk=second.pk).update(drop_first=True)
    second.refresh_from_db()
    count_attempt(second, "a")
    assert number(first) == 2


def test_deleting_and_withdrawing_lower_nothing(alice: User, rita: User, whole: Release) -> None:
    entry = scored(alice, whole, "a")
    delete_submission(scored(alice, whole, "b"), by=alice)
    withdraw_submission(scored(alice, whole, "c"), by=alice)
    assert number(published(entry, by=rita)) == 3
    delete_account(alice)
    assert number(entry) == 3


def test_renaming_the_model_lowers_nothing(alice: User, whole: Release) -> None:
    first, second = scored(alice, whole, "a"), scored(alice, whole, "b")
    LanguageModel.objects.filter(pk=first.language_model_id).update(name="Renamed")
    assert (number(first), number(second)) == (2, 2)


def test_deleting_the_model_and_describing_it_anew_lowers_nothing(
    alice: User, whole: Release
) -> None:
    gone = scored(alice, whole, "a")
    LanguageModel.objects.update(owner=alice)
    delete_submission(gone, by=alice)
    delete_language_model(LanguageModel.objects.get(), by=alice)
    anew = create_language_model(LanguageModel(name="MODEL"), owner=alice)
    submission = judged(alice, whole, name="Other")
    submission.language_model = anew
    submission.save()
    count_attempt(submission, "b")
    assert number(submission) == 2


def test_attempts_follow_a_model_that_is_merged(
    alice: User, rita: User, adam: User, whole: Release
) -> None:
    entry = scored(alice, whole, "a")
    scored(alice, whole, "b", "Model v2")
    gone = scored(alice, whole, "c", "Model v2")
    delete_submission(gone, by=alice)
    later = scored(alice, whole, "d", "Model v3")
    merge_language_models(gone.language_model, into=entry.language_model, by=adam)
    assert number(published(entry, by=rita)) == 3
    merge_language_models(later.language_model, into=entry.language_model, by=adam)
    assert number(entry) == 4


def test_scores_and_attempt_are_stored_together_and_only_once(
    alice: User, release: Release
) -> None:
    submission = as_if_scored(make_submission(alice, release, b"x"))
    score_again(submission, by=alice)
    as_if_scored(submission)
    assert (ScoredAttempt.objects.count(), number(submission)) == (1, 1)
