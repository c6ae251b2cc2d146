"""Requesting, publishing, rejecting, hiding, restoring and withdrawing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils.timezone import now

from portal.audit.history import DONE, Step, history_of, reasons_of_states
from portal.board_version import board_version
from portal.errors import StateError
from portal.language_models.services import edit_language_model
from portal.models import (
    Action,
    AnswerCheck,
    AuditEntry,
    Evaluation,
    LanguageModel,
    Submission,
    SubmissionState,
    User,
)
from portal.permissions.actions import allowed_actions
from portal.review.answers.checks import update_answer_checks
from portal.review.fingerprint import review_fingerprint
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    restore_entry,
    show_account,
    withdraw_submission,
)
from portal.states import change_submission, lock_for
from portal.submissions.services import score_again
from tests.support.factories import ALL, checked, judge, judged, requested, whole_release
from tests.support.html import refused
from tests.support.processes import eventually

pytestmark = pytest.mark.django_db

WHY = "Complete, and the settings are clear."


@pytest.fixture
def alice(alice: User) -> User:
    alice.email = "alice@example.org"
    alice.save()
    return alice


@pytest.fixture
def asked(alice: User) -> Submission:
    submission = judged(alice, whole_release(), name="Model\nof two lines")
    return requested(submission, by=alice)


@pytest.fixture
def published(asked: Submission, rita: User) -> Submission:
    return publish_submission(asked, by=rita, reason=WHY)


def state(submission: Submission) -> str:
    return Submission.objects.get(pk=submission.pk).state


# Transitions


def test_a_submission_is_sent_for_review_and_published(asked: Submission, rita: User) -> None:
    assert state(asked) == SubmissionState.IN_REVIEW
    assert publish_submission(asked, by=rita, reason=WHY).state == SubmissionState.PUBLISHED
    assert Submission.objects.published().get() == asked


def test_publication_can_be_requested_again_after_a_rejection(
    asked: Submission, alice: User, rita: User
) -> None:
    reject_submission(asked, by=rita, reason="Which version of the model is it?")
    requested(asked, by=alice)
    assert state(asked) == SubmissionState.IN_REVIEW


def test_an_entry_is_hidden_for_a_while(published: Submission, adam: User) -> None:
    hide_entry(published, by=adam, reason="Its licence is doubtful.")
    assert not Submission.objects.published().exists()
    restore_entry(published, by=adam, reason="The licence is clear.")
    assert Submission.objects.published().exists()


@pytest.mark.parametrize("act", [hide_entry, restore_entry])
def test_only_admins_hide_and_restore(
    published: Submission, rita: User, alice: User, act: Callable[..., Submission]
) -> None:
    for person in (rita, alice):
        with refused("not_allowed"):
            act(published, by=person, reason=WHY)


def test_not_even_an_admin_decides_about_their_own(adam: User, rita: User) -> None:
    mine = requested(judged(adam, whole_release()), by=adam)
    for decide in (publish_submission, reject_submission):
        with refused("not_allowed"):
            decide(mine, by=adam, reason=WHY)
    publish_submission(mine, by=rita, reason=WHY)
    with refused("not_allowed"):
        hide_entry(mine, by=adam, reason=WHY)


def test_a_hidden_entry_can_be_withdrawn_but_not_sent_for_review(
    published: Submission, adam: User, alice: User
) -> None:
    hide_entry(published, by=adam, reason=WHY)
    with refused("wrong_state"):
        requested(published, by=alice)
    withdraw_submission(published, by=alice)
    assert state(published) == SubmissionState.WITHDRAWN


def test_withdrawing_needs_a_reason_from_admins_but_not_from_authors(
    published: Submission, adam: User, alice: User
) -> None:
    with refused("reason_missing"):
        withdraw_submission(published, by=adam)
    withdraw_submission(published, by=alice)
    assert state(published) == SubmissionState.WITHDRAWN


def test_scores_that_the_reviewer_has_not_seen_are_not_published(
    asked: Submission, rita: User
) -> None:
    seen = review_fingerprint(asked.pk)
    judge(asked, ALL)
    with refused("changed"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen)
    assert state(asked) == SubmissionState.IN_REVIEW
    assert not asked.audit_entries.filter(action="publish").exists()
    seen = review_fingerprint(checked(asked).pk)
    publish_submission(asked, by=rita, reason=WHY, seen=seen)


def test_what_has_not_been_compared_with_other_entries_is_not_published(
    asked: Submission, rita: User
) -> None:
    seen = review_fingerprint(asked.pk)
    with refused("not_checked"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen, flags_answer="It is fine.")
    assert update_answer_checks() == 1
    publish_submission(asked, by=rita, reason=WHY, seen=seen)


def test_critical_flags_need_an_answer_which_is_logged(asked: Submission, rita: User) -> None:
    Evaluation.objects.update(sandbox_level="none")
    seen = review_fingerprint(checked(asked).pk)
    with refused("flags_unanswered"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen, flags_answer=" ")
    publish_submission(asked, by=rita, reason=WHY, seen=seen, flags_answer="It runs no code.")
    entry = asked.audit_entries.get(action="answer flags")
    assert (entry.actor, entry.reason) == (rita, "It runs no code.")


def test_flags_that_are_raised_meanwhile_need_a_new_look(asked: Submission, rita: User) -> None:
    seen = review_fingerprint(checked(asked).pk)
    AnswerCheck.objects.update(flags={"gold": [["longbook_qa_eng", 20, 20]]})
    with refused("changed"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen, flags_answer="It is fine.")


def test_the_same_predictions_submitted_meanwhile_need_a_new_look(
    asked: Submission, rita: User, bob: User
) -> None:
    Evaluation.objects.update(sandbox_level="none", predictions_hash="a" * 64)
    seen = review_fingerprint(checked(asked).pk)
    judged(bob, asked.release)
    Evaluation.objects.update(predictions_hash="a" * 64)
    with refused("changed"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen, flags_answer="It runs no code.")


@pytest.mark.parametrize("day", [None, timedelta(days=2)])
@pytest.mark.parametrize(("tick", "claim"), [(True, "confirmed"), (False, "not confirmed")])
def test_what_a_reviewer_says_about_the_maker_is_in_the_log(
    asked: Submission, rita: User, tick: bool, claim: str, day: timedelta | None
) -> None:
    Submission.objects.update(by_maker=True, publish_on=day and now() + day)
    publish_submission(asked, by=rita, reason=WHY, maker_confirmed=tick)
    entry = asked.audit_entries.get(action="confirm maker")
    assert (entry.actor, entry.before, entry.after) == (rita, "in review", "in review")
    assert entry.reason == claim
    assert asked.audit_entries.latest("number").action == ("schedule" if day else "publish")


@pytest.mark.parametrize(
    "edit", [{"link": "https://phish.example/"}, {"parameters": "1T"}, {"weights": "open"},
             {"licence": "Endorsed"}, {"context_window": 10**6}],
)  # fmt: skip
def test_a_model_edited_meanwhile_is_not_published_unseen(
    asked: Submission, alice: User, rita: User, edit: dict[str, object]
) -> None:
    seen = review_fingerprint(asked.pk)
    edited = LanguageModel.objects.get(pk=asked.language_model_id)
    for name, value in edit.items():
        setattr(edited, name, value)
    edit_language_model(edited, by=alice)
    with refused("changed"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen)
    assert state(asked) == SubmissionState.IN_REVIEW


def test_settings_changed_after_a_rejection_need_a_new_look(
    asked: Submission, alice: User, rita: User, adam: User
) -> None:
    seen = review_fingerprint(asked.pk)
    reject_submission(asked, by=adam, reason="Which prompts were used?")
    Submission.objects.filter(pk=asked.pk).update(prompt_strategy="few shots")
    requested(asked, by=alice)
    with refused("changed"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen)


def test_restoring_an_entry_needs_a_current_fingerprint(
    published: Submission, adam: User, alice: User
) -> None:
    hide_entry(published, by=adam, reason=WHY)
    seen = review_fingerprint(published.pk)
    LanguageModel.objects.update(link="https://phish.example/")
    with refused("changed"):
        restore_entry(published, by=adam, reason=WHY, seen=seen)
    restore_entry(published, by=adam, reason=WHY, seen=review_fingerprint(published.pk))


def test_boards_are_out_of_date_after_whatever_changes_them(
    asked: Submission, alice: User, adam: User
) -> None:
    versions = [board_version()]
    for act in (publish_submission, hide_entry, restore_entry):
        act(asked, by=adam, reason=WHY)
        versions.append(board_version())
    show_account(asked, shown=False, by=alice)
    versions.append(board_version())
    withdraw_submission(asked, by=alice)
    versions.append(board_version())
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("decide", [publish_submission, reject_submission])
def test_reviewers_do_not_decide_about_their_own_predictions_from_another_account(
    asked: Submission, rita: User, adam: User, decide: Callable[..., Submission]
) -> None:
    own = judged(rita, asked.release, name="Mine")
    same = asked.evaluations.get().predictions_hash
    own.evaluations.update(predictions_hash=same)
    assert {Action.PUBLISH, Action.REJECT}.isdisjoint(allowed_actions(rita, asked))
    with refused("same_predictions"):
        decide(asked, by=rita, reason=WHY)
    assert state(asked) == SubmissionState.IN_REVIEW
    decide(asked, by=adam, reason=WHY)


@pytest.mark.django_db(transaction=True)
def test_a_concurrent_edit_and_decision_do_not_deadlock(
    asked: Submission, alice: User, rita: User
) -> None:
    """Either the edit comes after the publication, or the decision is refused because of it;
    neither ends in a deadlock."""
    seen = review_fingerprint(checked(asked).pk)
    with ThreadPoolExecutor(2) as pool:
        deciding = pool.submit(_publish_in_a_thread, asked, rita, seen)
        pool.submit(_edit_in_a_thread, asked.language_model, alice).result()
        said = deciding.result()
    actions = list(asked.audit_entries.order_by("pk").values_list("action", flat=True))
    if said:
        assert said == "changed"
        assert actions == ["ask for publication", "edit language model"]
    else:
        assert actions == ["ask for publication", "publish", "edit language model"]


# Two at once


def test_a_submission_withdrawn_meanwhile_is_not_published(
    asked: Submission, alice: User, rita: User
) -> None:
    withdraw_submission(asked, by=alice)
    with refused("wrong_state"):
        publish_submission(asked, by=rita, reason=WHY)


@pytest.mark.django_db(transaction=True)
def test_of_two_concurrent_decisions_the_second_is_refused(
    asked: Submission, rita: User, adam: User
) -> None:
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda person: _publish_in_a_thread(asked, person), [rita, adam]))
    assert sorted(said) == ["", "wrong_state"]
    assert asked.audit_entries.filter(action="publish").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_decision_waits_for_one_that_has_begun(asked: Submission, rita: User, adam: User) -> None:
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock_for(Action.REJECT, asked, by=rita, reason=WHY)
            other = pool.submit(_reject_in_a_thread, asked, adam)
            eventually(lambda: other.done() or _somebody_waits(), "a second decision")
            assert not other.done()
            reject_submission(asked, by=rita, reason=WHY)
        assert other.result() == "wrong_state"


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchall())


def _reject_in_a_thread(submission: Submission, by: User) -> str:
    try:
        reject_submission(submission, by=by, reason=WHY)
    except StateError as error:
        return error.code
    else:
        return ""
    finally:
        connection.close()


def _edit_in_a_thread(model: LanguageModel, by: User) -> None:
    model.link = "https://phish.example/"
    try:
        edit_language_model(model, by=by)
    finally:
        connection.close()


def _publish_in_a_thread(submission: Submission, by: User, seen: str | None = None) -> str:
    try:
        publish_submission(submission, by=by, reason=WHY, seen=seen)
    except StateError as error:
        return error.code
    else:
        return ""
    finally:
        connection.close()


# The record of what was done


def test_authors_see_the_decision_but_not_the_reviewer(published: Submission, alice: User) -> None:
    steps = [(step.who, step.did, step.reason) for step in history_of(published, alice)]
    assert steps == [
        ("alice", "submitted it", ""),
        ("The site", "scored it", ""),
        ("alice", DONE[Action.REQUEST_PUBLICATION], ""),
        ("A reviewer", DONE[Action.PUBLISH], WHY),
    ]


def test_names_of_users_are_escaped(asked: Submission) -> None:
    step = Step(asked.created, "<b>", DONE[Action.PUBLISH], "")
    assert step.sentence.startswith("<bdi>&lt;b&gt;</bdi>")


def test_the_reason_of_the_present_state_is_the_newest(
    published: Submission, adam: User, rita: User
) -> None:
    hide_entry(published, by=adam, reason="a doubt")
    assert reasons_of_states([published]) == {published.pk: "a doubt"}
    restore_entry(published, by=adam, reason="it is settled")
    assert reasons_of_states([published]) == {}


def test_reviewers_see_who_decided(published: Submission, adam: User) -> None:
    assert [step.who for step in history_of(published, adam)] == [
        "alice",
        "The site",
        "alice",
        "rita",
    ]


def test_another_author_is_not_named(published: Submission, adam: User, bob: User) -> None:
    hide_entry(published, by=adam, reason=WHY)
    steps = history_of(published, bob)
    assert [step.who for step in steps if step.reason] == ["A reviewer", "An admin"]
    assert {step.who for step in steps} == {"The author", "The site", "A reviewer", "An admin"}


def test_the_site_is_named_as_such(alice: User) -> None:
    old = judged(None, whole_release())
    change_submission(old, Action.PUBLISH_HISTORICAL, by=None)
    assert {step.who for step in history_of(old, alice)} == {"The site"}


def test_every_logged_action_has_a_text(asked: Submission, alice: User) -> None:
    assert set(Action) - {Action.SUBMIT_NEW_VERSION} == DONE.keys()
    score_again(asked, by=alice)
    assert "again" in str(history_of(asked, alice)[-1].did)


def test_changes_are_shown_in_the_words_of_the_page(asked: Submission, alice: User) -> None:
    changes = "truncation: unknown → end\nnote: a: b → –\nno such column: 1 → 2"
    AuditEntry.objects.create(
        submission=asked, actor=alice, action="edit settings", reason=changes,
        before="rejected", after="rejected",
    )  # fmt: skip
    shown = history_of(asked, alice)[-1].reason.split("\n")
    assert shown == [
        "truncation: unknown → end truncated",
        "note: a: b → –",
        "no such column: 1 → 2",
    ]
