"""The states of a submission and of an evaluation, and the only functions that change them.

What can be done, from where to where and by whom, is one table for each; the code reads the tables.
A change of a submission leaves an audit entry in the same transaction, and so does what a person
does to an evaluation.
"""

from typing import Any, Literal, NamedTuple, Protocol

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from portal.board_version import raise_board_version
from portal.errors import NotAllowedError, StateError
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
    needs_reason: Actors = frozenset()  # of those of the actors
    needs_scores: bool = False


class EvaluationTransition(NamedTuple):
    before: frozenset[EvaluationState]
    after: EvaluationState
    actors: Actors


_OWNER: Actors = frozenset({"owner"})
_REVIEWER: Actors = frozenset({"reviewer"})
_ADMIN: Actors = frozenset({"admin"})
_SITE: Actors = frozenset({"site"})
_ROLES: dict[str, Actors] = {  # what people are to what others handed in
    Role.AUTHOR: frozenset(),
    Role.REVIEWER: _REVIEWER,
    Role.ADMIN: _REVIEWER | _ADMIN,
}

# fmt: off
S = SubmissionState
TRANSITIONS: dict[str, Transition] = {
    "ask for publication": Transition(
        frozenset({S.PRIVATE, S.REJECTED}), S.IN_REVIEW, _OWNER, needs_scores=True
    ),
    "publish": Transition(
        frozenset({S.IN_REVIEW}), S.PUBLISHED, _REVIEWER, _REVIEWER, needs_scores=True
    ),
    "publish historical": Transition(
        frozenset({S.PRIVATE}), S.PUBLISHED, _SITE, needs_scores=True
    ),
    "reject": Transition(frozenset({S.IN_REVIEW}), S.REJECTED, _REVIEWER, _REVIEWER),
    "hide": Transition(frozenset({S.PUBLISHED}), S.HIDDEN, _ADMIN, _ADMIN),
    "restore": Transition(
        frozenset({S.HIDDEN}), S.PUBLISHED, _ADMIN, _ADMIN, needs_scores=True
    ),
    # for good: a tombstone stays
    "withdraw": Transition(frozenset(S) - {S.WITHDRAWN}, S.WITHDRAWN, _OWNER | _ADMIN, _ADMIN),
}

# Of what a board shows, or leaves a tombstone when it is withdrawn.
_SHOWN: frozenset[str] = frozenset({S.PUBLISHED, S.HIDDEN})

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


def actors(submission: Submission, user: User | None) -> Actors:
    """What somebody is to a submission; None is the site itself. Nobody reviews their own."""
    if user is None:
        return _SITE
    return _OWNER if submission.owner_id == user.pk else _ROLES[user.role]


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


def allowed_evaluation_actions(evaluation: Evaluation, user: User) -> list[str]:
    """The same for an evaluation."""
    mine = actors(evaluation.submission, user)
    return [
        name
        for name, transition in EVALUATION_TRANSITIONS.items()
        if evaluation.state in transition.before and mine & transition.actors
    ]


def change_submission(
    submission: Submission, action: str, *, by: User | None, reason: str = ""
) -> Submission:
    """Take an action of the table, and write it down. Returns the submission as it is now.

    Whoever comes second waits for the first. Raises ``StateError`` where the person may not, or
    where the state is another by then.
    """
    transition = TRANSITIONS[action]
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        before, mine = locked.state, actors(locked, by)
        _check(transition, locked, mine)
        if mine & transition.needs_reason and not reason.strip():
            raise StateError(_("Please give a reason."))
        if transition.needs_scores and not locked.evaluations.scored().exists():
            raise StateError(_("This can be done as soon as there are scores."))
        locked.state = transition.after
        locked.save(update_fields=["state"])
        write_audit_entry(locked, action, before, transition.after, by=by, reason=reason.strip())
        if not _SHOWN.isdisjoint({before, transition.after}):
            raise_board_version()
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
        # The submission first, as whoever deletes it does: so neither waits for the other for ever.
        submission = Submission.objects.select_for_update().get(pk=evaluation.submission_id)
        locked = submission.evaluations.select_for_update().get(pk=evaluation.pk)
        _check(transition, locked, actors(submission, by))
        if submission.evaluations.open().exclude(pk=locked.pk).exists():
            raise StateError(_("It is being scored already."))
        change_evaluation(action, submission.evaluations.filter(pk=locked.pk), **values)
        write_audit_entry(submission, action, locked.state, transition.after, by=by)


def write_audit_entry(
    submission: Submission,
    action: str,
    before: str,
    after: str,
    *,
    by: User | None,
    reason: str = "",
) -> None:
    """Write an audit entry; in the transaction of what it tells, and as late in it as can be:
    from here to its end nobody else writes one (``portal.models.audit``).
    """
    AuditEntry.objects.create(
        submission=submission, actor=by, action=action, before=before, after=after, reason=reason
    )


class _Rule(Protocol):
    @property
    def before(self) -> "frozenset[Any]": ...
    @property
    def actors(self) -> Actors: ...


def _check(rule: _Rule, row: Submission | Evaluation, mine: Actors) -> None:
    if not mine & rule.actors:
        raise NotAllowedError
    if row.state not in rule.before and row.state == SubmissionState.PRIVATE:
        raise StateError(_("Its author has not asked for publication."))
    if row.state not in rule.before:
        raise StateError(
            _("This is “%(state)s” by now, so it cannot be done any more.")
            % {"state": row.get_state_display()}
        )
