"""When an entry becomes public, and until when it is anonymous, as its author wishes.

Times are absolute; a page that asks for one states the time zone.
"""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Min
from django.utils.timezone import now

from portal.errors import StateError
from portal.mail.outbox import notify_author
from portal.models import Action, Submission, SubmissionState, User
from portal.permissions.access import owns
from portal.review.openings import name_entry, open_entry
from portal.review.siblings import (
    changed_day,
    common_end,
    is_known,
    lock_family,
    move_end,
    nameless_among,
    pending_among,
    siblings_of,
)
from portal.states import lock_for, write_audit_entry

LONGEST = timedelta(days=366)  # from the decision; before it, from now


class Schedule(NamedTuple):
    publish_on: datetime | None = None  # None: as soon as it is approved
    anonymous_until: datetime | None = None  # None: with its name from the start


def ask_for_schedule(submission: Submission, schedule: Schedule, *, by: User) -> None:
    """Called with the request for publication, its row and the family locked. If siblings are still
    anonymous, the entry takes over their day, unless its author asks for another, which then
    applies to all of them.

    Raises ``StateError``.
    """
    end = common_end(nameless_among(siblings_of(submission)))
    is_early = end is not None and (schedule.publish_on or now()) < end
    if is_early and schedule.anonymous_until is None and not is_known(submission):
        schedule = schedule._replace(anonymous_until=end)
    _set_schedule(submission, schedule)
    _move_siblings(submission, by=by)


def _set_schedule(submission: Submission, schedule: Schedule) -> list[str]:
    """Store it, and return the changes as lines for the audit log."""
    before = schedule_of(submission)
    check_schedule(submission, schedule)
    changes = []
    for name, old, new in zip(Schedule._fields, before, schedule, strict=True):
        if old != new:
            changes.append(changed_day(name, old, new))
            setattr(submission, name, new)
    submission.save(update_fields=list(Schedule._fields))
    return changes


def _move_siblings(submission: Submission, *, by: User, reason: str = "") -> None:
    """Move the siblings' end of anonymity to that of this one, if it has one."""
    end = submission.anonymous_until
    if end is None or end <= now():
        return
    for one in nameless_among(siblings_of(submission)):
        if one.anonymous_until != end:
            _check_may_move(one, by)
            move_end(one, end, by=by, reason=reason)
            if not owns(by, one):
                notify_author(one)


def _check_may_move(sibling: Submission, by: User) -> None:
    if not (owns(by, sibling) or by.is_admin):
        raise StateError(
            (
                "Somebody else has an entry with this model. "
                f"It is anonymous until {sibling.anonymous_until:%Y-%m-%d %H:%M} UTC, so this "
                "one has to be, too."
            ),
            "anonymous_until_others",
        )


def schedule_of(submission: Submission) -> Schedule:
    return Schedule(submission.publish_on, submission.anonymous_until)


def reschedule(submission: Submission, schedule: Schedule, *, by: User, reason: str = "") -> None:
    """Change it while the entry is not fully public. Without a date, what waited for it happens at
    once.

    Raises ``StateError``.
    """
    with transaction.atomic():
        lock_family(submission)
        locked = lock_for(Action.RESCHEDULE, submission, by=by, reason=reason)
        if locked.state == SubmissionState.PUBLISHED:
            schedule = schedule._replace(publish_on=locked.publish_on)
        at_once = locked.state == SubmissionState.SEALED and schedule.publish_on is None
        named = locked.anonymous and schedule.anonymous_until is None
        siblings = nameless_among(siblings_of(locked)) if named else []
        if at_once or named:  # the columns keep what had been asked for
            schedule = schedule._replace(
                publish_on=locked.publish_on if at_once else schedule.publish_on,
                anonymous_until=locked.anonymous_until if named else schedule.anonymous_until,
            )
        changes = _set_schedule(locked, schedule)
        if changes or at_once or named:
            lines = "\n".join([*filter(None, [reason.strip()]), *changes])
            write_audit_entry(
                locked, Action.RESCHEDULE, locked.state, locked.state, by=by, reason=lines
            )
            if not owns(by, locked):
                notify_author(locked)
        _move_siblings(locked, by=by, reason=reason)
        if at_once:
            open_entry(locked)
        if named:
            name_entry(locked)
            _name_siblings(siblings, by=by, reason=reason)


def _name_siblings(siblings: list[Submission], *, by: User, reason: str) -> None:
    """A withdrawn one stays without a name all the same."""
    for one in siblings:
        _check_may_move(one, by)
        if one.state == SubmissionState.PUBLISHED:
            name_entry(one)
        elif not one.anonymous:
            move_end(one, None, by=by, reason=reason)


def check_schedule(submission: Submission, after: Schedule) -> None:
    """Raises ``StateError``, whose code begins with the name of the wrong field. Only new values
    are checked: a day that has passed during review is no mistake."""
    before = schedule_of(submission)
    siblings = siblings_of(submission)
    nameless = nameless_among(siblings)
    own, of_all = (
        min(map(_counted_from, rows)) + LONGEST for rows in ([submission], [submission, *nameless])
    )
    for name in ("publish_on", "anonymous_until"):
        at = getattr(after, name)
        if at is None or at == getattr(before, name):
            continue
        if at <= now():
            raise StateError("Choose a time in the future.", f"{name}_past")
        latest = of_all if name == "anonymous_until" else own
        if at > latest:
            raise StateError(
                f"It can be at most a year from the decision: until {latest:%Y-%m-%d}.",
                f"{name}_too_late",
            )
    _check_siblings(submission, after, siblings, common_end(nameless))
    if after.anonymous_until and after.publish_on and after.anonymous_until <= after.publish_on:
        raise StateError(
            "It would have its name before it is public: choose a later end of the anonymity.",
            "anonymous_until_early",
        )


def _check_siblings(
    submission: Submission, after: Schedule, siblings: list[Submission], end: datetime | None
) -> None:
    """No entry of these people may get its name while a missing number would reveal an anonymous
    one of theirs (``portal.review.siblings``). ``end``: when the anonymous siblings get their
    names."""
    known = not submission.anonymous and is_known(submission)
    is_early = end is not None and (after.publish_on or now()) < end
    day = {"day": f"{end.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if end else ""}
    if known and after.anonymous_until:
        raise StateError(
            (
                "The ledger already shows your attempts up to that entry, and this one is among "
                "them."
            ),
            "anonymous_until_known",
        )
    if known and is_early:
        raise StateError(
            (
                "Another entry of this model on this release is anonymous until {day}, and this "
                "one cannot be any more. Choose that day or a later one."
            ).format(**day),
            "publish_on_siblings",
        )
    ends_alone = submission.anonymous_until and not (submission.anonymous or after.anonymous_until)
    if ends_alone and is_early:
        raise StateError(
            (
                "Another entry of this model on this release is anonymous until {day}: the name "
                "of this one would tell whose that is. End the anonymity there, for both."
            ).format(**day),
            "anonymous_until_siblings",
        )
    until = after.anonymous_until
    named_before = (
        one
        for one in pending_among(siblings)
        if until and one.anonymous_until is None and (one.publish_on or now()) < until
    )
    if any(map(is_known, named_before)):
        raise StateError(
            (
                "Another entry of this model on this release waits for its publication and cannot "
                "be anonymous any more: its name would tell whose this one is."
            ),
            "anonymous_until_pending",
        )


def _counted_from(submission: Submission) -> datetime:
    decided = submission.audit_entries.filter(action__in=(Action.SEAL, Action.PUBLISH))
    return decided.aggregate(at=Min("at"))["at"] or now()
