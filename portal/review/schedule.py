"""The day on which an entry becomes public, as its author wishes.

Times are absolute; a page that asks for one states the time zone.
"""

from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Min
from django.utils.timezone import now

from portal.errors import StateError
from portal.mail.outbox import notify_author
from portal.models import Action, Submission, SubmissionState, User
from portal.permissions.access import owns
from portal.review.openings import open_entry
from portal.states import lock_for, write_audit_entry

LONGEST = timedelta(days=366)  # from the decision; before it, from now


def check_day(submission: Submission, publish_on: datetime | None) -> None:
    """Only a new day is checked: one that has passed during review is no mistake. Raises
    ``StateError``."""
    if publish_on is None or publish_on == submission.publish_on:
        return
    if publish_on <= now():
        raise StateError("Choose a time in the future.", "publish_on_past")
    approved = submission.audit_entries.filter(action=Action.SCHEDULE)
    latest = (approved.aggregate(at=Min("at"))["at"] or now()) + LONGEST
    if publish_on > latest:
        raise StateError(
            f"It can be at most a year from the decision: until {latest:%Y-%m-%d}.",
            "publish_on_too_late",
        )


def reschedule(
    submission: Submission, publish_on: datetime | None, *, by: User, reason: str = ""
) -> None:
    """Change the day before it has come. None: as soon as it is approved, or now if it is.

    Raises ``StateError``.
    """
    with transaction.atomic():
        locked = lock_for(Action.RESCHEDULE, submission, by=by, reason=reason)
        check_day(locked, publish_on)
        at_once = locked.state == SubmissionState.SCHEDULED and publish_on is None
        if publish_on == locked.publish_on:
            return
        change = f"publish on: {_in_utc(locked.publish_on)} → {_in_utc(publish_on)}"
        if not at_once:  # otherwise the column keeps the day, which the state demands
            locked.publish_on = publish_on
            locked.save(update_fields=["publish_on"])
        lines = "\n".join(filter(None, [reason.strip(), change]))
        write_audit_entry(
            locked, Action.RESCHEDULE, locked.state, locked.state, by=by, reason=lines
        )
        if not owns(by, locked):
            notify_author(locked)
        if at_once:
            open_entry(locked)


def _in_utc(at: datetime | None) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if at else "–"
