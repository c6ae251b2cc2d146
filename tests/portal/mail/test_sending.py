"""Notices are sent by a worker, exactly once, even when messages, workers or servers fail."""

import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from portal.mail.outbox import RETRY_DELAYS, SweptNotices, send_notice, sweep_notices
from portal.models import Notice, Release, Submission, User
from portal.review.fingerprint import review_fingerprint
from portal.review.services import publish_submission
from tests.support.factories import checked, whole_release
from tests.support.mail_server import MailServer, mail_goes_to, mail_server
from tests.support.notices import WHY, asked_for, let_pause_end, reachable, work
from tests.support.processes import eventually
from tests.support.workers import Workers, workers_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)


@pytest.fixture
def alice(alice: User) -> User:
    return reachable(alice)


@pytest.fixture
def release(transactional_db: None) -> Release:
    return whole_release()


@pytest.fixture
def asked(alice: User, release: Release) -> Submission:
    return asked_for(alice, release)


@pytest.fixture
def notice(asked: Submission, rita: User) -> Notice:
    """A notice about a decision that has taken effect."""
    publish_submission(asked, by=rita, reason=WHY)
    return Notice.objects.get()


@pytest.fixture
def server(settings: Settings) -> Iterator[MailServer]:
    with mail_server() as server:
        mail_goes_to(server, settings)
        yield server


def now(notice: Notice) -> Notice:
    notice.refresh_from_db()
    return notice


# Once


def test_the_message_of_a_decision_makes_a_worker_send_one_mail(
    notice: Notice, messages: Path
) -> None:
    assert mail.outbox == []
    assert work(messages) == 1
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]
    assert (now(notice).state, notice.attempts) == ("sent", 1)


def test_a_second_delivery_sends_nothing(notice: Notice) -> None:
    send_notice(notice.pk)
    send_notice(notice.pk)
    assert len(mail.outbox) == 1


def test_five_at_once_send_one_mail(notice: Notice, server: MailServer) -> None:
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(_sent_in_a_thread, [notice.pk] * 5))
    assert (len(server.mails), server.visits) == (1, 1)
    assert now(notice).attempts == 1


def _sent_in_a_thread(notice_id: int) -> None:
    try:
        send_notice(notice_id)
    finally:
        connection.close()


def test_a_real_worker_sends_it(asked: Submission, rita: User, workers: Workers) -> None:
    with mail_server() as server:
        to = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(server.port)}
        workers.start(variables=to)
        publish_submission(asked, by=rita, reason=WHY)
        eventually(lambda: server.mails, "a mail")
        eventually(lambda: Notice.objects.get().state == "sent", "its mark")
    assert "Auto-Submitted: auto-generated" in server.mails[0]


# The mail server's faults


@pytest.mark.parametrize("manner", ["hangs", "refuses"])
def test_no_request_waits_for_the_mail_server(
    asked: Submission, rita: User, client: Client, server: MailServer, manner: str
) -> None:
    server.manner = manner
    client.force_login(rita)
    address = reverse("review-publish", args=[asked.pk])
    form = {"reason": WHY, "seen": review_fingerprint(checked(asked).pk)}
    assert client.post(address, form).status_code == 302
    asked.refresh_from_db()
    assert (asked.state, server.visits) == ("published", 0)
    assert Notice.objects.get().state == "waiting"


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("hangs", "timed out"),
        ("refuses", "nobody is served here"),
        ("refuses people", "unknown"),
    ],
)
def test_a_failed_attempt_says_why_and_pauses(
    notice: Notice, server: MailServer, settings: Settings, manner: str, reason: str
) -> None:
    server.manner = manner
    if manner == "hangs":
        settings.EMAIL_TIMEOUT = 0.3
    send_notice(notice.pk)
    assert (now(notice).state, notice.attempts) == ("waiting", 1)
    assert reason in notice.failure
    assert "alice@example.org" not in notice.failure
    assert notice.begun
    assert notice.begun <= notice.due - RETRY_DELAYS[0] <= timezone.now()
    send_notice(notice.pk)
    assert server.visits == 1


def test_the_mail_is_sent_when_the_server_is_back(notice: Notice, server: MailServer) -> None:
    server.manner = "refuses"
    send_notice(notice.pk)
    server.manner = "takes"
    let_pause_end(notice)
    send_notice(notice.pk)
    assert (now(notice).state, notice.attempts, notice.failure) == ("sent", 2, "")
    assert len(server.mails) == 1


def test_after_the_last_attempt_it_is_kept_as_failed(
    notice: Notice, server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.manner = "refuses"
    with caplog.at_level(logging.ERROR):
        for _ in range(len(RETRY_DELAYS) + 2):
            send_notice(notice.pk)
            let_pause_end(notice)
    assert (now(notice).state, server.visits) == ("failed", len(RETRY_DELAYS))
    assert "nobody is served here" in notice.failure
    assert f"given up after {len(RETRY_DELAYS)} attempts" in caplog.text


def test_delays_between_attempts_grow() -> None:
    *between, _ = RETRY_DELAYS
    assert between == sorted(between)
    assert between[0].total_seconds() > 50  # the time after which a worker is cut off


def test_a_lost_response_may_send_a_mail_twice_with_one_message_id(
    notice: Notice, server: MailServer
) -> None:
    server.manner = "forgets"
    send_notice(notice.pk)
    server.manner = "takes"
    let_pause_end(notice)
    send_notice(notice.pk)
    ids = [re.findall(r"^Message-ID: (.*)\r$", text, re.MULTILINE) for text in server.mails]
    assert len(ids) == 2
    assert ids[0] == ids[1]


# Lost messages and workers


def test_where_the_message_is_lost_the_sweeper_sends_another(
    notice: Notice, messages: Path
) -> None:
    for message in messages.iterdir():
        message.unlink()
    assert not sweep_notices()  # it may still be on its way
    let_pause_end(notice)
    call_command("sweep", "--once")
    assert work(messages) == 1
    assert len(mail.outbox) == 1
    assert not sweep_notices()


def test_a_mail_is_sent_though_a_worker_is_killed_over_it(
    asked: Submission, rita: User, workers: Workers, server: MailServer
) -> None:
    server.manner = "hangs"
    to = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(server.port)}
    worker = workers.start(variables=to)
    publish_submission(asked, by=rita, reason=WHY)
    eventually(lambda: server.visits, "a visit")
    worker.kill()
    server.manner = "takes"
    let_pause_end(Notice.objects.get())
    assert sweep_notices() == SweptNotices(failed=0, resent=1)
    workers.start(variables=to)
    eventually(lambda: server.mails, "a mail")
    eventually(lambda: Notice.objects.get().state == "sent", "its mark")
    assert Notice.objects.get().attempts == 2


def test_a_broker_that_is_down_stops_no_decision(
    asked: Submission, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> object:
        raise ConnectionError("no broker")

    monkeypatch.setattr("portal.queue.app.send_task", fails)
    publish_submission(asked, by=rita, reason=WHY)
    assert Notice.objects.get().state == "waiting"


def test_a_notice_whose_workers_are_all_lost_has_failed(notice: Notice) -> None:
    Notice.objects.update(attempts=len(RETRY_DELAYS))
    let_pause_end(notice)
    send_notice(notice.pk)  # a late message
    assert sweep_notices() == SweptNotices(failed=1, resent=0)
    assert (now(notice).state, notice.failure) == ("failed", "its worker was lost")
    assert mail.outbox == []


def test_a_worker_that_comes_back_late_marks_nothing(
    notice: Notice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(_notice: Notice) -> None:
        Notice.objects.update(attempts=2)  # another worker has started meanwhile

    monkeypatch.setattr("portal.mail.outbox.build_email", slowly)
    send_notice(notice.pk)
    assert (now(notice).state, notice.attempts) == ("waiting", 2)


# Reviewers


def test_a_request_made_before_a_mail_is_sent_is_included(
    alice: User, rita: User, release: Release
) -> None:
    reachable(rita)
    asked_for(alice, release, name="One")
    [first] = Notice.objects.all()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            asked_for(alice, release, name="Two")
            sending = pool.submit(_sent_in_a_thread, first.pk)
            eventually(_a_backend_waits, "the worker to wait for this transaction")
        sending.result()
    assert [message.subject for message in mail.outbox] == [
        "∞Bench: 2 submissions are waiting for review"
    ]
    assert Notice.objects.count() == 1


def _a_backend_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        [count] = cursor.fetchone()
    return bool(count)


def test_a_request_made_while_a_mail_is_sent_is_mailed_later(
    alice: User, rita: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    reachable(rita)
    asked_for(alice, release, name="One")
    [first] = Notice.objects.all()

    def meanwhile(_notice: Notice) -> None:
        asked_for(alice, release, name="Two")
        send_notice(Notice.objects.latest("pk").pk)

    monkeypatch.setattr("portal.mail.outbox.build_email", meanwhile)
    send_notice(first.pk)
    second = Notice.objects.latest("pk")
    assert (second.state, second.attempts) == ("waiting", 0)
    assert (second.due - now(first).created).total_seconds() > 3500


def test_a_late_success_delays_the_next_mail(
    alice: User, rita: User, release: Release, server: MailServer
) -> None:
    reachable(rita)
    asked_for(alice, release, name="One")
    [first] = Notice.objects.all()
    server.manner = "refuses"
    send_notice(first.pk)
    asked_for(alice, release, name="Two")
    second = Notice.objects.latest("pk")
    server.manner = "takes"
    for notice in (first, second):
        let_pause_end(notice)
    send_notice(first.pk)
    send_notice(second.pk)
    assert len(server.mails) == 1
    assert now(second).state == "waiting"
