"""The demo's mail as files, read on a page: each mail appears whole, under a name of its own.

Django's own backend names files by the second and a memory address, which two workers may share;
and a page could read a file that is half written.
"""

import email
import email.policy
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple
from uuid import uuid4

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

SHOWN = 50  # mails, the newest
MAX_BYTES = 20_000  # of one mail; most have a few hundred


class EmailBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.MAIL_DIR)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{time.time_ns():020}_{uuid4()}"
            draft = folder / f"{name}.draft"
            draft.write_bytes(message.message().as_bytes())
            draft.rename(folder / f"{name}.log")
        return len(email_messages)


class Mail(NamedTuple):
    subject: str
    to: str
    date: str
    text: str


@require_safe
def demo_mail(request: HttpRequest) -> HttpResponse:
    if not settings.DEMO:
        raise Http404
    return render(request, "demo/mail.html", {"mails": newest_mails(Path(settings.MAIL_DIR))})


def newest_mails(folder: Path) -> list[Mail]:
    """The files that the mail backend wrote. Others in the folder are ignored."""
    dated: list[tuple[float, Path]] = []
    for path in folder.glob("*.log"):
        with suppress(OSError):  # gone since
            facts = path.lstat()
            if S_ISREG(facts.st_mode):
                dated.append((facts.st_mtime, path))
    return [_read(path) for _, path in sorted(dated, reverse=True)[:SHOWN]]


def _read(path: Path) -> Mail:
    with path.open("rb") as file:
        raw = file.read(MAX_BYTES)
    message = email.message_from_bytes(raw, policy=email.policy.default)
    body = message.get_body(("plain",))
    payload = body.get_payload(decode=True) if body else None
    text = payload.decode(errors="replace") if isinstance(payload, bytes) else ""
    return Mail(
        subject=str(message["subject"] or ""),
        to=str(message["to"] or ""),
        date=str(message["date"] or ""),
        # Django's own file backend ends a mail with a line of dashes.
        text=text.rstrip().removesuffix("-" * 79).rstrip(),
    )
