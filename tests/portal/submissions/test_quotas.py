"""How often users may upload: what counts, what does not, and that the limit holds."""

from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from portal.errors import QuotaError
from portal.evaluations.failures import FAILURES
from portal.models import CountedUpload, EvaluationState, Release, Role, Submission, User
from portal.submissions.quotas import QUOTAS, UNSCORABLE, WINDOW, quota_of
from portal.submissions.services import delete_submission, score_again, try_again
from tests.support.factories import as_if_scored, make_submission, model_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 2)


def fail(submission: Submission, code: str) -> None:
    submission.evaluations.update(state=EvaluationState.FAILED, failure=code)


def test_every_role_has_its_quota(alice: User, rita: User, adam: User) -> None:
    assert [quota_of(user).limit for user in (alice, rita, adam)] == [30, 100, None]
    assert set(QUOTAS) == set(Role)


@pytest.mark.usefixtures("two")
def test_an_upload_counts_for_its_owner_only(
    alice: User, bob: User, release: Release, storage: object
) -> None:
    make_submission(alice, release, b"{}")
    assert quota_of(alice).left == 1
    make_submission(alice, release, b"{}")
    assert quota_of(alice).used_up
    with pytest.raises(QuotaError):
        make_submission(alice, release, b"{}")
    assert quota_of(bob).left == 2
    [*files] = default_storage.listdir("uploads")[1]
    assert len(files) == Submission.objects.count() == 2


@pytest.mark.usefixtures("two")
def test_the_next_is_possible_a_day_after_the_oldest(alice: User, release: Release) -> None:
    for _ in range(2):
        make_submission(alice, release, b"{}")
    oldest = CountedUpload.objects.order_by("at")[0]
    oldest.at = timezone.now() - timedelta(hours=20)
    oldest.save()
    assert quota_of(alice).opens == oldest.at + WINDOW
    oldest.at -= timedelta(hours=5)
    oldest.save()
    assert quota_of(alice).left == 1
    assert make_submission(alice, release, b"{}")


@pytest.mark.usefixtures("two")
def test_scoring_again_costs_as_much_as_an_upload(
    alice: User, rita: User, release: Release
) -> None:
    submission = make_submission(alice, release, b"{}")
    fail(submission, "scorer_time")
    score_again(submission, by=alice)
    assert quota_of(alice).used_up
    fail(submission, "scorer_time")
    with pytest.raises(QuotaError):
        score_again(submission, by=alice)
    score_again(submission, by=rita)
    assert submission.evaluations.count() == 3


@pytest.mark.usefixtures("two")
def test_retrying_after_a_server_fault_is_free_up_to_a_limit(alice: User, release: Release) -> None:
    submission = make_submission(alice, release, b"{}")
    for _ in range(5 * 2 - 1):
        fail(submission, "worker_lost")
        try_again(submission.evaluations.get(), by=alice)
    quota = quota_of(alice)
    assert (quota.used, quota.total) == (1, 10)
    fail(submission, "worker_lost")
    with pytest.raises(QuotaError):
        try_again(submission.evaluations.get(), by=alice)
    assert submission.evaluations.get().failure == "worker_lost"


@pytest.mark.usefixtures("two")
def test_retrying_after_a_fault_in_the_files_counts_as_an_upload(
    alice: User, release: Release
) -> None:
    submission = make_submission(alice, release, b"{}")
    fail(submission, "scorer_time")
    try_again(submission.evaluations.get(), by=alice)
    assert quota_of(alice).used_up
    fail(submission, "scorer_time")
    with pytest.raises(QuotaError):
        try_again(submission.evaluations.get(), by=alice)


def test_an_admin_may_at_any_time(adam: User, release: Release) -> None:
    make_submission(adam, release, b"{}")
    assert (quota_of(adam).left, quota_of(adam).used_up) == (None, False)


@pytest.mark.parametrize("code", FAILURES)
def test_server_faults_and_unusable_files_do_not_count(
    alice: User, release: Release, code: str
) -> None:
    submission = make_submission(alice, release, b"{}")
    fail(submission, code)
    free = "our fault" in FAILURES[code].fix or code == UNSCORABLE
    assert quota_of(alice).used == (0 if free else 1)
    delete_submission(submission, by=alice)
    assert (quota_of(alice).used, quota_of(alice).total) == (0 if free else 1, 1)


def test_only_the_evaluation_with_a_server_fault_is_free(alice: User, release: Release) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    again = score_again(submission, by=alice)
    submission.evaluations.filter(pk=again.pk).update(state="failed", failure="worker_lost")
    assert (quota_of(alice).used, quota_of(alice).total) == (1, 2)


def test_ten_unusable_uploads_a_day_are_free(alice: User, release: Release) -> None:
    for number in range(1, 13):
        fail(make_submission(alice, release, b"{}"), UNSCORABLE)
        assert quota_of(alice).used == max(0, number - 10)
    for submission in Submission.objects.all():
        delete_submission(submission, by=alice)
    assert quota_of(alice).used == 2


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("deleted", [False, True])
def test_the_total_limit_is_five_times_the_quota(
    alice: User, release: Release, deleted: bool
) -> None:
    for _ in range(5 * 2):
        submission = make_submission(alice, release, b"{}")
        fail(submission, "worker_lost")
        if deleted:
            delete_submission(submission, by=alice)
    oldest = CountedUpload.objects.order_by("at")[0]
    quota = quota_of(alice)
    assert (quota.used, quota.used_up, quota.opens) == (0, True, oldest.at + WINDOW)
    with pytest.raises(QuotaError):
        make_submission(alice, release, b"{}")


def test_deleted_submissions_count(alice: User, release: Release) -> None:
    delete_submission(make_submission(alice, release, b"{}"), by=alice)
    assert quota_of(alice).used == 1


@pytest.mark.usefixtures("two")
@pytest.mark.django_db(transaction=True)
def test_concurrent_uploads_cannot_exceed_the_quota(alice: User, release: Release) -> None:
    ready, refused = Barrier(5), []

    def send() -> None:
        ready.wait()
        try:
            make_submission(alice, release, b"{}")
        except QuotaError:
            refused.append(1)
        connection.close()

    make_submission(alice, release, b"{}")
    threads = [Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(refused), Submission.objects.count()) == (4, 2)


# The queue


@pytest.fixture
def three_queued(settings: Settings, alice: User, release: Release) -> list[Submission]:
    """As many as are allowed."""
    settings.MAX_QUEUED = 3
    return [make_submission(alice, release, b"{}") for _ in range(3)]


def test_an_author_has_so_many_evaluations_in_the_queue_and_no_more(
    three_queued: list[Submission], alice: User, bob: User, release: Release
) -> None:
    with pytest.raises(QuotaError) as refusal:
        make_submission(alice, release, b"{}")
    assert (refusal.value.code, refusal.value.opens) == ("queue_full", None)
    assert Submission.objects.count() == CountedUpload.objects.count() == 3
    assert make_submission(bob, release, b"{}")
    as_if_scored(three_queued[0])
    make_submission(alice, release, b"{}")
    with pytest.raises(QuotaError):
        score_again(three_queued[0], by=alice)


def test_deleting_what_is_queued_makes_room_in_the_queue_but_not_in_the_quota(
    three_queued: list[Submission], alice: User, release: Release
) -> None:
    delete_submission(three_queued[0], by=alice)
    make_submission(alice, release, b"{}")
    assert quota_of(alice).used == 4


def test_trying_again_counts_the_others_in_the_queue(
    three_queued: list[Submission], alice: User
) -> None:
    fail(three_queued[0], "worker_lost")
    try_again(three_queued[0].evaluations.get(), by=alice)
    assert quota_of(alice).queued == 3


@pytest.mark.usefixtures("three_queued")
def test_admins_have_no_limit(alice: User, release: Release) -> None:
    alice.role = Role.ADMIN
    assert quota_of(alice).refusal() is None


# Bytes


@pytest.fixture
def hundred_bytes(settings: Settings, alice: User, release: Release) -> list[Submission]:
    """A limit that is nearly used up by two uploads."""
    settings.DAILY_BYTES = 100
    return [make_submission(alice, release, b"x" * 40) for _ in range(2)]


def test_an_author_may_upload_so_many_bytes_in_a_day(
    hundred_bytes: list[Submission], alice: User, bob: User, release: Release, storage: Path
) -> None:
    with pytest.raises(QuotaError) as refusal:
        make_submission(alice, release, b"x" * 21)
    oldest = CountedUpload.objects.order_by("at")[0]
    assert (refusal.value.code, refusal.value.opens) == ("bytes_quota", oldest.at + WINDOW)
    assert len(list((storage / "uploads").iterdir())) == len(hundred_bytes)
    make_submission(alice, release, b"x" * 20)
    make_submission(bob, release, b"x" * 100)


def test_neither_deleting_nor_failing_gives_bytes_back(
    hundred_bytes: list[Submission], alice: User, release: Release
) -> None:
    delete_submission(hundred_bytes[0], by=alice)
    fail(hundred_bytes[1], "worker_lost")
    with pytest.raises(QuotaError):
        make_submission(alice, release, b"x" * 21)


def test_scoring_again_takes_no_bytes(hundred_bytes: list[Submission], alice: User) -> None:
    score_again(as_if_scored(hundred_bytes[0]), by=alice)
    assert sum(size for _, size in quota_of(alice).sizes) == 80


def test_bytes_of_the_day_before_do_not_count(
    hundred_bytes: list[Submission], alice: User, release: Release
) -> None:
    counted = CountedUpload.objects.filter(submission=hundred_bytes[0].pk)
    counted.update(at=timezone.now() - WINDOW)
    make_submission(alice, release, b"x" * 60)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_of_two_uploads_at_once_only_one_fits(
    alice: User, release: Release, settings: Settings
) -> None:
    settings.DAILY_BYTES = 150
    start, refused = Barrier(2), []

    def upload() -> None:
        start.wait()
        try:
            make_submission(alice, release, b"x" * 100)
        except QuotaError as error:
            refused.append(error.code)
        finally:
            connection.close()

    model_of(alice)
    threads = [Thread(target=upload) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["bytes_quota"]
    assert Submission.objects.count() == 1
