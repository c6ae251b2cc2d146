"""What the reader of a submission's page can do next: one primary button, and the others."""

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from portal.models import Action, SubmissionState


class Step(StrEnum):
    TRY_AGAIN = "try again"
    REPLY = "reply"
    REVIEW = "review"
    REQUEST = "request"
    NEW_VERSION = "new version"
    ENTRY = "entry"  # to look at
    SCHEDULE = "schedule"
    EDIT = "edit"
    CANCEL_REQUEST = "cancel request"
    WITHDRAW = "withdraw"
    DELETE = "delete"


_ACTIONS = {
    Action.TRY_AGAIN: Step.TRY_AGAIN,
    Action.REPLY: Step.REPLY,
    Action.REQUEST_PUBLICATION: Step.REQUEST,
    Action.SUBMIT_NEW_VERSION: Step.NEW_VERSION,
    Action.EDIT_SETTINGS: Step.EDIT,
    Action.RESCHEDULE: Step.SCHEDULE,
    Action.CANCEL_REQUEST: Step.CANCEL_REQUEST,
    Action.WITHDRAW: Step.WITHDRAW,
    Action.DELETE: Step.DELETE,
}
_DECISIONS = {Action.PUBLISH, Action.REJECT, Action.HIDE, Action.RESTORE}
_MAY_CONCERN_SETTINGS = {SubmissionState.QUESTION, SubmissionState.REJECTED}
_WAITING = {
    SubmissionState.IN_REVIEW,
    SubmissionState.QUESTION,
    SubmissionState.SCHEDULED,
    SubmissionState.WITHDRAWN,
}


class NextSteps(NamedTuple):
    primary: Step | None  # None: there is nothing to do but wait, or answer a question
    others: list[Step]


def next_steps(
    actions: Collection[Action],
    state: str,
    *,
    is_busy: bool,
    needs_new_version: bool,
) -> NextSteps:
    """``is_busy``: it is being scored, or has a question with buttons of its own.
    ``needs_new_version``: its scores are unreliable or incomplete, or it was rejected, so
    requesting publication would not help."""
    offered = {step for action, step in _ACTIONS.items() if action in actions}
    if not _DECISIONS.isdisjoint(actions):
        offered.add(Step.REVIEW)
    if state == SubmissionState.PUBLISHED:
        offered.add(Step.ENTRY)
    if state not in _MAY_CONCERN_SETTINGS:  # the page's settings have a link of their own
        offered.discard(Step.EDIT)
    if Step.DELETE in offered:  # which leaves no tombstone
        offered.discard(Step.WITHDRAW)
    order = [Step.TRY_AGAIN, Step.REPLY, Step.REVIEW, Step.ENTRY]
    order += [Step.NEW_VERSION, Step.REQUEST] if needs_new_version else [Step.REQUEST]
    if state not in _WAITING:
        order.append(Step.NEW_VERSION)
    primary = None if is_busy else next((step for step in order if step in offered), None)
    return NextSteps(primary, [step for step in Step if step in offered - {primary}])
