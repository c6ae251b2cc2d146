"""The text and recipient of notices, made when they are sent."""

from collections.abc import Mapping
from textwrap import indent
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse

from portal.models import Action, Notice, NoticeKind, Submission, SubmissionState, User
from portal.permissions.access import owns
from scoring.text.plurals import plural


class DecisionText(NamedTuple):
    subject: str
    sentence: str
    then: str  # what the author can do next


DECISIONS: Mapping[Action, DecisionText] = {
    Action.PUBLISH: DecisionText(
        "%(model)s is published",
        "Your submission of %(model)s on %(release)s is published and on the leaderboard.",
        (
            "You can withdraw it at any time. The public entry will then only say that it was "
            "withdrawn."
        ),
    ),
    Action.SCHEDULE: DecisionText(
        "%(model)s is accepted and scheduled",
        (
            "Your submission of %(model)s on %(release)s is accepted. It becomes public by itself "
            "on %(opens)s."
        ),
        "You can change the day on its page, or withdraw it.",
    ),
    Action.OPEN: DecisionText(
        "%(model)s is public now",
        "Your submission of %(model)s on %(release)s is on the leaderboard since %(opens)s.",
        (
            "You can withdraw it at any time. The public entry will then only say that it was "
            "withdrawn."
        ),
    ),
    Action.RESCHEDULE: DecisionText(
        "The day of %(model)s was changed",
        "An admin has changed when your submission of %(model)s on %(release)s is public.",
        "Its page shows the day, and lets you change it.",
    ),
    Action.REJECT: DecisionText(
        "%(model)s was not published",
        "Your submission of %(model)s on %(release)s was not published.",
        "It is still private. Once the problem is fixed, request publication again on its page.",
    ),
    Action.ASK_AUTHOR: DecisionText(
        "A question about %(model)s",
        "A reviewer has a question about your submission of %(model)s on %(release)s.",
        "Reply on its page. It waits for review again as soon as you have.",
    ),
    Action.UNDO_DECISION: DecisionText(
        "%(model)s is in review again",
        "The decision about your submission of %(model)s on %(release)s was undone.",
        "You do not need to do anything. We will email you the new decision.",
    ),
    Action.HIDE: DecisionText(
        "%(model)s is hidden from the leaderboard for now",
        "Your submission of %(model)s on %(release)s was hidden from the leaderboard.",
        "It may be restored. Until then you can still see it on its page.",
    ),
    Action.RESTORE: DecisionText(
        "%(model)s is back on the leaderboard",
        "Your submission of %(model)s on %(release)s is back on the leaderboard.",
        "You do not need to do anything.",
    ),
    Action.WITHDRAW: DecisionText(
        "%(model)s was withdrawn",
        "Your submission of %(model)s on %(release)s was withdrawn by an admin.",
        "It stays on your page. You can submit a corrected version.",
    ),
}


class EmailText(NamedTuple):
    subject: str
    body: str


def build_email(notice: Notice) -> EmailMessage | None:
    """None if the recipient does not want it, or there is nothing left to say."""
    person, address, text = notice.recipient, notice.address, None
    if notice.kind == NoticeKind.ACCOUNT:
        text = EmailText(notice.subject, notice.body)
    elif person and person.is_active and person.email:
        address = person.email
        text = _TEXTS[notice.kind](notice, person)
    if text is None:
        return None
    # The same ID at every attempt: mailboxes show a mail that arrives twice only once.
    host = urlsplit(settings.SITE_URL).hostname
    message_id = f"<notice.{notice.pk}.{notice.created:%Y%m%d%H%M%S}@{host}>"
    headers = {"Message-ID": message_id, "Auto-Submitted": "auto-generated"}
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{_on_one_line(text.subject)}"
    return EmailMessage(subject, text.body, to=[address], headers=headers)


def _on_one_line(text: object) -> str:
    return " ".join(str(text).split())


def _names(model: str, release: str) -> dict[str, str]:
    """On one line each, so that no name can pass for other parts of the email."""
    return {"model": _on_one_line(model), "release": _on_one_line(release)}


def _decision(notice: Notice, author: User) -> EmailText | None:
    entry = notice.entry
    if not author.email_decisions or entry is None or entry.submission_id is None:
        return None
    about = Submission.objects.select_related("language_model", "release")
    submission = about.filter(pk=entry.submission_id).first()
    if submission is None or not owns(author, submission):
        return None
    names = _names(submission.title, submission.release.title)
    opens = submission.publish_on
    names["opens"] = f"{opens:%Y-%m-%d %H:%M} UTC" if opens else "–"
    words = DECISIONS[Action(entry.action)]
    context = {
        "sentence": words.sentence % names,
        "reason": indent(entry.reason.strip(), "    "),
        "then": words.then,
        "page": _url("submission", submission.pk),
        "entry": _url("entry", submission.entry_id),
        "board": _url("board", submission.release.slug),
        "is_public": submission.state == SubmissionState.PUBLISHED,
    }
    return EmailText(words.subject % names, _render("mail/decision.txt", context))


def _review(_notice: Notice, reader: User) -> EmailText | None:
    """About all waiting submissions that are not the reviewer's own; it names the oldest."""
    if not (reader.is_reviewer and reader.email_reviews):
        return None
    theirs = Submission.objects.owned_by(reader).order_by().values("pk")
    waiting = Submission.objects.waiting_for_review().exclude(pk__in=theirs)
    found = waiting.annotate(since=F("asked"))
    rows = list(found.values_list("pk", "since", "language_model__name", "release__title"))
    if not rows:
        return None
    submission_id, since, model, release = rows[0]
    names, count = _names(model, release), len(rows)
    what = plural(count, f"{names['model']} is", f"{count} submissions are")
    subject = f"{what} waiting for review"
    context = {
        **names,
        "count": count,
        "since": f"{since:%Y-%m-%d %H:%M} UTC",
        "page": _url("review-submission", submission_id),
        "list": _url("review"),
    }
    return EmailText(subject, _render("mail/review.txt", context))


_TEXTS = {NoticeKind.DECISION.value: _decision, NoticeKind.REVIEW.value: _review}


def _render(template: str, context: Mapping[str, object]) -> str:
    common = {"site": settings.SITE_URL, "profile": _url("profile")}
    return render_to_string(template, {**context, **common})


def _url(name: str, *arguments: object) -> str:
    return settings.SITE_URL + reverse(name, args=arguments)
