"""Two tabs of one person: what they ask for at once is done in some order, or refused."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction

from portal.errors import StateError
from portal.evaluations.leases import LeaseLostError, claim_evaluation
from portal.evaluations.results import store_failure, store_outcome
from portal.models import Evaluation, ExampleResult, Release, Submission, User
from portal.submissions.services import delete_submission, score_again, try_again
from scoring.sandbox.results_file import Example
from tests.support.factories import make_submission, only_evaluation, outcome
from tests.support.processes import DEADLINE, eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

_ROUNDS = 15


def failed(owner: User, release: Release) -> Evaluation:
    evaluation = only_evaluation(make_submission(owner, release, b"{}"))
    lease = claim_evaluation(evaluation.pk)
    assert lease
    store_failure(lease, "scorer_memory")
    return evaluation


def at_once(acts: list[Callable[[], object]]) -> None:
    """Each in a thread of its own. Raises what is no answer to a person."""
    start = Barrier(len(acts))

    def run(act: Callable[[], object]) -> None:
        try:
            start.wait()
            act()
        except (StateError, ObjectDoesNotExist):
            pass  # the other was faster
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        list(pool.map(run, acts))


def test_trying_again_and_deleting_at_once(alice: User, release: Release) -> None:
    for _ in range(_ROUNDS):
        evaluation = failed(alice, release)
        submission = evaluation.submission
        at_once(
            [
                lambda: try_again(evaluation, by=alice),  # noqa: B023 - called in this round
                lambda: score_again(submission, by=alice),  # noqa: B023
                lambda: delete_submission(submission, by=alice),  # noqa: B023
            ]
        )
        assert not Submission.objects.exists()


def test_a_failed_evaluation_is_not_retried_if_a_newer_one_exists(
    alice: User, release: Release
) -> None:
    evaluation = failed(alice, release)
    score_again(evaluation.submission, by=alice)
    with pytest.raises(StateError, match="already"):
        try_again(evaluation, by=alice)


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None


def in_a_thread(pool: ThreadPoolExecutor, act: Callable[[], object]) -> "Future[object]":
    def run() -> object:
        try:
            return act()
        finally:
            connection.close()

    return pool.submit(run)


def test_deleting_waits_for_scores_that_are_being_stored(alice: User, release: Release) -> None:
    submission = make_submission(alice, release, b"{}")
    lease = claim_evaluation(only_evaluation(submission).pk)
    assert lease
    document, examples = outcome()
    written, go_on = Event(), Event()

    def slowly() -> Iterator[Example]:
        yield from examples
        written.set()
        go_on.wait(DEADLINE)

    with ThreadPoolExecutor(2) as pool:
        stored = in_a_thread(pool, lambda: store_outcome(lease, document, slowly(), level="strong"))
        assert written.wait(DEADLINE)
        deleted = in_a_thread(pool, lambda: delete_submission(submission, by=alice))
        eventually(waits_for_a_lock, "a deletion that waits")
        go_on.set()
        stored.result()
        deleted.result()
    assert not Submission.objects.exists()
    assert not ExampleResult.objects.exists()


def test_a_submission_deleted_during_scoring_gets_no_scores(alice: User, release: Release) -> None:
    submission = make_submission(alice, release, b"{}")
    lease = claim_evaluation(only_evaluation(submission).pk)
    assert lease
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            delete_submission(submission, by=alice)
            stored = in_a_thread(pool, lambda: store_outcome(lease, *outcome(), level="strong"))
            eventually(waits_for_a_lock, "a worker that waits")
        with pytest.raises(LeaseLostError):
            stored.result()
    assert not ExampleResult.objects.exists()
