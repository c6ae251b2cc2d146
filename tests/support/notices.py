"""Notices, and the work of sending them, done in this process when a test asks for it."""

import json
from base64 import b64decode
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core import mail
from django.core.mail import EmailMessage
from django.db.models.functions import Now

from portal.celery import app
from portal.mail.outbox import send_notice
from portal.models import Notice, Release, Submission, User
from tests.support.factories import judged, requested

WHY = "Complete, and the settings are clear."


def reachable(user: User) -> User:
    user.email = f"{user.username}@example.org"
    user.save()
    return user


def asked_for(owner: User, release: Release, name: str = "Model") -> Submission:
    return requested(judged(owner, release, name=name), by=owner)


def work(messages: Path) -> int:
    """Run the queued tasks, as a worker does. Returns the number of messages."""
    app.loader.import_default_modules()
    files = sorted(messages.iterdir())
    for file in files:
        message = json.loads(file.read_bytes())
        file.unlink()
        [[row_id], _, _] = json.loads(b64decode(message["body"]))
        app.tasks[message["headers"]["task"]](row_id)
    return len(files)


def send_all() -> None:
    """Send every notice that is due, without a queued task."""
    for notice in Notice.objects.due().order_by("pk"):
        send_notice(notice.pk)


def sent_mail() -> list[EmailMessage]:
    """Send what is due; returns all mail sent so far."""
    send_all()
    return mail.outbox


def pass_time(seconds: float = 24 * 3600) -> None:
    """Move the times of all notices this far into the past."""
    ago = timedelta(seconds=seconds)
    for notice in Notice.objects.all():
        begun = notice.begun and notice.begun - ago
        rows = Notice.objects.filter(pk=notice.pk)
        rows.update(due=notice.due - ago, begun=begun, created=notice.created - ago)


def let_pause_end(notice: Notice) -> None:
    late = timedelta(seconds=settings.RESEND + 1)
    Notice.objects.filter(pk=notice.pk).update(due=Now() - late)
