"""Who may do what.

What people may do to a submission is one table, ``ACTIONS``; ``portal.states`` applies it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple

from django.db.models.functions import Now
from django.utils.functional import cached_property

from portal.errors import NotAllowedError, StateError
from portal.models import (
    Action,
    Evaluation,
    EvaluationState,
    Role,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.access import owns, with_predictions_of

UNDO_WITHIN = timedelta(minutes=15)  # of a reviewer's own decision

Actor = Literal["owner", "reviewer", "admin", "site"]  # site: a worker or a command
Actors = frozenset[Actor]

_OWNER: Actors = frozenset({"owner"})
_REVIEWER: Actors = frozenset({"reviewer"})
_ADMIN: Actors = frozenset({"admin"})
_SITE: Actors = frozenset({"site"})
_ROLES: Mapping[str, Actors] = {  # what a user is to the submissions of others
    Role.AUTHOR: frozenset(),
    Role.REVIEWER: _REVIEWER,
    Role.ADMIN: _REVIEWER | _ADMIN,
}


def actors(submission: Submission, user: User | None) -> Actors:
    """What a user is to a submission; None is the site itself. An owner is nothing but its owner:
    reviewers and admins do not decide about their own submissions."""
    if user is None:
        return _SITE
    return _OWNER if owns(user, submission) else _ROLES[user.acting_role]


class Situation:
    """What the rules ask about a user and a submission; each question is queried at most once."""

    def __init__(
        self, user: User | None, submission: Submission, evaluation: Evaluation | None = None
    ) -> None:
        self.user = user
        self.submission = submission
        self.actors = actors(submission, user)
        self._evaluation = evaluation

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """The one that is acted upon: if none is named, the newest."""
        return self._evaluation or self.submission.evaluations.first()

    @cached_property
    def has_scores(self) -> bool:
        return self.submission.evaluations.scored().exists()

    @cached_property
    def is_being_scored(self) -> bool:
        return self.submission.evaluations.open().exists()

    @cached_property
    def was_in_review(self) -> bool:
        return self.submission.audit_entries.filter(after=SubmissionState.IN_REVIEW).exists()

    @cached_property
    def partial_tasks(self) -> list[str]:
        """The tasks with fewer answers than the release asks for, by the newest scores."""
        scored = self.submission.evaluations.scored().first()
        return scored.partial_tasks() if scored else []

    @cached_property
    def user_has_just_decided(self) -> bool:
        """Whether the user made the newest decision about it, by the database's clock."""
        if self.user is None:
            return False
        entries = self.submission.audit_entries
        newest = entries.filter(action__in=PUBLICATION_ACTIONS).order_by("-number").values("pk")
        decided = entries.filter(
            pk=newest[:1],
            action__in=(Action.PUBLISH, Action.SCHEDULE, Action.REJECT),
            actor=self.user,
            at__gt=Now() - UNDO_WITHIN,
        )
        return decided.exists()

    @cached_property
    def user_has_same_predictions(self) -> bool:
        return self.user is not None and bool(with_predictions_of(self.user, [self.submission]))


class Condition(NamedTuple):
    holds: Callable[[Situation], bool]
    code: str
    otherwise: str  # what a refused user reads


_HAS_SCORES = Condition(
    lambda now: now.has_scores,
    "no_scores",
    "This is possible as soon as there are scores.",
)
_IS_NOT_BEING_SCORED = Condition(
    lambda now: not now.is_being_scored,
    "being_scored",
    "It is already being scored.",
)
_HAS_ENOUGH_ANSWERS = Condition(
    lambda now: not now.partial_tasks,
    "too_few_answers",
    (
        "Too many answers are missing. Submit a new version with more of them, or without the "
        "tasks that are only partly answered."
    ),
)
_HAS_JUST_DECIDED = Condition(
    lambda now: now.user_has_just_decided,
    "too_late_to_undo",
    "Only the reviewer who decided can undo it, within 15 minutes.",
)
_HAS_OTHER_PREDICTIONS = Condition(  # whichever account they were submitted from
    lambda now: not now.user_has_same_predictions,
    "same_predictions",
    "You have submitted exactly the same predictions, so another reviewer has to decide.",
)
_ONLY_WITHDRAWN = "It has been in review, so it can only be withdrawn."
_WAS_NEVER_IN_REVIEW = Condition(
    lambda now: not now.was_in_review, "was_in_review", _ONLY_WITHDRAWN
)
_HAS_A_DAY = Condition(
    lambda now: now.submission.publish_on is not None,
    "no_day",
    "Its author has not asked for a later day.",
)
_RELEASE_IS_OPEN = Condition(
    lambda now: now.submission.release.accepts_submissions,
    "release_closed",
    "This release is closed for submissions.",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """By whom, in which states and under which conditions an action is allowed."""

    actors: Actors
    # of the submission, before and after; None: any state, which stays as it is
    states: frozenset[SubmissionState] | None = None
    after: SubmissionState | None = None
    otherwise: str = ""  # in another state; empty: a general sentence
    # of the evaluation, in the same way
    evaluation_state: EvaluationState | None = None
    evaluation_after: EvaluationState | None = None
    conditions: tuple[Condition, ...] = ()
    needs_reason: Actors = frozenset()  # which of the actors have to give one


_S, _E = SubmissionState, EvaluationState
REQUESTED = frozenset({_S.IN_REVIEW, _S.QUESTION})
# fmt: off
ACTIONS: Mapping[Action, Rule] = {
    Action.REQUEST_PUBLICATION: Rule(
        _OWNER, frozenset({_S.PRIVATE, _S.REJECTED}), _S.IN_REVIEW,
        conditions=(_HAS_SCORES, _HAS_ENOUGH_ANSWERS),
    ),
    Action.CANCEL_REQUEST: Rule(_OWNER, REQUESTED, _S.PRIVATE),
    Action.CLAIM: Rule(_REVIEWER, REQUESTED),
    Action.ASK_AUTHOR: Rule(
        _REVIEWER, frozenset({_S.IN_REVIEW}), _S.QUESTION,
        conditions=(_HAS_OTHER_PREDICTIONS,), needs_reason=_REVIEWER,
    ),
    Action.REPLY: Rule(
        _OWNER, frozenset({_S.QUESTION}), _S.IN_REVIEW, needs_reason=_OWNER,
    ),
    Action.PUBLISH: Rule(
        _REVIEWER, REQUESTED, _S.PUBLISHED,
        conditions=(_HAS_SCORES, _HAS_OTHER_PREDICTIONS), needs_reason=_REVIEWER,
    ),
    Action.SCHEDULE: Rule(  # as a decision to publish, which comes true on the day asked for
        _REVIEWER, REQUESTED, _S.SCHEDULED,
        conditions=(_HAS_SCORES, _HAS_OTHER_PREDICTIONS, _HAS_A_DAY), needs_reason=_REVIEWER,
    ),
    Action.OPEN: Rule(_SITE, frozenset({_S.SCHEDULED}), _S.PUBLISHED),
    Action.RESCHEDULE: Rule(
        _OWNER | _ADMIN, REQUESTED | {_S.SCHEDULED}, needs_reason=_ADMIN,
    ),
    Action.SHOW_ACCOUNT: Rule(_OWNER, frozenset({_S.SCHEDULED, _S.PUBLISHED, _S.HIDDEN})),
    Action.PUBLISH_HISTORICAL: Rule(
        _SITE, frozenset({_S.PRIVATE}), _S.PUBLISHED, conditions=(_HAS_SCORES,),
    ),
    Action.REJECT: Rule(
        _REVIEWER, REQUESTED | {_S.SCHEDULED}, _S.REJECTED,
        conditions=(_HAS_OTHER_PREDICTIONS,), needs_reason=_REVIEWER,
    ),
    Action.UNDO_DECISION: Rule(
        _REVIEWER, frozenset({_S.SCHEDULED, _S.PUBLISHED, _S.REJECTED}), _S.IN_REVIEW,
        conditions=(_HAS_JUST_DECIDED,),
    ),
    Action.HIDE: Rule(
        _ADMIN, frozenset({_S.PUBLISHED}), _S.HIDDEN,
        conditions=(_HAS_OTHER_PREDICTIONS,), needs_reason=_ADMIN,
    ),
    Action.RESTORE: Rule(
        _ADMIN, frozenset({_S.HIDDEN}), _S.PUBLISHED,
        conditions=(_HAS_SCORES, _HAS_OTHER_PREDICTIONS), needs_reason=_ADMIN,
    ),
    Action.WITHDRAW: Rule(  # for good: a tombstone stays
        _OWNER | _ADMIN, frozenset(_S) - {_S.WITHDRAWN}, _S.WITHDRAWN, needs_reason=_ADMIN,
    ),
    Action.ANSWER: Rule(
        _OWNER, evaluation_state=_E.NEEDS_ANSWER, evaluation_after=_E.QUEUED,
        otherwise="There is no open question about these files.",
    ),
    Action.TRY_AGAIN: Rule(
        _OWNER | _REVIEWER | _ADMIN, evaluation_state=_E.FAILED, evaluation_after=_E.QUEUED,
        conditions=(_IS_NOT_BEING_SCORED,),
    ),
    Action.SCORE_AGAIN: Rule(
        _OWNER | _REVIEWER | _ADMIN, frozenset(_S) - {_S.WITHDRAWN},
        conditions=(_IS_NOT_BEING_SCORED,),
    ),
    Action.EDIT_SETTINGS: Rule(
        _OWNER, frozenset({_S.PRIVATE, _S.REJECTED, _S.QUESTION}),
        otherwise=("This can only be changed while the submission is private or "
                               "rejected, or while a reviewer's question is open."),
    ),
    Action.SUBMIT_NEW_VERSION: Rule(_OWNER, conditions=(_RELEASE_IS_OPEN,)),
    Action.DELETE: Rule(
        _OWNER, frozenset({_S.PRIVATE}), otherwise=_ONLY_WITHDRAWN,
        conditions=(_WAS_NEVER_IN_REVIEW,),
    ),
}
# fmt: on
# Those that change the state of the submission.
PUBLICATION_ACTIONS = frozenset(action for action, rule in ACTIONS.items() if rule.after)


def can(user: User | None, action: Action, submission: Submission) -> bool:
    return why_not(user, action, submission) is None


def why_not(user: User | None, action: Action, submission: Submission) -> StateError | None:
    """Why this user may not do it; None where they may."""
    return _refusal(action, Situation(user, submission))


def allowed_actions(
    user: User | None,
    submission: Submission,
    evaluation: Evaluation | None = None,
    *,
    among: Iterable[Action] = ACTIONS,
) -> frozenset[Action]:
    """What this user may do now. ``evaluation``: the newest, if it is loaded already."""
    now = Situation(user, submission, evaluation)
    return frozenset(action for action in among if _refusal(action, now) is None)


def check_allowed(action: Action, now: Situation) -> None:
    """Raises ``StateError``, which says why not."""
    if refusal := _refusal(action, now):
        raise refusal


def _refusal(action: Action, now: Situation) -> StateError | None:
    rule = ACTIONS[action]
    if not now.actors & rule.actors:
        return NotAllowedError()
    if rule.states is not None and now.submission.state not in rule.states:
        is_over = now.submission.state == SubmissionState.WITHDRAWN  # there is nothing else to do
        otherwise = "" if is_over else str(rule.otherwise)
        return StateError(otherwise or _wrong_state(now.submission), "wrong_state")
    if rule.evaluation_state is not None:
        if now.evaluation is None:
            return NotAllowedError()
        if now.evaluation.state != rule.evaluation_state:
            return StateError(str(rule.otherwise) or _wrong_state(now.evaluation), "wrong_state")
    for condition in rule.conditions:
        if not condition.holds(now):
            return StateError(str(condition.otherwise), condition.code)
    return None


def _wrong_state(row: Submission | Evaluation) -> str:
    if row.state == SubmissionState.PRIVATE:
        return "The author has not requested publication."
    return f"Its status is now “{row.get_state_display()}”, so this is no longer possible."
