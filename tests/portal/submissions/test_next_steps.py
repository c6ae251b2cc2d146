"""In each situation there is one primary button."""

import pytest

from portal.models import Action, SubmissionState
from portal.submissions.pages.next_steps import Step, next_steps

S = SubmissionState
OWNER = {Action.SUBMIT_NEW_VERSION, Action.SCORE_AGAIN}
PRIVATE = OWNER | {
    Action.REQUEST_PUBLICATION,
    Action.EDIT_SETTINGS,
    Action.WITHDRAW,
    Action.DELETE,
}


@pytest.mark.parametrize(
    ("state", "actions", "primary"),
    [
        (S.PRIVATE, PRIVATE, Step.REQUEST),
        (S.PRIVATE, PRIVATE - {Action.REQUEST_PUBLICATION}, Step.NEW_VERSION),
        (S.PRIVATE, OWNER | {Action.TRY_AGAIN}, Step.TRY_AGAIN),
        (S.IN_REVIEW, OWNER | {Action.CANCEL_REQUEST, Action.WITHDRAW}, None),
        (S.IN_REVIEW, {Action.PUBLISH, Action.REJECT}, Step.REVIEW),
        (S.QUESTION, OWNER | {Action.REPLY, Action.CANCEL_REQUEST}, Step.REPLY),
        (S.PUBLISHED, OWNER | {Action.WITHDRAW}, Step.ENTRY),
        (S.HIDDEN, OWNER | {Action.WITHDRAW}, Step.NEW_VERSION),
        (S.HIDDEN, {Action.RESTORE}, Step.REVIEW),
        (S.WITHDRAWN, OWNER, None),
        (S.PRIVATE, set(), None),
    ],
)
def test_the_primary_button(
    state: SubmissionState, actions: set[Action], primary: Step | None
) -> None:
    steps = next_steps(actions, state, is_busy=False, needs_new_version=False)
    assert steps.primary == primary
    assert primary not in steps.others


@pytest.mark.parametrize("state", [S.PRIVATE, S.REJECTED])
def test_after_a_rejection_or_with_doubtful_scores_a_new_version_comes_first(
    state: SubmissionState,
) -> None:
    steps = next_steps(PRIVATE, state, is_busy=False, needs_new_version=True)
    assert steps.primary == Step.NEW_VERSION
    assert Step.REQUEST in steps.others


def test_while_it_is_scored_there_is_no_primary_button() -> None:
    steps = next_steps(PRIVATE, S.PRIVATE, is_busy=True, needs_new_version=False)
    assert steps.primary is None
    assert Step.NEW_VERSION in steps.others


def test_what_can_be_deleted_is_not_withdrawn() -> None:
    steps = next_steps(PRIVATE, S.PRIVATE, is_busy=False, needs_new_version=False)
    assert Step.DELETE in steps.others
    assert Step.WITHDRAW not in steps.others
