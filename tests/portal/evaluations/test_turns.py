"""Owners take turns: nobody waits for more than one evaluation of each other owner."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.evaluations.leases import Lease
from portal.evaluations.turns import claim_next, claims_before, order_of_claims
from portal.models import Evaluation, EvaluationState, OwnerTurn, Release, Submission, User
from portal.submissions.services import delete_submission
from tests.support.factories import language_model, make_submission, only_evaluation

E = EvaluationState


@pytest.fixture
def owners(alice: User, bob: User, rita: User) -> list[User | None]:
    """Several owners; the last one is the site."""
    return [alice, bob, rita, None]


def queued(owner: User | None, release: Release) -> Evaluation:
    submission = Submission.objects.create(
        owner=owner,
        origin="uploaded" if owner else "historical",
        language_model=language_model("Model", owner),
        release=release,
    )
    return Evaluation.objects.create(submission=submission)


def claimed() -> Evaluation:
    lease = claim_next()
    assert lease
    return Evaluation.objects.select_related("submission").get(pk=lease.evaluation_id)


ARRIVALS = st.lists(st.integers(0, 3) | st.just("claim"), max_size=30)


@pytest.mark.django_db
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(events=ARRIVALS)
def test_nobody_waits_behind_two_of_another_owner_in_one_turn(
    owners: list[User | None], release: Release, events: list[int | str]
) -> None:
    """While an owner waits, there is at most one turn of each other owner between two of the
    owner's own turns, whatever the others submit."""
    with transaction.atomic():
        behind: dict[User | None, Counter[User | None]] = {}  # since the owner started to wait
        waiting: Counter[User | None] = Counter()
        for event in [*events, *["claim"] * len(events)]:
            if isinstance(event, int):
                owner = owners[event]
                queued(owner, release)
                waiting[owner] += 1
                behind.setdefault(owner, Counter())
            elif waiting.total():
                served = claimed().submission.owner
                waiting[served] -= 1
                del behind[served]
                for passed in behind.values():
                    passed[served] += 1
                    assert passed[served] == 1
                if waiting[served]:
                    behind[served] = Counter()
        assert not waiting.total()
        transaction.set_rollback(True)


@pytest.mark.django_db
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(arrivals=st.lists(st.integers(0, 3), min_size=1, max_size=10), served=st.integers(0, 5))
def test_the_number_ahead_is_true(
    owners: list[User | None], release: Release, arrivals: list[int], served: int
) -> None:
    with transaction.atomic():
        evaluations = [queued(owners[number], release) for number in arrivals]
        for _ in range(min(served, len(arrivals) - 1)):
            claimed()
        left = [
            one for one in evaluations if Evaluation.objects.queued().filter(pk=one.pk).exists()
        ]
        ahead = {one.pk: len(claims_before(one)) for one in left}
        assert {pk: place for place, pk in enumerate(claimed().pk for _ in left)} == ahead
        transaction.set_rollback(True)


def test_each_round_has_one_of_each_owner() -> None:
    assert order_of_claims([(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"), (6, "c")]) == [
        1, 4, 5, 2, 6, 3,
    ]  # fmt: skip


@pytest.mark.django_db
def test_one_with_many_uploads_lets_the_next_person_in(
    alice: User, bob: User, release: Release
) -> None:
    for _ in range(8):
        make_submission(alice, release, b"{}")
    assert claimed().submission.owner == alice
    submission = make_submission(bob, release, b"{}")
    assert claims_before(only_evaluation(submission)) == []
    assert claimed().submission == submission
    assert claimed().submission.owner == alice


@pytest.mark.django_db
def test_deleting_what_was_scored_gives_no_earlier_turn(
    alice: User, bob: User, release: Release
) -> None:
    make_submission(bob, release, b"{}")
    claimed()
    make_submission(alice, release, b"{}")
    delete_submission(claimed().submission, by=alice)
    make_submission(alice, release, b"{}")
    make_submission(bob, release, b"{}")
    assert claimed().submission.owner == bob


@pytest.mark.django_db
def test_what_pauses_before_its_last_attempt_is_not_claimed(alice: User, release: Release) -> None:
    make_submission(alice, release, b"{}")
    Evaluation.objects.update(due=Now() + timedelta(minutes=1))
    assert claim_next() is None
    assert not OwnerTurn.objects.exists()


@pytest.mark.django_db
def test_what_a_lost_worker_left_is_claimed_while_attempts_are_left(
    alice: User, release: Release
) -> None:
    make_submission(alice, release, b"{}")
    for attempt in (1, 2, 3):
        lease = claim_next()
        assert lease
        assert lease.attempt == attempt
        assert claim_next() is None
        Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert claim_next() is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_claims_at_once_are_of_different_evaluations_and_in_turn(
    alice: User, bob: User, release: Release
) -> None:
    for _ in range(8):
        make_submission(alice, release, b"{}")
    make_submission(bob, release, b"{}")

    def claim(_: int) -> Lease | None:
        try:
            return claim_next()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        first = [lease for lease in pool.map(claim, range(2)) if lease]
        others = [lease for lease in pool.map(claim, range(20)) if lease]
    owners = Submission.objects.filter(evaluations__in=[lease.evaluation_id for lease in first])
    assert set(owners.values_list("owner__username", flat=True)) == {"alice", "bob"}
    assert len({lease.evaluation_id for lease in [*first, *others]}) == 9
    assert not Evaluation.objects.exclude(state=E.RUNNING, attempt=1).exists()
