"""How entries are scheduled and opened, and by whom."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from portal.errors import StateError
from portal.models import Action, Notice, Submission, User
from portal.models import SubmissionState as S
from portal.permissions.actions import allowed_actions
from portal.review import openings
from portal.review.fingerprint import review_fingerprint
from portal.review.openings import open_due
from portal.review.schedule import LONGEST, reschedule
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    request_publication,
    restore_entry,
    undo_decision,
    withdraw_submission,
)
from portal.submissions.services import score_again
from tests.support.factories import judged, whole_release
from tests.support.html import refused
from tests.support.openings import WEEK, let_pass

pytestmark = pytest.mark.django_db

WHY = "Complete, and the settings are clear."


@pytest.fixture
def private(alice: User) -> Submission:
    return judged(alice, whole_release())


def asked(submission: Submission, by: User, day: datetime | None = None) -> Submission:
    return request_publication(submission, by=by, unknown_confirmed=True, publish_on=day)


def accepted(submission: Submission, by: User, rita: User, day: datetime) -> Submission:
    return publish_submission(asked(submission, by, day), by=rita, reason=WHY)


def stored(submission: Submission) -> Submission:
    return Submission.objects.select_related("language_model").get(pk=submission.pk)


def test_an_accepted_entry_is_scheduled_until_its_day_and_then_opened_once(
    private: Submission, alice: User, rita: User
) -> None:
    scheduled = accepted(private, alice, rita, now() + WEEK)
    assert scheduled.state == S.SCHEDULED
    let_pass(WEEK - timedelta(minutes=1))
    assert open_due() == 0
    let_pass(timedelta(minutes=1))
    assert (open_due(), open_due()) == (1, 0)
    assert stored(scheduled).state == S.PUBLISHED
    last = scheduled.audit_entries.latest("number")
    assert (last.action, last.actor, last.before, last.after) == (
        *(Action.OPEN, None),
        *("scheduled", "published"),
    )
    assert list(Notice.objects.filter(entry=last).values_list("recipient", flat=True)) == [alice.pk]


def test_the_first_request_after_the_moment_opens_it_whatever_it_asks_for(
    private: Submission, alice: User, rita: User, client: Client
) -> None:
    scheduled = accepted(private, alice, rita, now() + WEEK)
    client.get("/about/")
    assert stored(scheduled).state == S.SCHEDULED
    let_pass(WEEK)
    client.get("/healthz")  # this needs no database
    assert stored(scheduled).state == S.SCHEDULED
    client.get("/nothing-is-here/")
    assert stored(scheduled).state == S.PUBLISHED


def test_one_that_cannot_be_opened_keeps_no_page_and_no_other_entry_from_anybody(
    private: Submission, alice: User, rita: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = accepted(private, alice, rita, now() + WEEK)
    other = accepted(judged(alice, private.release, name="Other"), alice, rita, now() + 1.1 * WEEK)

    def fails_for_one(submission: Submission) -> None:
        if submission.pk == broken.pk:
            raise LookupError(submission.pk)

    monkeypatch.setattr(openings, "notify_author", fails_for_one)
    let_pass(2 * WEEK)
    assert client.get("/about/").status_code == 200
    assert [stored(one).state for one in (broken, other)] == [S.SCHEDULED, S.PUBLISHED]


def test_a_day_that_has_passed_in_review_changes_nothing(
    private: Submission, alice: User, rita: User
) -> None:
    waiting = asked(private, alice, now() + WEEK)
    let_pass(3 * WEEK)
    assert publish_submission(waiting, by=rita, reason=WHY).state == S.PUBLISHED


@pytest.mark.parametrize("end", ["withdraw", "reject", "undo"])
def test_what_is_taken_back_never_opens(
    private: Submission, alice: User, rita: User, end: str
) -> None:
    scheduled = accepted(private, alice, rita, now() + WEEK)
    match end:
        case "withdraw":
            withdraw_submission(scheduled, by=alice)
        case "reject":
            reject_submission(scheduled, by=rita, reason=WHY)
        case "undo":
            undo_decision(scheduled, by=rita)
    let_pass(2 * WEEK)
    assert open_due() == 0


def test_who_opened_it_cannot_be_undone_and_hiding_works_as_ever(
    private: Submission, alice: User, rita: User, adam: User
) -> None:
    scheduled = accepted(private, alice, rita, now() + WEEK)
    assert Action.HIDE not in allowed_actions(adam, scheduled)
    let_pass(WEEK)
    open_due()
    opened = stored(scheduled)
    assert Action.UNDO_DECISION not in allowed_actions(rita, opened)
    hidden = hide_entry(opened, by=adam, reason=WHY)
    assert restore_entry(hidden, by=adam, reason=WHY).state == S.PUBLISHED


@pytest.mark.parametrize(
    ("days", "code"), [(-1, "publish_on_past"), (LONGEST.days + 1, "publish_on_too_late")]
)
def test_a_day_that_cannot_be_asked_for_is_refused(
    private: Submission, alice: User, days: int, code: str
) -> None:
    with refused(code):
        asked(private, alice, now() + timedelta(days=days))


def test_the_author_changes_the_day_until_it_has_come(
    private: Submission, alice: User, rita: User, bob: User
) -> None:
    scheduled = accepted(private, alice, rita, now() + WEEK)
    later = now() + 2 * WEEK
    with pytest.raises(StateError):
        reschedule(scheduled, later, by=bob)
    reschedule(scheduled, later, by=alice)
    assert stored(scheduled).publish_on == later
    with refused("publish_on_too_late"):
        reschedule(scheduled, now() + LONGEST + WEEK, by=alice)
    reschedule(stored(scheduled), None, by=alice)
    assert stored(scheduled).state == S.PUBLISHED
    with refused("wrong_state"):
        reschedule(stored(scheduled), now() + WEEK, by=alice)


def test_a_reviewer_decides_about_the_day_that_was_shown(
    private: Submission, alice: User, rita: User
) -> None:
    waiting = asked(private, alice)
    seen = review_fingerprint(waiting.pk)
    reschedule(waiting, now() + WEEK, by=alice)
    with refused("changed"):
        publish_submission(waiting, by=rita, reason=WHY, seen=seen)
    assert stored(waiting).publish_on


def test_a_scheduled_entry_can_be_scored_again(
    private: Submission, alice: User, rita: User
) -> None:
    scheduled = accepted(private, alice, rita, now() + WEEK)
    score_again(scheduled, by=alice)
    assert stored(scheduled).state == S.SCHEDULED
