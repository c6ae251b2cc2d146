"""The tables of states, and the functions that read them."""

import pytest
from django.db import IntegrityError, transaction
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from portal.errors import StateError
from portal.evaluations.leases import claim_evaluation
from portal.evaluations.results import store_failure
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    EvaluationState,
    Release,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.actions import ACTIONS, PUBLICATION_ACTIONS, actors, allowed_actions, can
from portal.review.services import withdraw_submission
from portal.states import (
    WORKER_STEPS,
    change_evaluation,
    change_evaluation_as,
    change_submission,
)
from portal.submissions.services import try_again
from tests.support.factories import as_if_scored, make_submission, only_evaluation
from tests.support.html import refused
from tests.support.openings import LATER

pytestmark = pytest.mark.django_db


@pytest.fixture
def submission(alice: User, release: Release) -> Submission:
    return make_submission(alice, release, b"{}")


def reasons(submission: Submission) -> list[tuple[str, str, str]]:
    return [(entry.action, entry.before, entry.after) for entry in submission.audit_entries.all()]


def test_a_transition_is_logged(submission: Submission, alice: User) -> None:
    changed = withdraw_submission(submission, by=alice, reason="a mistake")
    assert changed.state == SubmissionState.WITHDRAWN
    entry = submission.audit_entries.get()
    assert (entry.actor, entry.action, entry.reason) == (alice, "withdraw", "a mistake")
    assert (entry.before, entry.after) == ("private", "withdrawn")


def test_an_invalid_transition_is_refused_and_changes_nothing(
    submission: Submission, alice: User
) -> None:
    withdraw_submission(submission, by=alice)
    with refused("wrong_state"):
        withdraw_submission(submission, by=alice)
    assert len(reasons(submission)) == 1


def test_another_author_may_do_nothing(submission: Submission, bob: User) -> None:
    assert allowed_actions(bob, submission) == frozenset()
    for action in PUBLICATION_ACTIONS:
        with refused("not_allowed"):
            change_submission(submission, action, by=bob, reason="because")
    for action in (Action.ANSWER, Action.TRY_AGAIN):
        with refused("not_allowed"):
            change_evaluation_as(only_evaluation(submission), action, by=bob)


def test_reviewers_do_not_review_their_own(release: Release, rita: User) -> None:
    mine = as_if_scored(make_submission(rita, release, b"{}"))
    change_submission(mine, Action.REQUEST_PUBLICATION, by=rita)
    with refused("not_allowed"):
        change_submission(mine, Action.PUBLISH, by=rita, reason="it is mine")


def test_a_submission_without_scores_cannot_be_reviewed(
    submission: Submission, alice: User
) -> None:
    with refused("no_scores"):
        change_submission(submission, Action.REQUEST_PUBLICATION, by=alice)


@pytest.mark.parametrize("action", [Action.PUBLISH, Action.REJECT])
def test_a_review_needs_a_reason(
    submission: Submission, alice: User, rita: User, action: Action
) -> None:
    change_submission(as_if_scored(submission), Action.REQUEST_PUBLICATION, by=alice)
    with refused("reason_missing"):
        change_submission(submission, action, by=rita, reason="  ")


def test_the_stored_state_counts_not_that_of_the_object(
    submission: Submission, alice: User
) -> None:
    stale = Submission.objects.get(pk=submission.pk)
    withdraw_submission(submission, by=alice)
    with pytest.raises(StateError):
        withdraw_submission(stale, by=alice)


def test_only_the_owner_can_retry_a_failed_evaluation(
    submission: Submission, alice: User, bob: User
) -> None:
    evaluation = only_evaluation(submission)
    lease = claim_evaluation(evaluation.pk)
    assert lease
    store_failure(lease, "scorer_memory")
    with pytest.raises(StateError):
        try_again(evaluation, by=bob)
    try_again(evaluation, by=alice)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.QUEUED
    assert (evaluation.attempt, evaluation.attempts_allowed) == (1, 4)
    assert reasons(submission) == [("try again", "failed", "queued")]


def test_every_state_of_the_tables_can_be_reached() -> None:
    reached = {ACTIONS[action].after for action in PUBLICATION_ACTIONS}
    assert reached | {SubmissionState.PRIVATE} == set(SubmissionState)
    assert {step.after for step in WORKER_STEPS.values()} == set(EvaluationState)
    for one in ACTIONS.values():
        assert (one.evaluation_state is None) == (one.evaluation_after is None)


def test_a_worker_changes_evaluations_only_in_the_states_of_the_table(
    submission: Submission,
) -> None:
    rows = submission.evaluations.all()
    for step, transition in WORKER_STEPS.items():
        if EvaluationState.QUEUED not in transition.before:
            assert change_evaluation(step, rows) == 0, step
    scored = only_evaluation(as_if_scored(submission))
    assert {step: change_evaluation(step, rows) for step in WORKER_STEPS} == dict.fromkeys(
        WORKER_STEPS, 0
    )
    assert rows.get().state == scored.state


# What the database itself refuses


WRONG = {
    "scored_means_there_is_a_signature": {"state": "scored"},
    "failed_means_there_is_a_reason": {"state": "failed"},
    "running_means_there_is_a_lease": {"state": "running"},
    "needs_answer_means_there_is_a_question": {"state": "needs answer"},
}


@pytest.mark.parametrize("constraint", WRONG)
def test_the_database_refuses_inconsistent_states(submission: Submission, constraint: str) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        submission.evaluations.update(**WRONG[constraint])


def test_the_database_refuses_a_second_open_evaluation(submission: Submission) -> None:
    with pytest.raises(IntegrityError, match="one_open_evaluation"), transaction.atomic():
        Evaluation.objects.create(submission=submission)


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_scored_without_scores(submission: Submission) -> None:
    with pytest.raises(IntegrityError, match="is scored, but has 0 of 0 results"):
        submission.evaluations.update(state="scored", signature={}, finished="2026-11-21T00:00Z")


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_to_delete_scores_of_a_scored_evaluation(
    submission: Submission,
) -> None:
    evaluation = only_evaluation(as_if_scored(submission))
    with pytest.raises(IntegrityError, match="is scored, but has"):
        evaluation.task_scores.all().delete()
    submission.delete()  # all of it may be deleted
    assert not Evaluation.objects.exists()


# Any actions in any order

NEEDS_SCORES = {
    Action.REQUEST_PUBLICATION,
    Action.PUBLISH,
    Action.SCHEDULE,
    Action.PUBLISH_HISTORICAL,
    Action.RESTORE,
}


DECISIONS = {Action.PUBLISH, Action.SCHEDULE, Action.REJECT}


class _Life(RuleBasedStateMachine):
    """A submission on which all roles act. The table has the expected results."""

    submission: Submission
    people: tuple[User | None, ...]

    def __init__(self) -> None:
        super().__init__()
        self.mine = Submission.objects.get(pk=submit_new_version(self.submission).pk)
        self.mine.publish_on = LATER
        self.mine.save()
        self.state = SubmissionState.PRIVATE
        self.is_scored = False
        self.decided_by: User | None = None  # if nothing was done in between

    @rule()
    def score(self) -> None:
        if not self.is_scored:
            as_if_scored(self.mine)
            self.is_scored = True

    @rule(
        action=st.sampled_from(sorted(PUBLICATION_ACTIONS)),
        who=st.integers(0, 4),
        reason=st.sampled_from(["", "because"]),
    )
    def act(self, action: Action, who: int, reason: str) -> None:
        by, allowed = self.people[who], ACTIONS[action]
        mine = actors(self.mine, by)
        may = (
            bool(mine & allowed.actors)
            and self.state in (allowed.states or SubmissionState)
            and (self.is_scored or action not in NEEDS_SCORES)
            and (action != Action.UNDO_DECISION or by == self.decided_by)
        )
        assert can(by, action, Submission.objects.get(pk=self.mine.pk)) == may
        may = may and (bool(reason) or not mine & allowed.needs_reason)
        try:
            changed = change_submission(self.mine, action, by=by, reason=reason)
        except StateError:
            assert not may
        else:
            assert may
            assert allowed.after
            self.state = allowed.after
            self.decided_by = by if action in DECISIONS else None
            assert changed.state == allowed.after

    @invariant()
    def the_audit_log_is_complete(self) -> None:
        state: str = SubmissionState.PRIVATE
        for entry in AuditEntry.objects.filter(submission=self.mine):
            assert entry.before == state
            state = entry.after
        assert state == self.state == Submission.objects.get(pk=self.mine.pk).state


def submit_new_version(submission: Submission) -> Submission:
    assert submission.owner
    submission.owner.counted_uploads.all().delete()  # there may be more than a day's
    return make_submission(submission.owner, submission.release, b"{}")


@pytest.fixture
def life(submission: Submission, alice: User, bob: User, rita: User, adam: User) -> type[_Life]:
    class Life(_Life):
        pass

    Life.submission, Life.people = submission, (alice, bob, rita, adam, None)
    return Life


def test_any_sequence_of_actions_follows_the_table(life: type[_Life]) -> None:
    quick = hypothesis_settings(max_examples=25, stateful_step_count=15)
    run_state_machine_as_test(life, settings=quick)
