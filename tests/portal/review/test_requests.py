"""Requests for publication: requirements, cancellation, questions, claims and undo."""

from datetime import timedelta

import pytest

from portal.audit.history import reasons_of_states
from portal.models import AuditEntry, Notice, Submission, SubmissionState, TaskScore, User
from portal.permissions import actions as permissions
from portal.review.services import (
    ask_author,
    cancel_request,
    claim_request,
    publish_submission,
    reject_submission,
    reply_to_reviewer,
    request_publication,
    undo_decision,
)
from portal.submissions.services import EditableSettings
from tests.support.clients import signed_in
from tests.support.factories import checked, judged, requested, whole_release
from tests.support.html import form_errors, notices, one, refused

pytestmark = pytest.mark.django_db

WHY = "Complete, and the settings are clear."
STATED = {
    "prompt_strategy": "official templates", "truncation": "middle", "input_limit": "128000",
    "output_limit": "500", "link": "https://example.org/paper", "by_maker": "False",
}  # fmt: skip


@pytest.fixture
def private(alice: User) -> Submission:
    return judged(alice, whole_release())


@pytest.fixture
def asked(private: Submission, alice: User) -> Submission:
    return requested(private, by=alice)


def state(submission: Submission) -> str:
    return Submission.objects.get(pk=submission.pk).state


# What a request needs


def test_empty_settings_have_to_be_confirmed(private: Submission, alice: User) -> None:
    with refused("settings_missing"):
        request_publication(private, by=alice)
    assert state(private) == SubmissionState.PRIVATE
    assert not AuditEntry.objects.exists()
    request_publication(private, by=alice, unknown_confirmed=True)
    assert state(private) == SubmissionState.IN_REVIEW


def test_settings_that_are_stated_need_no_confirmation(private: Submission, alice: User) -> None:
    settings = EditableSettings("", "official templates", 128_000, 500, "middle", "https://a.org")
    request_publication(private, by=alice, settings=settings)
    actions = AuditEntry.objects.values_list("action", flat=True)
    assert list(actions) == ["edit settings", "ask for publication"]


def test_the_form_asks_for_them(private: Submission, alice: User) -> None:
    path = f"/submissions/{private.pk}/request/"
    client = signed_in(alice)
    answer = client.post(path, {"truncation": "unknown"})
    assert answer.status_code == 422
    assert ("unknown_confirmed", "settings_missing") in form_errors(answer)
    client.post(path, STATED)
    stored = Submission.objects.get(pk=private.pk)
    assert (stored.state, stored.input_limit, stored.unknown_confirmed) == (
        SubmissionState.IN_REVIEW, 128_000, False,
    )  # fmt: skip


def test_a_task_with_too_few_answers_cannot_be_published(private: Submission, alice: User) -> None:
    release = private.release
    TaskScore.objects.filter(task="passkey").update(answered=0)
    with refused("too_few_answers"):
        requested(private, by=alice)
    page = signed_in(alice).get(f"/submissions/{private.pk}/")
    assert one(page, '[data-code="too_few_answers"]')
    assert one(page, "[data-partial]")
    release.minimum_answered = 0
    release.save()
    assert requested(private, by=alice).state == SubmissionState.IN_REVIEW


# Cancelling it


def test_a_request_can_be_cancelled_and_made_again(asked: Submission, alice: User) -> None:
    answer = signed_in(alice).post(f"/submissions/{asked.pk}/cancel-request/", follow=True)
    assert notices(answer) == ["good"]
    assert state(asked) == SubmissionState.PRIVATE
    assert requested(asked, by=alice).state == SubmissionState.IN_REVIEW


def test_a_cancelled_request_cannot_be_deleted(asked: Submission, alice: User) -> None:
    cancel_request(asked, by=alice)
    client = signed_in(alice)
    assert f"/submissions/{asked.pk}/delete/" not in client.get("/submissions/").content.decode()
    client.post(f"/submissions/{asked.pk}/delete/")
    assert Submission.objects.filter(pk=asked.pk).exists()


def test_only_its_author_cancels_a_request(asked: Submission, rita: User, adam: User) -> None:
    for user in (rita, adam):
        with refused("not_allowed"):
            cancel_request(asked, by=user)


# Questions


def test_a_reviewer_asks_and_the_author_replies(asked: Submission, alice: User, rita: User) -> None:
    question = "Which version of the model is it?"
    signed_in(rita).post(f"/review/{asked.pk}/ask/", {"reason": question})
    assert state(asked) == SubmissionState.QUESTION
    assert reasons_of_states([Submission.objects.get()]) == {asked.pk: question}
    path = f"/submissions/{asked.pk}/reply/"
    assert question in one(signed_in(alice).get(path), "[data-reason]").text
    assert signed_in(alice).post(path, {"reply": " "}).status_code == 422
    signed_in(alice).post(path, {"reply": "The one of May."})
    assert state(asked) == SubmissionState.IN_REVIEW
    assert AuditEntry.objects.latest("number").reason == "The one of May."


def test_a_question_and_its_answer_are_notified(asked: Submission, alice: User, rita: User) -> None:
    rita.email = "rita@example.org"
    rita.save()
    Notice.objects.all().delete()
    ask_author(asked, by=rita, reason="Which version is it?")
    assert Notice.objects.get().recipient == alice
    reply_to_reviewer(asked, by=alice, reason="The one of May.")
    assert set(Notice.objects.values_list("recipient__username", flat=True)) == {"alice", "rita"}


def test_settings_can_be_corrected_while_a_question_is_open(
    asked: Submission, alice: User, rita: User
) -> None:
    ask_author(asked, by=rita, reason="How long was the input?")
    signed_in(alice).post(f"/submissions/{asked.pk}/edit/", STATED)
    assert Submission.objects.get().input_limit == 128_000


def test_what_waits_for_its_author_is_listed(asked: Submission, rita: User) -> None:
    ask_author(asked, by=rita, reason="Which version is it?")
    page = signed_in(rita).get("/review/")
    assert list(page.context["questions"]) == [asked]
    assert page.context["rows"] == []


# Claims


def test_a_claim_is_shown_to_others_who_can_take_it_over(
    asked: Submission, rita: User, adam: User
) -> None:
    signed_in(rita).post(f"/review/{asked.pk}/claim/")
    page = signed_in(adam).get(f"/review/{asked.pk}/")
    assert one(page, "[data-claimed-by]")["data-claimed-by"] == "rita"
    claim_request(asked, by=adam)
    assert Submission.objects.get().claimed_by == adam


def test_a_claim_ends_with_the_decision_and_does_not_spoil_it(
    asked: Submission, rita: User
) -> None:
    page = signed_in(rita).get(f"/review/{asked.pk}/")
    seen = page.context["form"].initial["seen"]
    claim_request(checked(asked), by=rita)
    publish_submission(asked, by=rita, reason=WHY, seen=seen)
    assert Submission.objects.get().claimed_by is None


# Second thoughts


@pytest.mark.parametrize("decide", [publish_submission, reject_submission])
def test_a_reviewer_undoes_a_decision(asked: Submission, rita: User, decide: object) -> None:
    decide(asked, by=rita, reason=WHY)  # type: ignore[operator]
    client = signed_in(rita)
    assert one(client.get(f"/review/{asked.pk}/"), '[data-code="undo"]')
    client.post(f"/review/{asked.pk}/undo/")
    assert state(asked) == SubmissionState.IN_REVIEW
    with refused("wrong_state"):
        undo_decision(asked, by=rita)


def test_only_the_reviewer_who_decided_can_undo_it(
    asked: Submission, rita: User, adam: User, alice: User
) -> None:
    publish_submission(asked, by=rita, reason=WHY)
    for user, code in ((adam, "too_late_to_undo"), (alice, "not_allowed")):
        with refused(code):
            undo_decision(asked, by=user)


def test_a_decision_stands_when_its_time_is_over(
    asked: Submission, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_submission(asked, by=rita, reason=WHY)
    # A minute from now by the database's clock, which stands still in a transaction.
    monkeypatch.setattr(permissions, "UNDO_WITHIN", -timedelta(minutes=1))
    with refused("too_late_to_undo"):
        undo_decision(asked, by=rita)
