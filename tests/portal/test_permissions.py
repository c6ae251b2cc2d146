"""Who may see which submissions and their verdicts."""

import uuid

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.test import RequestFactory

from portal.models import Release, Submission, User
from portal.permissions.access import (
    get_submission,
    may_see_verdicts,
    scored_evaluation,
    submissions_seen_by,
    user_of,
)
from tests.support.factories import as_if_scored, make_submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def of_alice(alice: User, release: Release) -> Submission:
    return make_submission(alice, release, b"anything")


def test_an_author_sees_their_own(alice: User, of_alice: Submission) -> None:
    assert get_submission(alice, of_alice.pk) == of_alice
    assert list(submissions_seen_by(alice)) == [of_alice]


def test_anothers_does_not_exist(bob: User, of_alice: Submission) -> None:
    with pytest.raises(Http404):
        get_submission(bob, of_alice.pk)
    assert not submissions_seen_by(bob).exists()


def test_reviewers_and_admins_see_all(rita: User, adam: User, of_alice: Submission) -> None:
    assert get_submission(rita, of_alice.pk) == of_alice
    assert get_submission(adam, of_alice.pk) == of_alice


def test_an_unknown_address_is_not_found(rita: User) -> None:
    with pytest.raises(Http404):
        get_submission(rita, uuid.uuid4())


def test_verdicts_of_a_hidden_release_are_for_reviewers(
    alice: User, rita: User, of_alice: Submission
) -> None:
    assert may_see_verdicts(alice, of_alice)
    of_alice.release.hidden = True
    assert not may_see_verdicts(alice, of_alice)
    assert may_see_verdicts(rita, of_alice)
    of_alice.owner = rita
    assert not may_see_verdicts(rita, of_alice)


def test_verdicts_are_not_shown_to_whom_the_very_same_predictions_are_of(
    rita: User, adam: User, of_alice: Submission
) -> None:
    Release.objects.update(hidden=True)
    as_if_scored(of_alice)
    found = get_submission(rita, of_alice.pk)
    assert may_see_verdicts(rita, found)
    same = as_if_scored(make_submission(rita, of_alice.release, b"the same in another file"))
    assert may_see_verdicts(adam, found)
    assert not may_see_verdicts(rita, found)
    same.evaluations.update(predictions_hash="1" * 64)
    assert may_see_verdicts(rita, found)


def test_nobody_is_no_user(db: None) -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with pytest.raises(PermissionDenied):
        user_of(request)


@pytest.mark.parametrize("wanted", ["0", "-1", "x", "9" * 40, "１", "1 OR 1=1"])
def test_a_number_of_no_evaluation_finds_none(
    alice: User, of_alice: Submission, wanted: str
) -> None:
    as_if_scored(of_alice)
    assert scored_evaluation(of_alice)
    assert scored_evaluation(of_alice, wanted) is None
