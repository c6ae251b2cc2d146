"""What was decided lately, and what is off the board."""

from typing import NamedTuple

from portal.audit.history import Step, step_of
from portal.models import Action, AuditEntry, Submission, User

DECISIONS = (Action.PUBLISH, Action.REJECT, Action.HIDE, Action.RESTORE, Action.WITHDRAW)

LATELY = 20


class Decided(NamedTuple):
    submission: Submission
    step: Step


def decided_lately(reader: User) -> list[Decided]:
    """The newest first; of submissions that are still there."""
    entries = AuditEntry.objects.filter(action__in=DECISIONS, submission__state__isnull=False)
    about = entries.select_related("actor", "submission__language_model", "submission__release")
    return [
        Decided(entry.submission, step_of(entry, entry.submission, reader))
        for entry in about.order_by("-number")[:LATELY]
        if entry.submission
    ]
