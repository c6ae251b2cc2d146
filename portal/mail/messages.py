"""What notices say, and to whom: written when they are sent, from what is so then.

Always in English, as nothing is known of the language of who reads it.
"""

from collections.abc import Mapping
from textwrap import indent
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, override

from portal.models import Action, Notice, NoticeKind, Submission, SubmissionState


class Words(NamedTuple):
    subject: str | Promise
    sentence: str | Promise
    then: str | Promise  # what the author can do


DECISIONS: Mapping[Action, Words] = {
    Action.PUBLISH: Words(
        _("%(model)s is published"),
        _("Your submission of %(model)s on %(release)s is published, and on the board."),
        _(
            "You can withdraw it at any time; the address of the entry then only says that it was "
            "withdrawn."
        ),
    ),
    Action.REJECT: Words(
        _("%(model)s is not published"),
        _("Your submission of %(model)s on %(release)s was not published."),
        _("It is as private as before. When the reason is gone, ask again on its page."),
    ),
    Action.HIDE: Words(
        _("%(model)s is off the board for now"),
        _("Your submission of %(model)s on %(release)s was hidden from the board."),
        _("It can come back. Until then you see it on its page, as before."),
    ),
    Action.RESTORE: Words(
        _("%(model)s is back on the board"),
        _("Your submission of %(model)s on %(release)s is back on the board."),
        _("There is nothing to do."),
    ),
    Action.WITHDRAW: Words(
        _("%(model)s was withdrawn"),
        _("Your submission of %(model)s on %(release)s was withdrawn by an admin."),
        _("It stays on your page. What has changed can be handed in anew."),
    ),
}


class Text(NamedTuple):
    subject: str
    body: str


def mail_of(notice: Notice) -> EmailMessage | None:
    """The mail as it has to be sent now; None where nobody wants it, or nothing is to be told."""
    person = notice.recipient
    if not (person.is_active and person.email):
        return None
    with override(settings.LANGUAGE_CODE):
        text = _TEXTS[notice.kind](notice)
    if text is None:
        return None
    headers = {"Message-ID": _message_id(notice), "Auto-Submitted": "auto-generated"}
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{_on_one_line(text.subject)}"
    return EmailMessage(subject, text.body, to=[person.email], headers=headers)


def _message_id(notice: Notice) -> str:
    """The same at every attempt: mailboxes show a mail that came twice once."""
    host = urlsplit(settings.SITE_URL).hostname
    return f"<notice.{notice.pk}.{notice.created:%Y%m%d%H%M%S}@{host}>"


def _on_one_line(text: object) -> str:
    return " ".join(str(text).split())


def _names(model: str, release: str) -> dict[str, str]:
    """On one line each, so that no name looks like a part of the mail."""
    return {"model": _on_one_line(model), "release": _on_one_line(release)}


def _decision(notice: Notice) -> Text | None:
    entry = notice.entry
    if not notice.recipient.email_decisions or entry.submission_id is None:
        return None
    about = Submission.objects.select_related("language_model", "release")
    submission = about.filter(pk=entry.submission_id).first()
    if submission is None:
        return None
    names = _names(submission.language_model.name, submission.release.title)
    words = DECISIONS[Action(entry.action)]
    context = {
        "sentence": words.sentence % names,
        "reason": indent(entry.reason.strip(), "    "),
        "then": words.then,
        "page": _address("submission", submission.pk),
        "entry": _address("entry", submission.pk),
        "board": _address("board", submission.release.slug),
        "is_public": submission.state == SubmissionState.PUBLISHED,
    }
    return Text(words.subject % names, _rendered("mail/decision.txt", context))


def _review(notice: Notice) -> Text | None:
    """Of all that waits and is not the reviewer's own; the oldest is named."""
    reader = notice.recipient
    if not (reader.is_reviewer and reader.email_reviews):
        return None
    waiting = Submission.objects.waiting_for_review().exclude(owner=reader)
    found = waiting.annotate(since=F("asked"))
    rows = list(found.values_list("pk", "since", "language_model__name", "release__title"))
    if not rows:
        return None
    submission_id, since, model, release = rows[0]
    names, count = _names(model, release), len(rows)
    subject = ngettext(
        "%(model)s waits for review", "%(count)s submissions wait for review", count
    ) % {**names, "count": count}
    context = {
        **names,
        "count": count,
        "since": f"{since:%Y-%m-%d %H:%M} UTC",
        "page": _address("review-submission", submission_id),
        "list": _address("review"),
    }
    return Text(subject, _rendered("mail/review.txt", context))


_TEXTS = {NoticeKind.DECISION.value: _decision, NoticeKind.REVIEW.value: _review}


def _rendered(template: str, context: Mapping[str, object]) -> str:
    everywhere = {"site": settings.SITE_URL, "profile": _address("profile")}
    return render_to_string(template, {**context, **everywhere})


def _address(name: str, *arguments: object) -> str:
    return settings.SITE_URL + reverse(name, args=arguments)
