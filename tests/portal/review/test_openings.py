"""Embargo and anonymity: how entries are scheduled, sealed, opened and named, and by whom."""

import json
from datetime import datetime, timedelta
from hashlib import sha256

import pytest
from django.test import Client
from django.utils.timezone import now

from portal.errors import StateError
from portal.language_models.services import is_identity_locked, merge_language_models
from portal.ledger.chain import verify_ledger
from portal.ledger.records import record_attempt
from portal.models import (
    Action,
    Commitment,
    LanguageModel,
    LedgerEntry,
    Notice,
    Release,
    Submission,
    User,
)
from portal.models import SubmissionState as S
from portal.permissions.actions import allowed_actions
from portal.review import openings
from portal.review.fingerprint import review_fingerprint
from portal.review.openings import open_due
from portal.review.schedule import LONGEST, Schedule, reschedule, schedule_of
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    request_publication,
    restore_entry,
    undo_decision,
    withdraw_submission,
)
from portal.scores.documents.commitments import hash_of_model
from portal.submissions.services import score_again
from tests.support.factories import ALL, judge, judged, whole_release
from tests.support.html import refused
from tests.support.openings import WEEK, let_pass

pytestmark = pytest.mark.django_db

WHY = "Complete, and the settings are clear."
LINK = "https://example.org/paper"


@pytest.fixture
def private(alice: User) -> Submission:
    return judged(alice, whole_release(), name="Canary", link=LINK)


def asked(submission: Submission, by: User, **wanted: datetime | None) -> Submission:
    schedule = Schedule(**wanted)
    return request_publication(submission, by=by, unknown_confirmed=True, schedule=schedule)


def accepted(submission: Submission, by: User, rita: User, **wanted: datetime) -> Submission:
    return publish_submission(asked(submission, by, **wanted), by=rita, reason=WHY)


def stored(submission: Submission) -> Submission:
    return Submission.objects.select_related("language_model").get(pk=submission.pk)


def test_an_accepted_entry_is_sealed_until_its_day_and_then_opened_once(
    private: Submission, alice: User, rita: User
) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    assert sealed.state == S.SEALED
    let_pass(WEEK - timedelta(minutes=1))
    assert open_due() == 0
    let_pass(timedelta(minutes=1))
    assert (open_due(), open_due()) == (1, 0)
    assert stored(sealed).state == S.PUBLISHED
    last = sealed.audit_entries.latest("number")
    assert (last.action, last.actor, last.before, last.after) == (
        *(Action.OPEN, None),
        *("sealed", "published"),
    )
    assert list(Notice.objects.filter(entry=last).values_list("recipient", flat=True)) == [alice.pk]
    assert sealed.commitments.get().opened


def test_the_first_request_after_the_moment_opens_it_whatever_it_asks_for(
    private: Submission, alice: User, rita: User, client: Client
) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    client.get("/about/")
    assert stored(sealed).state == S.SEALED
    let_pass(WEEK)
    client.get("/healthz")  # this needs no database
    assert stored(sealed).state == S.SEALED
    client.get("/nothing-is-here/")
    assert stored(sealed).state == S.PUBLISHED


def test_one_that_cannot_be_opened_keeps_no_page_and_no_other_entry_from_anybody(
    private: Submission, alice: User, rita: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = accepted(private, alice, rita, publish_on=now() + WEEK)
    other = accepted(
        judged(alice, private.release, name="Other"), alice, rita, publish_on=now() + 1.1 * WEEK
    )

    def fails_for_one(submission: Submission) -> None:
        if submission.pk == broken.pk:
            raise LookupError(submission.pk)

    monkeypatch.setattr(openings, "notify_author", fails_for_one)
    let_pass(2 * WEEK)
    assert client.get("/about/").status_code == 200
    assert [stored(one).state for one in (broken, other)] == [S.SEALED, S.PUBLISHED]


def test_a_day_that_has_passed_in_review_changes_nothing(
    private: Submission, alice: User, rita: User
) -> None:
    waiting = asked(private, alice, publish_on=now() + WEEK, anonymous_until=now() + 2 * WEEK)
    let_pass(3 * WEEK)
    published = publish_submission(waiting, by=rita, reason=WHY)
    assert (published.state, published.anonymous) == (S.PUBLISHED, False)
    assert not Commitment.objects.exists()


def test_the_commitment_is_the_hash_of_what_is_published_later(
    private: Submission, alice: User, rita: User
) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    commitment = sealed.commitments.get()
    assert sha256(commitment.payload.encode()).hexdigest() == commitment.hash
    payload = json.loads(commitment.payload)
    assert payload["model"] == hash_of_model("Canary", commitment.model_nonce)
    assert "Canary" not in commitment.payload
    assert payload["overall"]["strict"] == 50.0
    before = commitment.payload
    judge(sealed, dict.fromkeys(ALL, 60.0))  # scored again
    commitment.refresh_from_db()
    assert (commitment.payload, sealed.commitments.count()) == (before, 1)


@pytest.mark.parametrize("end", ["withdraw", "reject", "undo"])
def test_what_never_opens_stays_committed_to(
    private: Submission, alice: User, rita: User, end: str
) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    match end:
        case "withdraw":
            withdraw_submission(sealed, by=alice)
        case "reject":
            reject_submission(sealed, by=rita, reason=WHY)
        case "undo":
            undo_decision(sealed, by=rita)
    let_pass(2 * WEEK)
    assert open_due() == 0
    commitment = sealed.commitments.get()
    assert commitment.taken_back
    assert not commitment.opened


def test_who_opened_it_cannot_be_undone_and_hiding_works_as_ever(
    private: Submission, alice: User, rita: User, adam: User
) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    assert Action.HIDE not in allowed_actions(adam, sealed)
    let_pass(WEEK)
    open_due()
    opened = stored(sealed)
    assert Action.UNDO_DECISION not in allowed_actions(rita, opened)
    hidden = hide_entry(opened, by=adam, reason=WHY)
    assert restore_entry(hidden, by=adam, reason=WHY).state == S.PUBLISHED


def test_an_anonymous_entry_is_public_under_a_stand_in_and_named_on_time(
    private: Submission, alice: User, rita: User, bob: User
) -> None:
    real = private.language_model
    Submission.objects.filter(pk=private.pk).update(method="Ape", note="By us.")
    shown = accepted(private, alice, rita, anonymous_until=now() + WEEK)
    assert (shown.state, shown.anonymous) == (S.PUBLISHED, True)
    assert (shown.link, shown.method, shown.note) == ("", "", "")
    assert shown.real_title == "Canary + Ape"
    stand_in = shown.language_model
    assert stand_in.name.startswith("Anonymous ")
    assert stand_in != real
    assert "canary" not in stand_in.slug
    assert (shown.real_model, stand_in.organisation, stand_in.link) == (real, "", "")
    assert is_identity_locked(real)  # otherwise its owner could choose the name later
    for user in (alice, bob):
        assert stand_in not in LanguageModel.objects.offered_to(user)
    assert real not in LanguageModel.objects.offered_to(bob)
    let_pass(WEEK)
    assert (open_due(), open_due()) == (1, 0)
    named = stored(shown)
    assert (named.language_model, named.link, named.anonymous) == (real, LINK, False)
    assert (named.method, named.note, named.withheld) == ("Ape", "By us.", {})
    assert real.former_models.get().slug == stand_in.slug
    assert not LanguageModel.objects.filter(pk=stand_in.pk).exists()


def test_entries_of_one_owner_cannot_be_linked(alice: User, rita: User) -> None:
    when, release = now() + WEEK, whole_release()
    shown = [
        accepted(judged(alice, release, name="Canary"), alice, rita, anonymous_until=when)
        for _ in range(2)
    ]
    first, second = (one.language_model for one in shown)
    assert (first.stands_for, first.owner) == (second.stands_for, None)
    assert len({first.pk, second.pk, first.name, second.name, first.slug, second.slug}) == 6
    let_pass(WEEK)
    assert open_due() == 2
    assert stored(shown[0]).language_model == stored(shown[1]).language_model


def tried(owner: User, release: Release, number: int) -> Submission:
    submission = judged(owner, release, name="Canary")
    submission.evaluations.update(predictions_hash=f"{number:064}")
    record_attempt(submission, f"{number:064}", in_part=False)
    return submission


def opened() -> list[bool]:
    entries = LedgerEntry.objects.with_opening().order_by("number")
    return [bool(vars(entry)["is_open"]) for entry in entries]


def ends(*submissions: Submission) -> set[datetime | None]:
    return {stored(one).anonymous_until for one in submissions}


def test_entries_of_one_model_get_their_names_together_so_that_no_number_is_missing(
    alice: User, rita: User
) -> None:
    release, until = whole_release(), now() + WEEK
    first, second, third, private = (tried(alice, release, number) for number in range(4))
    accepted(first, alice, rita, anonymous_until=until)
    named = accepted(second, alice, rita)  # nothing was requested
    assert (named.anonymous, named.anonymous_until) == (True, until)
    waiting = asked(third, alice)
    assert waiting.anonymous_until == until
    with refused("anonymous_until_siblings"):
        reschedule(waiting, Schedule(), by=alice)
    later = now() + 2 * WEEK
    reschedule(waiting, Schedule(anonymous_until=later), by=alice)
    assert ends(first, second, third) == {later}
    assert not any(opened())
    publish_submission(stored(third), by=rita, reason=WHY)
    assert sum(stored(one).anonymous for one in (first, second, third)) == 3
    reschedule(stored(second), Schedule(), by=alice)  # now
    assert not any(stored(one).anonymous for one in (first, second, third))
    assert all(opened())
    assert verify_ledger().number == 7
    with refused("anonymous_until_known"):  # its attempt has been opened
        asked(private, alice, anonymous_until=later)
    other = tried(alice, release, 5)
    assert asked(other, alice, anonymous_until=later).anonymous_until == later
    with refused("publish_on_siblings"):
        asked(private, alice)
    assert asked(private, alice, publish_on=later + WEEK).anonymous_until is None


def test_sealing_is_a_decision_that_is_closed_until_the_opening_says_it_again(
    alice: User, rita: User
) -> None:
    submission = tried(alice, whole_release(), 1)
    accepted(submission, alice, rita, publish_on=now() + WEEK)
    undo_decision(stored(submission), by=rita)
    publish_submission(stored(submission), by=rita, reason=WHY)
    assert not any(opened())
    let_pass(WEEK)
    open_due()
    assert opened() == [True] * 5
    decisions = [json.loads(one.content) for one in LedgerEntry.objects.order_by("number")[1:]]
    assert [(one["decision"], one["role"], one["reason"]) for one in decisions] == [
        ("sealed", "reviewer", WHY),
        ("undone", "reviewer", ""),
        ("sealed", "reviewer", WHY),
        ("published", "site", WHY),
    ]
    assert verify_ledger().number == 5


def test_sealed_and_anonymous_go_together(private: Submission, alice: User, rita: User) -> None:
    wanted = {"publish_on": now() + WEEK, "anonymous_until": now() + 2 * WEEK}
    sealed = accepted(private, alice, rita, **wanted)
    assert (sealed.state, sealed.anonymous) == (S.SEALED, False)  # reviewers and its owner see it
    let_pass(WEEK)
    open_due()
    opened = stored(sealed)
    assert opened.title.startswith("Anonymous ")
    assert opened.anonymous
    let_pass(WEEK)
    open_due()
    assert stored(sealed).title == "Canary"


def test_the_name_is_back_in_a_review_and_never_shown_of_what_is_withdrawn(
    private: Submission, alice: User, rita: User
) -> None:
    shown = accepted(private, alice, rita, anonymous_until=now() + WEEK)
    undone = undo_decision(shown, by=rita)
    assert (undone.title, undone.link, undone.anonymous) == ("Canary", LINK, False)
    # Whoever saw the address of the stand-in in the meantime is not led to the model.
    assert not undone.language_model.former_models.exists()
    again = publish_submission(undone, by=rita, reason=WHY)
    withdraw_submission(again, by=alice)
    let_pass(2 * WEEK)
    assert open_due() == 0
    assert stored(again).anonymous


@pytest.mark.parametrize(
    ("days", "until", "code"),
    [
        (-1, None, "publish_on_past"),
        (None, -1, "anonymous_until_past"),
        (LONGEST.days + 1, None, "publish_on_too_late"),
        (None, LONGEST.days + 1, "anonymous_until_too_late"),
        (7, 7, "anonymous_until_early"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    private: Submission, alice: User, days: int | None, until: int | None, code: str
) -> None:
    today = now()
    publish_on, anonymous_until = (
        None if number is None else today + timedelta(days=number) for number in (days, until)
    )
    with refused(code):
        asked(private, alice, publish_on=publish_on, anonymous_until=anonymous_until)


def test_the_author_changes_the_days_as_long_as_nothing_public_is_hidden_again(
    private: Submission, alice: User, rita: User, bob: User
) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    with pytest.raises(StateError):
        reschedule(sealed, Schedule(now() + 2 * WEEK), by=bob)
    reschedule(sealed, Schedule(now() + 2 * WEEK, now() + 3 * WEEK), by=alice)
    with refused("publish_on_too_late"):
        reschedule(sealed, Schedule(now() + LONGEST + WEEK), by=alice)
    first = sealed.commitments.get().announced_for
    later = stored(sealed).publish_on
    assert later
    assert later > first  # both are told
    reschedule(stored(sealed), Schedule(None, now() + 3 * WEEK), by=alice)  # at once
    opened = stored(sealed)
    assert (opened.state, opened.anonymous) == (S.PUBLISHED, True)
    reschedule(opened, Schedule(now() + WEEK, now() + 2 * WEEK), by=alice)
    assert stored(sealed).state == S.PUBLISHED  # its day has passed
    reschedule(stored(sealed), Schedule(), by=alice)
    assert not stored(sealed).anonymous
    with refused("already_public"):
        reschedule(stored(sealed), Schedule(None, now() + WEEK), by=alice)


def test_a_reviewer_decides_about_the_days_that_were_shown(
    private: Submission, alice: User, rita: User
) -> None:
    waiting = asked(private, alice)
    seen = review_fingerprint(waiting.pk)
    reschedule(waiting, Schedule(now() + WEEK), by=alice)
    with refused("changed"):
        publish_submission(waiting, by=rita, reason=WHY, seen=seen)
    assert schedule_of(stored(waiting)).publish_on


def test_a_stand_in_is_not_merged_with_another_model(
    private: Submission, alice: User, rita: User, adam: User
) -> None:
    shown = accepted(private, alice, rita, anonymous_until=now() + WEEK)
    with refused("stand_in"):
        merge_language_models(shown.language_model, into=shown.real_model, by=adam)


def test_models_are_merged_when_their_entries_have_names(
    private: Submission, alice: User, rita: User, adam: User
) -> None:
    other = judged(alice, private.release, name="Canary v2").language_model
    accepted(private, alice, rita, anonymous_until=now() + WEEK)
    with refused("nameless"):
        merge_language_models(other, into=private.language_model, by=adam)
    let_pass(WEEK)
    open_due()
    merge_language_models(other, into=private.language_model, by=adam)


def test_a_sealed_entry_can_be_scored_again(private: Submission, alice: User, rita: User) -> None:
    sealed = accepted(private, alice, rita, publish_on=now() + WEEK)
    score_again(sealed, by=alice)
    assert stored(sealed).state == S.SEALED
