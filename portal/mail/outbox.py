"""Email that the site owes: stored with the event it is about, sent by a worker afterwards.

A notice is a row written in the transaction of a decision, of a request for publication, or of a
change to an account. So no mail is sent about something that was rolled back, and none is lost. A
worker claims the row with one conditional UPDATE, sends the mail, and marks the row. A worker that
dies between sending and marking causes a second mail with the same Message-ID, never a missing one.
"""

import logging
import re
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest, Now, NullIf

from portal.mail.messages import build_email
from portal.models import Notice, NoticeKind, NoticeState, Submission, User
from portal.queue import enqueue_mails

# From the start of each attempt until it counts as failed and the next one may start; the last
# entry belongs to the last attempt. A worker gives up well within the first (portal.mail.tasks).
RETRY_DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 1))
_RESENT_AT_ONCE = 100  # messages in one turn of the sweeper
_ENDED: dict[str, Any] = {"ended": Now(), "address": "", "body": ""}  # with the new state
_MAX_REASON = 1_000  # characters: servers may answer at any length

log = logging.getLogger(__name__)


def notify_author(submission: Submission) -> None:
    """Queue a mail about the latest action of another user, in the transaction of that action."""
    if submission.owner_id:
        entry = submission.audit_entries.latest("number")
        notice = Notice(recipient_id=submission.owner_id, kind=NoticeKind.DECISION, entry=entry)
        _store([notice])


def notify_reviewers(submission: Submission) -> None:
    """Queue mails that it waits for review, in the transaction of the request for publication.

    Each reviewer who may decide on it gets one mail for all requests within ``REVIEW_MAIL``
    seconds. A notice that no worker has started on covers this submission too: its row lock keeps
    workers from starting before this request is stored, and the audit entry written just before
    keeps out other requests.
    """
    people = User.objects.reviewers_to_notify().exclude(submissions=submission)
    pending = Notice.objects.about_reviews().not_started().filter(recipient__in=people)
    covered = set(pending.select_for_update().values_list("recipient", flat=True))
    entry = submission.audit_entries.latest("number")
    counted = Q(
        notices__kind=NoticeKind.REVIEW,
        notices__state__in=(NoticeState.WAITING, NoticeState.SENT),  # or about to be sent
    )
    notices = []
    for person in people.annotate(last=Max("notices__begun", filter=counted)):
        if person.pk not in covered:
            due = Greatest(Now(), Value(person.last) + _review_interval()) if person.last else Now()
            notices.append(Notice(recipient=person, kind=NoticeKind.REVIEW, entry=entry, due=due))
    _store(notices)


def queue_account_email(subject: str, body: str, *, address: str, user: User | None) -> None:
    """Queue a mail that a visitor has asked for, or that reports a change to an account.

    A mail server that is down then neither fails the page nor leaves half of what it did. The text
    is deleted when the mail is sent or given up, and when a link to a new password has expired:
    that is the first of the links in such mails.
    """
    expires = Now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    written = {"address": address, "subject": subject, "body": body, "expires": expires}
    _store([Notice(recipient=user, kind=NoticeKind.ACCOUNT, **written)])


def send_notice(notice_id: int) -> None:
    """Send it, if it is due and no other worker is sending it.

    Raises ``DatabaseError`` if the database is unavailable: the next attempt follows later.
    """
    notice = _claim(notice_id)
    if notice is None:
        log.info("nothing to do", extra={"notice": notice_id})
        return
    about = {"notice": notice.pk}
    # Empty as soon as a later attempt has claimed it.
    row = Notice.objects.waiting().filter(pk=notice.pk, attempts=notice.attempts)
    try:
        email = build_email(notice)
        if email:
            email.send()
    except Exception as error:  # of any kind: another attempt may succeed
        reason = repr(error)
        for address in (notice.address, notice.recipient.email if notice.recipient else ""):
            if address:  # mail servers like to repeat it
                reason = re.sub(re.escape(address), "…", reason, flags=re.IGNORECASE)
        reason = reason[:_MAX_REASON]
        if notice.attempts < len(RETRY_DELAYS):
            row.update(failure=reason)
            log.warning("attempt %s: %s", notice.attempts, reason, extra=about)
        else:
            row.update(state=NoticeState.FAILED, failure=reason, **_ENDED)
            log.error("given up after %s attempts: %s", notice.attempts, reason, extra=about)
        return
    state = NoticeState.SENT if email else NoticeState.DROPPED
    row.update(state=state, failure="", **_ENDED)
    log.info("attempt %s: %s", notice.attempts, state.value, extra=about)
    if state == NoticeState.SENT and notice.kind == NoticeKind.REVIEW:
        others = Notice.objects.about_reviews().waiting().filter(recipient=notice.recipient_id)
        others.update(due=Greatest("due", Now() + _review_interval()))


def _claim(notice_id: int) -> Notice | None:
    """The notice with this attempt counted; None if there is nothing to do."""
    due = Notice.objects.due().filter(pk=notice_id, attempts__lt=len(RETRY_DELAYS))
    notice = due.select_related("recipient", "entry").first()
    if notice is None:
        return None
    delay, unclaimed = RETRY_DELAYS[notice.attempts], due.filter(attempts=notice.attempts)
    if not unclaimed.update(attempts=F("attempts") + 1, begun=Now(), due=Now() + delay):
        return None
    notice.attempts += 1
    return notice


class SweptNotices(NamedTuple):
    """How many notices were given up, how many sent to the queue again, how many too old."""

    failed: int
    resent: int
    expired: int = 0

    def __bool__(self) -> bool:
        return any(self)


def sweep_notices() -> SweptNotices:
    """Clean up after lost workers and lost messages. Any number of sweepers may run at once."""
    due = Notice.objects.due()
    lost = Coalesce(NullIf(F("failure"), Value("")), Value("its worker was lost"))
    exhausted = due.filter(attempts__gte=len(RETRY_DELAYS))
    failed = exhausted.update(state=NoticeState.FAILED, failure=lost, **_ENDED)
    if failed:
        log.error("%s given up: their workers were lost", failed)
    expired = Notice.objects.expired().update(state=NoticeState.DROPPED, **_ENDED)
    if expired:
        log.error("%s dropped: not sent before their links expired", expired)
    since = Now() - timedelta(seconds=settings.RESEND)
    overdue = due.filter(attempts__lt=len(RETRY_DELAYS), due__lt=since)
    ids = overdue.order_by("due").values_list("pk", flat=True)
    return SweptNotices(failed, enqueue_mails(ids[:_RESENT_AT_ONCE]), expired)


def send_again(notices: "QuerySet[Notice]") -> int:
    """Start over with failed notices, with all attempts. Returns how many there are.

    Not with those about accounts, whose text is gone: who needs one asks for it again.
    """
    with transaction.atomic():
        failed = notices.filter(state=NoticeState.FAILED).exclude(kind=NoticeKind.ACCOUNT)
        failed = failed.select_for_update(of=("self",))
        rows = Notice.objects.filter(pk__in=[notice.pk for notice in failed])
        _enqueue_on_commit(rows)
        return rows.update(state=NoticeState.WAITING, attempts=0, due=Now(), ended=None)


def _store(notices: list[Notice]) -> None:
    ids = [notice.pk for notice in Notice.objects.bulk_create(notices)]
    _enqueue_on_commit(Notice.objects.filter(pk__in=ids))


def _enqueue_on_commit(notices: "QuerySet[Notice]") -> None:
    """Those that are due; the sweeper finds the others when they are."""
    due = notices.filter(due__lte=Now()).order_by("pk").values_list("pk", flat=True)
    transaction.on_commit(lambda: enqueue_mails(due), robust=True)


def _review_interval() -> timedelta:
    """Between two mails about reviews to the same person."""
    return timedelta(seconds=settings.REVIEW_MAIL)
