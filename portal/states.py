"""The states of a submission and of an evaluation, and the only functions that change them.

What can be done, from where to where and by whom, is one table for each; the code reads the tables.
A change of a submission leaves an audit entry in the same transaction, and so does what a person
does to an evaluation.
"""

from typing import Any, Literal, NamedTuple, Protocol

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from portal.models import (
    AuditEntry,
    Evaluation,
    EvaluationState,
    Role,
    Submission,
    SubmissionState,
    User,
)

Actor = Literal["owner", "reviewer", "admin", "site"]  # site: a worker or the sweeper
Actors = frozenset[Actor]


class Transition(NamedTuple):
    before: frozenset[SubmissionState]
    after: SubmissionState
    actors: Actors
    needs_reason: bool = False
    needs_scores: bool = False


class EvaluationTransition(NamedTuple):
    before: frozenset[EvaluationState]
    after: EvaluationState
    actors: Actors


_OWNER: Actors = frozenset({"owner"})
_REVIEWER: Actors = frozenset({"reviewer"})
_SITE: Actors = frozenset({"site"})

# fmt: off
S = SubmissionState
TRANSITIONS: dict[str, Transition] = {
    "ask for publication": Transition(
        frozenset({S.PRIVATE, S.REJECTED}), S.IN_REVIEW, _OWNER, needs_scores=True
    ),
    "publish": Transition(
        frozenset({S.IN_REVIEW}), S.PUBLISHED, _REVIEWER, needs_reason=True, needs_scores=True
    ),
    "publish historical": Transition(
        frozenset({S.PRIVATE}), S.PUBLISHED, _SITE, needs_scores=True
    ),
    "reject": Transition(frozenset({S.IN_REVIEW}), S.REJECTED, _REVIEWER, needs_reason=True),
    "withdraw": Transition(
        frozenset(S) - {S.WITHDRAWN}, S.WITHDRAWN, frozenset({"owner", "admin"})
    ),
}

E = EvaluationState
EVALUATION_TRANSITIONS: dict[str, EvaluationTransition] = {
    # running: when its lease has run out
    "claim": EvaluationTransition(frozenset({E.QUEUED, E.RUNNING}), E.RUNNING, _SITE),
    "store scores": EvaluationTransition(frozenset({E.RUNNING}), E.SCORED, _SITE),
    "ask": EvaluationTransition(frozenset({E.RUNNING}), E.NEEDS_ANSWER, _SITE),
    "fail": EvaluationTransition(frozenset({E.RUNNING}), E.FAILED, _SITE),
    "give back": EvaluationTransition(frozenset({E.RUNNING}), E.QUEUED, _SITE),
    "answer": EvaluationTransition(frozenset({E.NEEDS_ANSWER}), E.QUEUED, _OWNER),
    "try again": EvaluationTransition(
        frozenset({E.FAILED}), E.QUEUED, frozenset({"owner", "reviewer", "admin"})
    ),
}
# fmt: on


class StateError(Exception):
    """The action does not fit the state or the person; the message is for the person."""


def actors(submission: Submission, user: User | None) -> Actors:
    """What somebody is to a submission; None is the site itself. Nobody reviews their own."""
    if user is None:
        return _SITE
    found: set[Actor] = set()
    if submission.owner_id == user.pk:
        found.add("owner")
    elif user.is_reviewer:
        found.add("reviewer")
    if user.role == Role.ADMIN:
        found.add("admin")
    return frozenset(found)


def allowed_actions(submission: Submission, user: User) -> list[str]:
    """The names of the actions that this person may take now, in the order of the table."""
    mine = actors(submission, user)
    has_scores = submission.evaluations.scored().exists()
    return [
        name
        for name, transition in TRANSITIONS.items()
        if submission.state in transition.before
        and mine & transition.actors
        and (has_scores or not transition.needs_scores)
    ]


def change_submission(
    submission: Submission, action: str, *, by: User | None, reason: str = ""
) -> Submission:
    """Take an action of the table, and write it down. Returns the submission as it is now.

    Raises ``StateError`` where the person may not, or where the state is another by now.
    """
    transition = TRANSITIONS[action]
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        before = locked.state
        _check(transition, before, actors(locked, by))
        if transition.needs_reason and not reason.strip():
            raise StateError(_("Please give a reason."))
        if transition.needs_scores and not locked.evaluations.scored().exists():
            raise StateError(_("This can be done as soon as there are scores."))
        locked.state = transition.after
        locked.save(update_fields=["state"])
        note(locked, action, before, transition.after, by=by, reason=reason)
    return locked


def change_evaluation(action: str, rows: "QuerySet[Evaluation]", **values: Any) -> int:  # noqa: ANN401 - any column's
    """Take an action of the table on those of the rows whose state allows it, in one UPDATE.

    Returns how many there were: none where somebody else was faster.
    """
    transition = EVALUATION_TRANSITIONS[action]
    return rows.filter(state__in=transition.before).update(state=transition.after, **values)


def change_evaluation_as(
    evaluation: Evaluation,
    action: str,
    *,
    by: User,
    **values: Any,  # noqa: ANN401 - any column's
) -> None:
    """Take one of the actions of people, and write it down. Raises ``StateError``."""
    transition = EVALUATION_TRANSITIONS[action]
    with transaction.atomic():
        locked = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        _check(transition, locked.state, actors(locked.submission, by))
        change_evaluation(action, Evaluation.objects.filter(pk=locked.pk), **values)
        note(locked.submission, action, locked.state, transition.after, by=by)


def note(
    submission: Submission,
    action: str,
    before: str,
    after: str,
    *,
    by: User | None,
    reason: str = "",
) -> None:
    """Write an audit entry; in the transaction of what it tells."""
    AuditEntry.objects.create(
        submission=submission, actor=by, action=action, before=before, after=after, reason=reason
    )


class _Rule(Protocol):
    @property
    def before(self) -> "frozenset[Any]": ...
    @property
    def actors(self) -> Actors: ...


def _check(rule: _Rule, state: str, mine: Actors) -> None:
    if not mine & rule.actors:
        raise StateError(_("You may not do this."))
    if state not in rule.before:
        raise StateError(
            _("This is “%(state)s” by now, so it cannot be done any more.") % {"state": state}
        )
