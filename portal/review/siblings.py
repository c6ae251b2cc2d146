"""Entries of one language model by the same people on one release get their names together.

The ledger numbers what these people have tried with the model there. If some of these entries had
names while one was still anonymous, the missing number would reveal whose it is. So all of them
have the same end of anonymity: an entry that becomes public while others are anonymous takes over
their day, and changing the day of one changes it for all (``portal.review.schedule``).

Call the functions that write with the language model locked (``lock_family``), so that two entries
cannot become public at once without knowing of each other.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from django.db.models.functions import Now

from portal.ledger.attempts import Authors, attempt_of, of_model
from portal.models import (
    Action,
    Attempt,
    Decision,
    LanguageModel,
    Opening,
    Submission,
    User,
)
from portal.models.submission import PENDING
from portal.states import write_audit_entry

_People = frozenset[str]


def lock_family(submission: Submission) -> None:
    """Lock the language model until the transaction ends. To be called before any submission is
    locked, which is also the order when a model is edited: otherwise the two could deadlock."""
    models = LanguageModel.objects.select_for_update(no_key=True)
    models.get(pk=submission.language_model.stands_for_id or submission.language_model_id)


def siblings_of(submission: Submission) -> list[Submission]:
    """The other submissions of this language model on this release, in any state, by the people
    behind this one: the same account, or one that another attempt or submission connects
    with it."""
    family = Submission.objects.of_model(submission.real_model).filter(release=submission.release)
    family = family.select_related("language_model__stands_for", "release", "owner")
    rows = [(one, _people_of(one)) for one in family.order_by("created", "pk")]
    attempts = Attempt.objects.filter(release=submission.release.slug)
    tried = of_model(attempts, submission.real_model).values_list("owner", "group")
    connections = [people for _one, people in rows]
    connections += [frozenset({f"user:{owner}", group}) for owner, group in tried]
    behind = _people_of(submission)
    while more := frozenset[str]().union(*(one for one in connections if one & behind)) - behind:
        behind |= more
    return [one for one, people in rows if people & behind and one.pk != submission.pk]


def _people_of(submission: Submission) -> _People:
    authors = Authors.of(submission)
    return frozenset({authors.group, *(f"user:{owner}" for owner in authors.owners)} - {""})


def nameless_among(siblings: Iterable[Submission]) -> list[Submission]:
    """Those that are anonymous, or will be, until a day to come."""
    found = Submission.objects.nameless().filter(
        pk__in=[one.pk for one in siblings], anonymous_until__gt=Now()
    )
    kept = set(found.values_list("pk", flat=True))
    return [one for one in siblings if one.pk in kept]


def common_end(nameless: Iterable[Submission]) -> datetime | None:
    """When all of them get their names; None: there are none."""
    return max((one.anonymous_until for one in nameless if one.anonymous_until), default=None)


def share_anonymity(submission: Submission) -> None:
    """For an entry that is about to be public, with its row locked: it gets its name when its
    siblings do, and none of them earlier."""
    nameless = nameless_among(siblings_of(submission))
    end = common_end([*nameless, submission] if nameless else ())
    if end is None:
        return
    for one in [*nameless, submission]:
        if one.anonymous_until != end:
            move_end(one, end, by=None)


def move_end(
    submission: Submission, end: datetime | None, *, by: User | None, reason: str = ""
) -> None:
    line = changed_day("anonymous_until", submission.anonymous_until, end)
    Submission.objects.filter(pk=submission.pk).update(anonymous_until=end)
    submission.anonymous_until = end
    write_audit_entry(
        *(submission, Action.RESCHEDULE, submission.state, submission.state),
        by=by,
        reason="\n".join(filter(None, [reason.strip(), line])),
    )


def changed_day(name: str, old: datetime | None, new: datetime | None) -> str:
    """The change as a line for the audit log."""
    days = (f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if at else "–" for at in (old, new))
    return f"{name.replace('_', ' ')}: {' → '.join(days)}"


def is_known(submission: Submission) -> bool:
    """Whether a published entry with a name already reveals these predictions: it has opened their
    attempt, or counts it among its authors' earlier attempts."""
    attempt = attempt_of(submission)
    if attempt is None:
        return False
    named = Decision.objects.publications().filter(attempt__isnull=False)
    if Opening.objects.filter(attempt=attempt, decision__in=named.values("pk")).exists():
        return True
    later = named.filter(submission__release=submission.release_id, entry__gt=attempt.pk)
    return later.filter(submission__owner=attempt.owner).exists()


def pending_among(siblings: Iterable[Submission]) -> list[Submission]:
    """Those that will become public unless a reviewer decides otherwise."""
    return [one for one in siblings if one.state in PENDING and not one.anonymous]
