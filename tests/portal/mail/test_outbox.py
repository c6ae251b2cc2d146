"""Who gets mail about what; its text is made when it is sent."""

from pathlib import Path

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from pytest_django import Settings

from portal.errors import StateError
from portal.mail.messages import DECISIONS
from portal.mail.outbox import send_notice
from portal.models import Action, Notice, Release, Role, Submission, User
from portal.permissions.actions import ACTIONS, PUBLICATION_ACTIONS
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    withdraw_submission,
)
from portal.states import change_submission
from tests.support.factories import judged, requested, whole_release
from tests.support.notices import WHY, asked_for, pass_time, reachable, send_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(alice: User) -> User:
    return reachable(alice)


@pytest.fixture
def release(db: None) -> Release:
    return whole_release()


@pytest.fixture
def asked(alice: User, release: Release) -> Submission:
    """Publication was requested when there was no reviewer, so no mail was sent."""
    return asked_for(alice, release, name="Model\nof two lines")


def states() -> list[str]:
    return list(Notice.objects.order_by("pk").values_list("state", flat=True))


# To authors, about decisions of others


def test_the_author_gets_the_reason(asked: Submission, rita: User, settings: Settings) -> None:
    settings.SITE_URL = "https://board.example"
    reject_submission(asked, by=rita, reason="Which version is it?\nSay <which> & when.")
    send_all()
    [message] = mail.outbox
    assert message.to == ["alice@example.org"]
    assert message.subject == "∞Bench: Model of two lines was not published"
    assert "    Which version is it?\n    Say <which> & when." in message.body
    assert f"https://board.example/submissions/{asked.pk}/" in message.body
    assert "https://board.example/profile/" in message.body
    assert "rita" not in message.body


def test_a_publication_mail_links_to_the_public_entry(
    asked: Submission, rita: User, settings: Settings
) -> None:
    settings.SITE_URL = "https://board.example"
    publish_submission(asked, by=rita, reason="Complete, and the settings are clear.")
    send_all()
    assert "https://board.example/entries/model-of-two-lines/\n" in mail.outbox[0].body
    assert f"https://board.example/board/{asked.release.slug}/\n" in mail.outbox[0].body


def test_what_is_taken_back_before_the_mail_is_sent_is_not_linked(
    asked: Submission, alice: User, rita: User
) -> None:
    publish_submission(asked, by=rita, reason="Complete, and the settings are clear.")
    withdraw_submission(asked, by=alice)
    send_all()
    assert "/entries/" not in mail.outbox[0].body


def test_each_of_two_decisions_is_mailed_with_its_own_reason(
    asked: Submission, alice: User, rita: User
) -> None:
    reject_submission(asked, by=rita, reason="The first reason.")
    requested(asked, by=alice)
    reject_submission(asked, by=rita, reason="The second reason.")
    send_all()
    first, second = mail.outbox
    assert ("The first reason." in first.body, "The second reason." in first.body) == (True, False)
    assert "The second reason." in second.body


def test_every_decision_has_its_words() -> None:
    by_others = {one for one in PUBLICATION_ACTIONS if ACTIONS[one].actors & {"reviewer", "admin"}}
    by_others.add(Action.OPEN)  # the reviewer's decision takes effect
    by_others.add(Action.RESCHEDULE)
    assert by_others == set(DECISIONS)


def test_no_mail_is_sent_about_own_actions(asked: Submission, alice: User) -> None:
    withdraw_submission(asked, by=alice)
    assert not Notice.objects.exists()


@pytest.mark.parametrize("gone", [{"email": ""}, {"is_active": False}, {"email_decisions": False}])
def test_no_mail_where_there_is_no_address_or_no_wish_for_it(
    asked: Submission, alice: User, rita: User, gone: dict[str, object]
) -> None:
    publish_submission(asked, by=rita, reason=WHY)
    User.objects.filter(pk=alice.pk).update(**gone)
    send_all()
    assert (mail.outbox, states()) == ([], ["dropped"])


def test_a_historical_entry_has_no_recipient(adam: User, release: Release) -> None:
    old = judged(None, release)
    change_submission(old, Action.PUBLISH_HISTORICAL, by=None)
    hide_entry(old, by=adam, reason=WHY)
    assert not Notice.objects.exists()


def test_no_mail_about_an_action_that_fails(asked: Submission, rita: User) -> None:
    with pytest.raises(StateError):
        publish_submission(asked, by=rita, reason=WHY, seen="another")
    assert not Notice.objects.exists()


def test_no_mail_about_an_action_that_is_rolled_back(asked: Submission, rita: User) -> None:
    with transaction.atomic():
        publish_submission(asked, by=rita, reason=WHY)
        assert Notice.objects.exists()
        transaction.set_rollback(True)
    assert not Notice.objects.exists()


def test_an_address_that_is_none_ends_nothing(asked: Submission, alice: User, rita: User) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org\nBcc: all@example.org")
    publish_submission(asked, by=rita, reason=WHY)
    send_all()
    notice = Notice.objects.get()
    assert (mail.outbox, notice.state, notice.attempts) == ([], "waiting", 1)
    assert "Header" in notice.failure


def test_the_row_holds_no_address(asked: Submission, alice: User, rita: User) -> None:
    publish_submission(asked, by=rita, reason=WHY)
    row = Notice.objects.values().get()
    assert alice.email not in str(row)


# To reviewers, about what waits


@pytest.fixture
def reviewer(rita: User) -> User:
    return reachable(rita)


def test_reviewers_and_admins_get_a_link(
    alice: User, reviewer: User, adam: User, release: Release, settings: Settings
) -> None:
    settings.SITE_URL = "https://board.example"
    reachable(adam)
    submission = asked_for(alice, release, name="New Model")
    send_all()
    assert {tuple(message.to) for message in mail.outbox} == {
        ("rita@example.org",), ("adam@example.org",)
    }  # fmt: skip
    message = mail.outbox[0]
    assert message.subject == "∞Bench: New Model is waiting for review"
    assert "New Model on Release whole has been waiting for review since " in message.body
    assert f"https://board.example/review/{submission.pk}/" in message.body
    assert "alice" not in message.body


def test_a_burst_is_one_mail_and_what_came_after_it_one_more_later(
    alice: User, reviewer: User, release: Release
) -> None:
    for number in range(5):
        asked_for(alice, release, name=f"Model {number}")
        send_all()
    assert [message.subject for message in mail.outbox] == [
        "∞Bench: Model 0 is waiting for review"
    ]  # fmt: skip
    pass_time(seconds=3500)
    send_all()
    assert len(mail.outbox) == 1
    pass_time(seconds=200)
    send_all()
    assert mail.outbox[1].subject == "∞Bench: 5 submissions are waiting for review"
    assert "The oldest is Model 0 on Release whole, since " in mail.outbox[1].body
    assert states() == ["sent", "sent"]


def test_a_burst_before_any_worker_comes_is_one_mail_for_all(
    alice: User, reviewer: User, release: Release
) -> None:
    for number in range(3):
        asked_for(alice, release, name=f"Model {number}")
    send_all()
    pass_time()
    send_all()
    assert [message.subject for message in mail.outbox] == [
        "∞Bench: 3 submissions are waiting for review"
    ]


def test_after_a_quiet_while_a_reviewer_gets_mail_at_once(
    alice: User, reviewer: User, release: Release
) -> None:
    asked_for(alice, release, name="One")
    send_all()
    pass_time()
    asked_for(alice, release, name="Two")
    send_all()
    assert len(mail.outbox) == 2


def test_how_calm_it_is_can_be_set(
    alice: User, reviewer: User, release: Release, settings: Settings
) -> None:
    settings.REVIEW_MAIL = 10
    asked_for(alice, release, name="One")
    send_all()
    pass_time(seconds=11)
    asked_for(alice, release, name="Two")
    send_all()
    assert len(mail.outbox) == 2


def test_no_mail_about_what_was_decided_meanwhile(
    alice: User, reviewer: User, release: Release
) -> None:
    submission = asked_for(alice, release)
    withdraw_submission(submission, by=alice)
    send_all()
    assert (mail.outbox, states()) == ([], ["dropped"])
    asked_for(alice, release, name="Another")  # immediately, as there was no mail yet
    send_all()
    assert len(mail.outbox) == 1


def test_reviewers_get_no_mail_about_their_own(reviewer: User, release: Release) -> None:
    asked_for(reviewer, release)
    assert not Notice.objects.exists()


def test_their_own_is_not_counted_among_what_waits(
    alice: User, reviewer: User, release: Release
) -> None:
    asked_for(reviewer, release, name="Mine")
    asked_for(alice, release, name="Hers")
    send_all()
    assert [message.subject for message in mail.outbox] == ["∞Bench: Hers is waiting for review"]


@pytest.mark.parametrize(
    "column",
    [{"role": Role.AUTHOR}, {"is_active": False}, {"email_reviews": False}, {"email": ""}],
)
def test_who_reviews_no_more_or_wants_no_mail_gets_none(
    alice: User, reviewer: User, release: Release, column: dict[str, object]
) -> None:
    asked_for(alice, release)
    User.objects.filter(pk=reviewer.pk).update(**column)
    send_all()
    assert (mail.outbox, states()) == ([], ["dropped"])
    asked_for(alice, release, name="Another")
    assert Notice.objects.count() == 1  # not even written


def test_a_deleted_account_ends_it_quietly(alice: User, reviewer: User, release: Release) -> None:
    asked_for(alice, release)
    [notice] = Notice.objects.all()
    reviewer.delete()
    send_notice(notice.pk)
    assert (mail.outbox, states()) == ([], [])


# What people can turn off


def test_an_author_turns_the_mail_off_on_the_profile(client: Client, alice: User) -> None:
    client.force_login(alice)
    page = client.get("/profile/").text
    assert 'name="email_decisions"' in page
    assert 'name="email_reviews"' not in page
    client.post("/profile/", {"email_reviews": ""})
    alice.refresh_from_db()
    assert (alice.email_decisions, alice.email_reviews) == (False, True)


def test_a_reviewer_turns_each_off_by_itself(client: Client, reviewer: User) -> None:
    client.force_login(reviewer)
    assert 'name="email_reviews"' in client.get("/profile/").text
    client.post("/profile/", {"email_decisions": "on"})
    reviewer.refresh_from_db()
    assert (reviewer.email_decisions, reviewer.email_reviews) == (True, False)


# The demo's mail is files


def test_the_demo_keeps_each_mail_as_a_file_of_its_own(
    asked: Submission, rita: User, client: Client, settings: Settings
) -> None:
    settings.DEMO, settings.EMAIL_BACKEND = True, "portal.demo.mailbox.EmailBackend"
    publish_submission(asked, by=rita, reason=WHY)
    send_all()
    [file] = Path(settings.MAIL_DIR).iterdir()
    assert file.suffix == ".log"
    page = client.get("/demo/mail/").text
    assert "Model of two lines is published" in page
    assert f"    {WHY}" in page
