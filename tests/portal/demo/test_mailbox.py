"""The demo's mail is shown on one page, and nowhere else."""

import os
from pathlib import Path

import pytest
from django.core.mail import EmailMessage, get_connection
from django.test import Client
from pytest_django import Settings

from portal.demo.mailbox import SHOWN, newest_mails

pytestmark = pytest.mark.django_db


@pytest.fixture
def mail(settings: Settings) -> Path:
    """The folder of the demo's mail, empty."""
    settings.DEMO = True
    folder = Path(settings.MAIL_DIR)
    folder.mkdir()
    return folder


def send(folder: Path, subject: str, text: str) -> None:
    backend = get_connection(
        "django.core.mail.backends.filebased.EmailBackend", file_path=str(folder)
    )
    EmailMessage(subject, text, to=["alice@example.org"], connection=backend).send()


def test_outside_the_demo_there_is_no_mailbox(client: Client) -> None:
    assert client.get("/demo/mail/").status_code == 404


def test_a_mail_is_shown_and_its_link_can_be_followed(client: Client, mail: Path) -> None:
    send(mail, "∞Bench: Grüße", "Follow http://localhost:8000/accounts/x-1/ now")
    page = client.get("/demo/mail/").text
    assert "∞Bench: Grüße" in page
    assert "alice@example.org" in page
    assert 'href="http://localhost:8000/accounts/x-1/"' in page
    assert "-----" not in page


def test_the_text_of_a_mail_is_escaped(client: Client, mail: Path) -> None:
    send(mail, "<b>x</b>", "<script>alert(1)</script> javascript:alert(1)")
    page = client.get("/demo/mail/").text
    assert "<script>alert" not in page
    assert "<b>x" not in page
    assert 'href="javascript' not in page


def test_the_newest_mail_comes_first_and_old_ones_are_left_out(mail: Path) -> None:
    for number in range(SHOWN + 2):
        file = mail / f"{number:03}.log"
        file.write_text(f"Subject: {number}\n\ntext\n")
        os.utime(file, (number, number))
    subjects = [found.subject for found in newest_mails(mail)]
    assert subjects == [str(number) for number in range(SHOWN + 1, 1, -1)]


def test_other_files_in_the_mail_folder_are_ignored(client: Client, mail: Path) -> None:
    (mail / "empty.log").touch()
    (mail / "bytes.log").write_bytes(bytes(range(256)) * 100)
    (mail / "huge.log").write_bytes(b"Subject: huge\n\n" + b"x" * 5_000_000)
    (mail / "coded.log").write_text(
        "Content-Type: text/plain; charset=none-such\nContent-Transfer-Encoding: base64\n\n???\n"
    )
    (mail / "nested.log").write_text("Content-Type: multipart/mixed\n\nno boundary\n")
    (mail / "folder.log").mkdir()
    os.mkfifo(mail / "fifo.log")
    (mail / "link.log").symlink_to("/etc/passwd")
    answer = client.get("/demo/mail/")
    assert answer.status_code == 200
    assert len(answer.content) < 200_000
    assert "root:" not in answer.text


def test_an_empty_mailbox_explains_what_to_do(client: Client, settings: Settings) -> None:
    settings.DEMO = True
    assert "No emails yet" in client.get("/demo/mail/").text
