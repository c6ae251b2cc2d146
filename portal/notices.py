"""Mail to authors about what others decided of their submissions: one table, action → words.

A decision stands whether its mail goes out or not.
"""

import logging
import smtplib
from collections.abc import Mapping
from textwrap import indent
from typing import NamedTuple

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from portal.models import Submission

log = logging.getLogger(__name__)


class Notice(NamedTuple):
    subject: str | Promise
    sentence: str | Promise
    then: str | Promise  # what the author can do


NOTICES: Mapping[str, Notice] = {
    "publish": Notice(
        _("%(model)s is published"),
        _("Your submission of %(model)s on %(release)s is published, and on the board."),
        _("You can withdraw it at any time; a note that it was there stays on the board."),
    ),
    "reject": Notice(
        _("%(model)s is not published"),
        _("Your submission of %(model)s on %(release)s was not published."),
        _("It is as private as before. When the reason is gone, ask again on its page."),
    ),
    "hide": Notice(
        _("%(model)s is off the board for now"),
        _("Your submission of %(model)s on %(release)s was taken off the board for a while."),
        _("It can come back. Until then you see it on its page, as before."),
    ),
    "restore": Notice(
        _("%(model)s is back on the board"),
        _("Your submission of %(model)s on %(release)s is back on the board."),
        _("There is nothing to do."),
    ),
    "withdraw": Notice(
        _("%(model)s was withdrawn"),
        _("Your submission of %(model)s on %(release)s was withdrawn by an admin."),
        _("It stays on your page. What has changed can be handed in anew."),
    ),
}


def tell_author(submission: Submission, action: str, *, reason: str) -> None:
    """Send the mail, if there is somebody to send it to. Where that fails, the log says so."""
    owner = submission.owner
    if owner is None or not (owner.is_active and owner.email):
        return
    with override(settings.LANGUAGE_CODE):  # not that of whoever decided
        subject, body = _written(submission, NOTICES[action], reason)
    try:
        send_mail(subject, body, None, [owner.email])
    except (OSError, smtplib.SMTPException, ValueError) as error:  # ValueError: a broken address
        about = {"submission": submission.pk}
        log.error("the author was not told of “%s”: %r", action, error, extra=about)


def _written(submission: Submission, notice: Notice, reason: str) -> tuple[str, str]:
    names = {"model": submission.language_model.name, "release": submission.release.title}
    context = {
        "sentence": notice.sentence % names,
        "reason": indent(reason.strip(), "    "),
        "then": notice.then,
        "page": settings.SITE_URL + reverse("submission", args=[submission.pk]),
        "site": settings.SITE_URL,
    }
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{notice.subject % names}"
    return " ".join(subject.split()), render_to_string("mail/decision.txt", context)
