"""Two tabs of one person: what they ask for at once is done in some order, or refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection

from portal.leases import claim
from portal.models import Evaluation, Release, Submission, User
from portal.results import store_failure
from portal.states import StateError
from portal.submissions import delete_submission, score_again, try_again
from tests.portal.handing_in import hand_in, only_evaluation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

_ROUNDS = 15


def failed(owner: User, release: Release) -> Evaluation:
    evaluation = only_evaluation(hand_in(owner, release, b"{}"))
    lease = claim(evaluation.pk)
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


def test_what_has_failed_is_not_tried_again_beside_a_newer_one(
    alice: User, release: Release
) -> None:
    evaluation = failed(alice, release)
    score_again(evaluation.submission, by=alice)
    with pytest.raises(StateError, match="already"):
        try_again(evaluation, by=alice)
