"""The mail that the demo would have sent, to be read on a page."""

import email
import email.policy
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

SHOWN = 50  # mails, the newest
BYTES = 20_000  # of one mail; ours have a few hundred


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
    """What ``portal.demo.mailbox`` wrote there. Anything else in the folder is left alone."""
    dated: list[tuple[float, Path]] = []
    for path in folder.glob("*.log"):
        with suppress(OSError):  # gone since
            facts = path.lstat()
            if S_ISREG(facts.st_mode):
                dated.append((facts.st_mtime, path))
    return [_read(path) for _, path in sorted(dated, reverse=True)[:SHOWN]]


def _read(path: Path) -> Mail:
    with path.open("rb") as file:
        raw = file.read(BYTES)
    message = email.message_from_bytes(raw, policy=email.policy.default)
    return Mail(
        subject=str(message["subject"] or ""),
        to=str(message["to"] or ""),
        date=str(message["date"] or ""),
        text=_text(message),
    )


def _text(message: EmailMessage) -> str:
    """The plain text; a demo of before may have mail with a line of dashes at its end."""
    body = message.get_body(("plain",))
    payload = body.get_payload(decode=True) if body else None
    text = payload.decode(errors="replace") if isinstance(payload, bytes) else ""
    return text.rstrip().removesuffix("-" * 79).rstrip()
