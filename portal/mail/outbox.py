"""Mail that tells people what others did: written down with it, sent by a worker afterwards.

A notice is a row of the transaction in which something was decided or asked for; so none is sent
of what did not happen, and none is lost. A worker claims it with one conditional UPDATE, sends it,
and marks it. A worker that ends between sending and marking leaves a mail that is sent twice, both
times with the same Message-ID; never one that is not sent.
"""

import logging
import re
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F, Func, Max, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest, Now, NullIf

from portal.mail.messages import mail_of
from portal.models import PAUSES, Notice, NoticeKind, NoticeState, Submission, User
from portal.queue import enqueue_mails

_WOKEN_AT_ONCE = 100  # messages of one turn of the sweeper
_REASON_CAP = 1_000  # characters: servers may say as much as they like

log = logging.getLogger(__name__)


# Written in the transaction of what they tell


def tell_author(submission: Submission) -> None:
    """Of what somebody else has just done to it."""
    if submission.owner_id is not None:
        entry = submission.audit_entries.latest("number")
        decided = Notice(recipient_id=submission.owner_id, kind=NoticeKind.DECISION, entry=entry)
        _write([decided])


def tell_reviewers(submission: Submission) -> None:
    """That it waits: all who may decide, in one mail for everything that comes within a while.

    A notice that no worker has begun with tells of this submission too. Its lock lets nobody begin
    before this one is stored; and the entry in the audit log, written just before, lets nobody else
    ask meanwhile.
    """
    people = User.objects.reviewers_to_notify().exclude(submissions=submission)
    unbegun = Notice.objects.about_reviews().unbegun().filter(recipient__in=people)
    told = set(unbegun.select_for_update().values_list("recipient", flat=True))
    entry = submission.audit_entries.latest("number")
    _write(
        [
            Notice(recipient=person, kind=NoticeKind.REVIEW, entry=entry, due=_later(person.last))
            for person in people.annotate(last=_LAST_REVIEW_MAIL)
            if person.pk not in told
        ]
    )


# One that is being sent counts.
_LAST_REVIEW_MAIL = Max(
    "notices__begun",
    filter=Q(
        notices__kind=NoticeKind.REVIEW,
        notices__state__in=(NoticeState.WAITING, NoticeState.SENT),
    ),
)


def _later(last: object) -> Func:
    """When there may be another mail about reviews."""
    return Greatest(Now(), Value(last) + _between_reviews()) if last else Now()


def _between_reviews() -> timedelta:
    return timedelta(seconds=settings.REVIEW_MAIL)


def _write(notices: list[Notice]) -> None:
    ids = [notice.pk for notice in Notice.objects.bulk_create(notices)]
    _wake_after_commit(Notice.objects.filter(pk__in=ids))


def _wake_after_commit(notices: "QuerySet[Notice]") -> None:
    """For those that are due; the sweeper finds the others when they are."""
    due = notices.filter(due__lte=Now()).order_by("pk").values_list("pk", flat=True)
    transaction.on_commit(lambda: enqueue_mails(due), robust=True)


# Sent by a worker


def send_notice(notice_id: int) -> None:
    """Send it, if it is due and nobody else is sending it; otherwise do nothing.

    Raises ``DatabaseError`` where the database is gone: it is tried again after the pause.
    """
    notice = _claim(notice_id)
    if notice is None:
        log.info("nothing to do", extra={"notice": notice_id})
        return
    try:
        mail = mail_of(notice)
        if mail:
            mail.send()
    except Exception as error:  # whatever it is, another attempt may do better
        _fail(notice, error)
    else:
        _end(notice, NoticeState.SENT if mail else NoticeState.DROPPED)


def _claim(notice_id: int) -> Notice | None:
    """The notice, with one attempt more; None where there is nothing to do."""
    due = Notice.objects.due().with_an_attempt_left().filter(pk=notice_id)
    notice = due.select_related("recipient", "entry").first()
    if notice is None:
        return None
    pause, mine = PAUSES[notice.attempts], due.filter(attempts=notice.attempts)
    if not mine.update(attempts=F("attempts") + 1, begun=Now(), due=Now() + pause):
        return None
    notice.attempts += 1
    return notice


def _held(notice: Notice) -> "QuerySet[Notice]":
    """The row, if this attempt is still the one that counts."""
    return Notice.objects.waiting().filter(pk=notice.pk, attempts=notice.attempts)


def _end(notice: Notice, state: NoticeState) -> None:
    _held(notice).update(state=state, ended=Now(), failure="")
    log.info("attempt %s: %s", notice.attempts, state.value, extra={"notice": notice.pk})
    if state == NoticeState.SENT and notice.kind == NoticeKind.REVIEW:
        others = Notice.objects.about_reviews().waiting().filter(recipient=notice.recipient_id)
        others.update(due=Greatest("due", Now() + _between_reviews()))


def _fail(notice: Notice, error: Exception) -> None:
    reason, about = _reason(notice, error), {"notice": notice.pk}
    if notice.attempts < len(PAUSES):
        _held(notice).update(failure=reason)
        log.warning("attempt %s: %s", notice.attempts, reason, extra=about)
    else:
        _held(notice).update(state=NoticeState.FAILED, ended=Now(), failure=reason)
        log.error("given up after %s attempts: %s", notice.attempts, reason, extra=about)


def _reason(notice: Notice, error: Exception) -> str:
    """Without the address, which mail servers like to repeat."""
    address = re.escape(notice.recipient.email)
    return re.sub(address, "…", repr(error), flags=re.IGNORECASE)[:_REASON_CAP]


# What the sweeper and admins do


class SweptNotices(NamedTuple):
    """How many were given up, and how many sent once more to a worker."""

    failed: int
    woken: int

    def __bool__(self) -> bool:
        return any(self)


def sweep_notices() -> SweptNotices:
    """Look after what workers and messages have left lying. Any number may do so at once."""
    lost = Coalesce(NullIf(F("failure"), Value("")), Value("its worker was lost"))
    failed = (
        Notice.objects.due()
        .without_an_attempt_left()
        .update(state=NoticeState.FAILED, ended=Now(), failure=lost)
    )
    if failed:
        log.error("%s given up: their workers were lost", failed)
    since = Now() - timedelta(seconds=settings.RESEND)
    forgotten = Notice.objects.due().with_an_attempt_left().filter(due__lt=since)
    ids = forgotten.order_by("due").values_list("pk", flat=True)
    return SweptNotices(failed, enqueue_mails(ids[:_WOKEN_AT_ONCE]))


def send_again(notices: "QuerySet[Notice]") -> int:
    """Have those that failed tried anew, as often as at first. Returns how many there are."""
    with transaction.atomic():
        failed = notices.filter(state=NoticeState.FAILED).select_for_update(of=("self",))
        rows = Notice.objects.filter(pk__in=[notice.pk for notice in failed])
        _wake_after_commit(rows)
        return rows.update(state=NoticeState.WAITING, attempts=0, due=Now(), ended=None)
