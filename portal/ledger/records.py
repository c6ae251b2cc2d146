"""Write to the ledger, in the transaction of the recorded change and late in it: no other entry can
be written until it ends. The audit log is locked before, the version of the board after."""

import json
import secrets
from collections.abc import Mapping

from portal.ledger.attempts import attempt_of, by_authors_of, fingerprint_of, group_of, of_model
from portal.models import (
    Action,
    Attempt,
    AuditEntry,
    Decision,
    LabelDispute,
    LanguageModel,
    LedgerEntry,
    LedgerHead,
    Opening,
    Role,
    Submission,
    SubmissionState,
    User,
)

_ON_BOARD = (SubmissionState.PUBLISHED, SubmissionState.HIDDEN)
_DECISIONS: Mapping[Action, Decision.Kind] = {
    Action.SEAL: Decision.Kind.SEALED,
    Action.PUBLISH: Decision.Kind.PUBLISHED,
    Action.OPEN: Decision.Kind.PUBLISHED,
    Action.PUBLISH_HISTORICAL: Decision.Kind.PUBLISHED,
    Action.UNDO_DECISION: Decision.Kind.UNDONE,
    Action.HIDE: Decision.Kind.HIDDEN,
    Action.RESTORE: Decision.Kind.RESTORED,
    Action.WITHDRAW: Decision.Kind.REMOVED,
}


def record_attempt(submission: Submission, predictions_hash: str, *, in_part: bool) -> None:
    """Count these predictions, unless they were counted before, or are the site's own."""
    group, release = group_of(submission), submission.release.slug
    if submission.owner_id is None:
        return
    model = submission.real_model
    predictions = fingerprint_of(predictions_hash, drop_first=submission.drop_first)
    _lock_chain()
    of_group = Attempt.objects.filter(group=group, release=release)
    same = of_group.filter(language_model=model.slug, predictions=predictions)
    own = Attempt.objects.filter(submission=submission, release=release)
    if same.exists() or own.exists():
        return
    before = by_authors_of(submission)
    content = {
        "group": group,
        "model": model.slug,
        "release": release,
        "predictions": predictions,
        "in_part": in_part,
        "number_of_model": of_model(before, model).count() + 1,
    }
    Attempt.objects.create(
        entry=_append(LedgerEntry.Kind.ATTEMPT, release, content),
        submission=submission,
        group=group,
        owner=submission.owner_id,
        language_model=model.slug,
        release=release,
        predictions=predictions,
        in_part=in_part,
    )


def record_decision(
    submission: Submission, action: Action, before: str, *, by: User | None, reason: str = ""
) -> None:
    """Record it if it changes what everybody can see now or later. The reason is public, except
    when an author withdraws an entry: that reason is for reviewers. The reason for sealing an entry
    is repeated when it opens."""
    kind = _DECISIONS.get(action)
    to_board = kind in (Decision.Kind.PUBLISHED, Decision.Kind.SEALED)
    unsealed = before == SubmissionState.SEALED and kind is Decision.Kind.UNDONE
    if kind is None or not (to_board or unsealed or before in _ON_BOARD):
        return
    if action == Action.OPEN:
        sealed = AuditEntry.objects.filter(submission=submission, action=Action.SEAL)
        reason = sealed.latest("number").reason
    role = _role(submission, by)
    if kind is Decision.Kind.REMOVED and role is Decision.Role.AUTHOR:
        kind, reason = Decision.Kind.WITHDRAWN, ""
    attempt = attempt_of(submission) if kind is Decision.Kind.PUBLISHED else None
    decision = _decide(submission, kind, role, reason, attempt)
    if attempt:
        _open(decision, submission)


def open_attempts_of_merged(model: LanguageModel) -> None:
    """Open the attempts of a model that was merged into this one: its entries were chosen from
    them too."""
    published = Decision.objects.filter(attempt__isnull=False, submission__language_model=model)
    for decision in published.select_related("submission__release", "submission__language_model"):
        if decision.submission:
            _open(decision, decision.submission)


def record_rescoring(submission: Submission) -> None:
    """Record that an entry on the board was scored again, by whoever last asked for it."""
    asked = AuditEntry.objects.filter(submission=submission, action=Action.SCORE_AGAIN)
    newest = asked.select_related("actor").order_by("-number").first()
    role = _role(submission, newest.actor if newest else None)
    _decide(submission, Decision.Kind.SCORED_AGAIN, role, "")


def record_relabelling(dispute: LabelDispute, *, by: User) -> None:
    """What became of a doubt about a label that everybody may see."""
    if dispute.release.hidden:
        return
    role = Decision.Role.ADMIN if by.role == Role.ADMIN else Decision.Role.REVIEWER
    content = {
        "decision": Decision.Kind.RELABELLED,
        "release": dispute.release.slug,
        "task": dispute.example.data_set.task,
        "example": dispute.example.key,
        "outcome": dispute.outcome,
        "role": role,
        "reason": dispute.decision,
    }
    _lock_chain()
    entry = _append(LedgerEntry.Kind.DECISION, dispute.release.slug, content)
    Decision.objects.create(entry=entry, kind=Decision.Kind.RELABELLED, role=role, dispute=dispute)


def _role(submission: Submission, user: User | None) -> Decision.Role:
    if user is None:
        return Decision.Role.SITE
    if submission.owner_id == user.pk:
        return Decision.Role.AUTHOR
    return Decision.Role.ADMIN if user.role == Role.ADMIN else Decision.Role.REVIEWER


def _decide(
    submission: Submission,
    kind: Decision.Kind,
    role: Decision.Role,
    reason: str,
    attempt: Attempt | None = None,
) -> Decision:
    # Without its title: that may be the real name of an entry that is anonymous for a while.
    release = submission.release.slug
    content = {
        "decision": kind,
        "entry": str(submission.pk),
        "release": release,
        "role": role,
        "reason": reason,
    }
    _lock_chain()
    return Decision.objects.create(
        entry=_append(LedgerEntry.Kind.DECISION, release, content),
        kind=kind,
        role=role,
        submission=submission,
        attempt=attempt,
    )


def _open(decision: Decision, submission: Submission) -> None:
    chosen_from = of_model(by_authors_of(submission), submission.real_model)
    until = chosen_from.filter(entry__lt=decision.entry_id)
    rows = [Opening(attempt=attempt, decision=decision) for attempt in until]
    Opening.objects.bulk_create(rows, ignore_conflicts=True)


def _lock_chain() -> None:
    """Until the transaction ends, so that no attempt is missing where they are counted."""
    LedgerHead.objects.get_or_create(pk=1, defaults={"entries": 0, "hash": ""})
    LedgerHead.objects.select_for_update().get(pk=1)


def _append(kind: LedgerEntry.Kind, release: str, content: Mapping[str, object]) -> LedgerEntry:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    key = secrets.token_hex(32)
    return LedgerEntry.objects.create(kind=kind, release=release, key=key, content=text)
