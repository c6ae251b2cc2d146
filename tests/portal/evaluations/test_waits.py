"""Position and time in the queue: in the order of claims, and only as far as known."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db.models import F
from django.db.models.functions import Now

from portal.evaluations.turns import claim_next
from portal.evaluations.waits import Outlook, _until_last, outlook_of, typical_seconds
from portal.models import Evaluation, Release, Role, User
from portal.submissions.pages.progress import progress_of
from portal.submissions.quotas import QUOTAS
from tests.support.factories import as_if_scored, make_submission, only_evaluation

SIZE = 100  # bytes


def scored_in(owner: User, release: Release, *durations: float) -> None:
    """Evaluations that took this many seconds each."""
    for seconds in durations:
        submission = make_submission(owner, release, b"x" * SIZE)
        as_if_scored(submission)
        submission.evaluations.update(started=Now() - timedelta(seconds=seconds), finished=Now())
    caches["results"].clear()


def queued(owner: User, release: Release, size: int = SIZE) -> Evaluation:
    return only_evaluation(make_submission(owner, release, b"x" * size))


@pytest.mark.django_db
def test_two_are_before_it_and_it_takes_as_long_as_they_do(
    alice: User, bob: User, release: Release
) -> None:
    scored_in(alice, release, 2_010, 2_010, 3_000)
    queued(alice, release)
    assert claim_next()
    queued(alice, release)
    queued(bob, release)
    last = queued(alice, release)
    found = outlook_of(last)
    assert found.ahead == 2
    assert found.seconds == pytest.approx(4 * 2_010, abs=60)
    progress = progress_of(last)
    assert progress
    assert (progress.ahead, progress.seconds) == (2, 4 * 2_010)
    assert "expected" in [reason.code for reason in progress.reasons]


@pytest.mark.django_db
def test_more_workers_make_it_shorter_and_work_that_is_nearly_done_too(
    alice: User, bob: User, release: Release
) -> None:
    scored_in(alice, release, 10_000, 10_000, 10_000)
    for owner in (alice, bob):
        queued(owner, release)
        assert claim_next()
    mine = queued(alice, release)
    assert outlook_of(mine).seconds == pytest.approx(20_000, abs=60)
    Evaluation.objects.filter(submission__owner=bob).update(
        started=F("started") - timedelta(seconds=9_000)
    )
    assert outlook_of(mine).seconds == pytest.approx(11_000, abs=60)


@pytest.mark.django_db
def test_nothing_is_said_where_nothing_is_known(alice: User, bob: User, release: Release) -> None:
    first = queued(alice, release)
    assert outlook_of(first) == Outlook(0, None)  # no worker has been seen, and nothing was scored
    assert claim_next()
    mine = queued(bob, release)
    assert outlook_of(mine) == Outlook(0, None)
    scored_in(bob, release, 1, 1, 1)
    assert outlook_of(mine).seconds is not None
    large = queued(alice, release, size=100 * SIZE)
    assert outlook_of(large).seconds is None  # none of that size was scored
    Evaluation.objects.filter(pk=first.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert outlook_of(mine).seconds is None  # its worker was lost
    progress = progress_of(mine)
    assert progress
    assert progress.seconds is None
    assert "expected" not in [reason.code for reason in progress.reasons]


def test_the_median_is_of_uploads_of_that_size() -> None:
    known = [(100, 1.0), (110, 2.0), (120, 30.0), (10_000, 500.0)]
    assert typical_seconds(known, 100) == 2.0
    assert typical_seconds(known, 10_000) is None


def test_each_is_taken_by_the_first_worker_that_is_free() -> None:
    assert _until_last([10.0, 10.0], [0.0, 6.0], [3.0, 3.0, 3.0]) == 13.0
    assert _until_last([10.0], [60.0], [1.0]) == 1.0
    assert _until_last([None], [0.0], [1.0]) is None


@pytest.mark.django_db
def test_two_hundred_uploads_of_one_delay_another_by_at_most_one(
    alice: User, bob: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows as uploads would make them if quota and ``MAX_QUEUED`` allowed so many."""
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 1_000)
    assert settings.MAX_QUEUED > 200
    for _ in range(200):
        queued(alice, release, size=2)
    assert claim_next()
    mine = queued(bob, release, size=2)
    assert outlook_of(mine).ahead == 0
    owners = []
    for _ in range(2):
        lease = claim_next()
        assert lease
        owners.append(Evaluation.objects.get(pk=lease.evaluation_id).submission.owner)
    assert bob in owners
    assert owners[0] == bob
    again = queued(bob, release, size=2)
    assert outlook_of(again).ahead <= 1
