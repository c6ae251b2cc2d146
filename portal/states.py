"""The states of a submission and of an evaluation, and the only functions that change them.

Who may do what is one table for each; the code reads the tables. Every change of a submission
leaves an audit entry in the same transaction.
"""

from typing import Literal, NamedTuple

from django.db import transaction

from portal.models import (
    AuditEntry,
    Evaluation,
    EvaluationState,
    Submission,
    SubmissionState,
    User,
)

Actor = Literal["owner", "reviewer", "admin"]


class Transition(NamedTuple):
    before: frozenset[SubmissionState]
    after: SubmissionState
    actors: frozenset[Actor]
    needs_reason: bool = False


S = SubmissionState
TRANSITIONS: dict[str, Transition] = {
    "ask for publication": Transition(
        frozenset({S.PRIVATE, S.REJECTED}), S.IN_REVIEW, frozenset({"owner"})
    ),
    "publish": Transition(
        frozenset({S.IN_REVIEW}), S.PUBLISHED, frozenset({"reviewer"}), needs_reason=True
    ),
    "reject": Transition(
        frozenset({S.IN_REVIEW}), S.REJECTED, frozenset({"reviewer"}), needs_reason=True
    ),
    "withdraw": Transition(
        frozenset({S.PRIVATE, S.IN_REVIEW, S.PUBLISHED, S.REJECTED}),
        S.WITHDRAWN,
        frozenset({"owner", "admin"}),
    ),
}

E = EvaluationState
EVALUATION_TRANSITIONS: dict[EvaluationState, frozenset[EvaluationState]] = {
    E.QUEUED: frozenset({E.RUNNING}),
    E.RUNNING: frozenset({E.SCORED, E.NEEDS_ANSWER, E.FAILED, E.QUEUED}),  # queued: lease lost
    E.NEEDS_ANSWER: frozenset({E.QUEUED}),
    E.FAILED: frozenset({E.QUEUED}),
    E.SCORED: frozenset(),
}


class StateError(Exception):
    """The action does not fit the state or the person; the message is for the person."""


def actors(submission: Submission, user: User) -> frozenset[Actor]:
    """What a person is to a submission. Nobody reviews what is theirs."""
    found: set[Actor] = set()
    if submission.owner_id == user.pk:
        found.add("owner")
    elif user.is_reviewer:
        found.add("reviewer")
    if user.role == "admin":
        found.add("admin")
    return frozenset(found)


def allowed_actions(submission: Submission, user: User) -> list[str]:
    """The names of the actions that this person may take now, in the order of the table."""
    mine = actors(submission, user)
    return [
        name
        for name, transition in TRANSITIONS.items()
        if submission.state in transition.before and mine & transition.actors
    ]
