"""The only functions that change the state of a submission or of an evaluation.

What people may do is ``portal.permissions.actions.ACTIONS``; what workers do to an evaluation is
``WORKER_STEPS``. Every action of a person leaves an audit entry in the same transaction.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from portal.board_version import raise_board_version
from portal.entry_slugs import assign_slug, remove_slug
from portal.errors import StateError
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    EvaluationState,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.actions import ACTIONS, REQUESTED, Situation, check_allowed

WorkerStep = Literal["claim", "store scores", "ask", "fail", "requeue"]


class Transition(NamedTuple):
    before: frozenset[EvaluationState]
    after: EvaluationState


_RUNNING = frozenset({EvaluationState.RUNNING})
WORKER_STEPS: Mapping[WorkerStep, Transition] = {
    # a running one, if its lease has expired
    "claim": Transition(_RUNNING | {EvaluationState.QUEUED}, EvaluationState.RUNNING),
    "store scores": Transition(_RUNNING, EvaluationState.SCORED),
    "ask": Transition(_RUNNING, EvaluationState.NEEDS_ANSWER),
    "fail": Transition(_RUNNING, EvaluationState.FAILED),
    "requeue": Transition(_RUNNING, EvaluationState.QUEUED),
}

# What a board shows in these states, or as a tombstone afterwards.
_ON_THE_BOARD = frozenset[str]({SubmissionState.PUBLISHED, SubmissionState.HIDDEN})


def lock_for(
    action: Action, submission: Submission, *, by: User | None, reason: str = ""
) -> Submission:
    """The row, locked until the transaction ends, so that of two requests at once the second waits.

    Raises ``StateError`` if this user may not do it, or not in the state that it has by now.
    """
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    now = Situation(by, locked)
    check_allowed(action, now)
    if now.actors & ACTIONS[action].needs_reason and not reason.strip():
        raise StateError("Please give a reason.", "reason_missing")
    return locked


def change_submission(
    submission: Submission, action: Action, *, by: User | None, reason: str = ""
) -> Submission:
    """Take an action that changes the state of the submission, and log it.

    Returns the submission as it is now. Raises ``StateError``.
    """
    after = ACTIONS[action].after
    if after is None:
        raise ValueError(f"“{action}” does not change the state of a submission")
    with transaction.atomic():
        locked = lock_for(action, submission, by=by, reason=reason)
        before, locked.state = locked.state, after
        if action == Action.UNDO_DECISION:
            remove_slug(locked)
        if after not in REQUESTED:
            locked.claimed_by = locked.claimed_at = None
        locked.save(update_fields=["state", "claimed_by", "claimed_at"])
        write_audit_entry(locked, action, before, after, by=by, reason=reason.strip())
        if after == SubmissionState.PUBLISHED:
            assign_slug(locked)
        if not _ON_THE_BOARD.isdisjoint({before, after}):
            raise_board_version()
    return locked


def change_evaluation_as(
    evaluation: Evaluation,
    action: Action,
    *,
    by: User,
    reason: str = "",
    **values: Any,
) -> None:
    """Take an action that changes the state of an evaluation, and log it. Raises ``StateError``."""
    after = ACTIONS[action].evaluation_after
    if after is None:
        raise ValueError(f"“{action}” does not change the state of an evaluation")
    with transaction.atomic():
        # The submission first, as when one is deleted: otherwise the two could deadlock.
        submission = Submission.objects.select_for_update().get(pk=evaluation.submission_id)
        locked = submission.evaluations.select_for_update().get(pk=evaluation.pk)
        check_allowed(action, Situation(by, submission, locked))
        submission.evaluations.filter(pk=locked.pk).update(state=after, **values)
        write_audit_entry(submission, action, locked.state, after, by=by, reason=reason)


def change_evaluation(step: WorkerStep, rows: QuerySet[Evaluation], **values: Any) -> int:
    """Take a step of a worker with those of the rows whose state allows it, in one UPDATE.

    Returns how many there were: none where another worker was faster.
    """
    transition = WORKER_STEPS[step]
    return rows.filter(state__in=transition.before).update(state=transition.after, **values)


def write_audit_entry(
    submission: Submission,
    action: Action,
    before: str,
    after: str,
    *,
    by: User | None,
    reason: str = "",
) -> None:
    """Call it in the transaction of the change that it records, as late there as possible: until it
    ends, no other entry can be written (``portal.models.audit``).
    """
    AuditEntry.objects.create(
        submission=submission, actor=by, action=action, before=before, after=after, reason=reason
    )
