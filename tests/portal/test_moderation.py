"""Asking, publishing, rejecting, hiding, restoring, withdrawing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from portal.models import Submission, SubmissionState, User
from portal.moderation import (
    ask_for_publication,
    hide_entry,
    publish_submission,
    reject_submission,
    restore_entry,
    withdraw_submission,
)
from portal.pages.history import DONE, history_of
from portal.states import EVALUATION_TRANSITIONS, TRANSITIONS, StateError, change_submission
from portal.submissions import score_again
from tests.portal.judged import ALL, judge, judged, whole_release

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
    return ask_for_publication(submission, by=alice)


@pytest.fixture
def published(asked: Submission, rita: User) -> Submission:
    return publish_submission(asked, by=rita, reason=WHY)


def state(submission: Submission) -> str:
    return Submission.objects.get(pk=submission.pk).state


# What becomes of it


def test_it_is_asked_for_and_published(asked: Submission, rita: User) -> None:
    assert state(asked) == SubmissionState.IN_REVIEW
    assert publish_submission(asked, by=rita, reason=WHY).state == SubmissionState.PUBLISHED
    assert Submission.objects.published().get() == asked


def test_what_was_rejected_can_be_asked_for_again(
    asked: Submission, alice: User, rita: User
) -> None:
    reject_submission(asked, by=rita, reason="Which version of the model is it?")
    ask_for_publication(asked, by=alice)
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
        with pytest.raises(StateError, match="may not"):
            act(published, by=person, reason=WHY)


def test_not_even_an_admin_decides_about_their_own(adam: User, rita: User) -> None:
    mine = ask_for_publication(judged(adam, whole_release()), by=adam)
    for decide in (publish_submission, reject_submission):
        with pytest.raises(StateError, match="may not"):
            decide(mine, by=adam, reason=WHY)
    publish_submission(mine, by=rita, reason=WHY)
    with pytest.raises(StateError, match="may not"):
        hide_entry(mine, by=adam, reason=WHY)


def test_a_hidden_entry_can_be_withdrawn_but_not_asked_for(
    published: Submission, adam: User, alice: User
) -> None:
    hide_entry(published, by=adam, reason=WHY)
    with pytest.raises(StateError, match="off the board"):
        ask_for_publication(published, by=alice)
    withdraw_submission(published, by=alice)
    assert state(published) == SubmissionState.WITHDRAWN


def test_an_admin_who_withdraws_says_why_and_an_author_need_not(
    published: Submission, adam: User, alice: User
) -> None:
    with pytest.raises(StateError, match="reason"):
        withdraw_submission(published, by=adam)
    withdraw_submission(published, by=alice)
    assert state(published) == SubmissionState.WITHDRAWN


def test_scores_that_the_reviewer_has_not_seen_are_not_published(
    asked: Submission, rita: User
) -> None:
    [seen] = asked.evaluations.all()
    newer = judge(asked, ALL)
    with pytest.raises(StateError, match="new scores"):
        publish_submission(asked, by=rita, reason=WHY, seen=seen.pk)
    assert state(asked) == SubmissionState.IN_REVIEW
    assert not asked.audit_entries.filter(action="publish").exists()
    publish_submission(asked, by=rita, reason=WHY, seen=newer.pk)


# Two at once


def test_what_was_withdrawn_a_moment_ago_is_not_published(
    asked: Submission, alice: User, rita: User
) -> None:
    withdraw_submission(asked, by=alice)
    with pytest.raises(StateError, match="This is “withdrawn” by now"):
        publish_submission(asked, by=rita, reason=WHY)


@pytest.mark.django_db(transaction=True)
def test_of_two_reviewers_at_once_the_second_is_told(
    asked: Submission, rita: User, adam: User
) -> None:
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda person: _publish_in_a_thread(asked, person), [rita, adam]))
    assert sorted(said) == [
        "", "This is “published” by now, so it cannot be done any more."
    ]  # fmt: skip
    assert asked.audit_entries.filter(action="publish").count() == 1


def _publish_in_a_thread(submission: Submission, by: User) -> str:
    try:
        publish_submission(submission, by=by, reason=WHY)
    except StateError as error:
        return str(error)
    else:
        return ""
    finally:
        connection.close()


# What was done


def test_the_author_reads_what_was_decided_but_not_by_whom(
    published: Submission, alice: User
) -> None:
    steps = [(step.who, step.did, step.reason) for step in history_of(published, alice)]
    assert steps == [
        ("alice", "asked for publication", ""),
        ("A reviewer", "published it", WHY),
    ]


def test_reviewers_read_who_it_was(published: Submission, adam: User) -> None:
    assert [step.who for step in history_of(published, adam)] == ["alice", "rita"]


def test_another_author_is_not_named(published: Submission, adam: User, bob: User) -> None:
    hide_entry(published, by=adam, reason=WHY)
    steps = history_of(published, bob)
    assert [step.who for step in steps] == ["The author", "A reviewer", "An admin"]


def test_the_site_is_named_as_such(alice: User) -> None:
    old = judged(None, whole_release())
    change_submission(old, "publish historical", by=None)
    assert [step.who for step in history_of(old, alice)] == ["The site"]


def test_everything_that_is_written_down_has_words(asked: Submission, alice: User) -> None:
    by_people = {n for n, one in EVALUATION_TRANSITIONS.items() if "site" not in one.actors}
    changes = {"edit settings", "edit language model"}
    assert TRANSITIONS.keys() | by_people | {"score again", "delete"} | changes == DONE.keys()
    score_again(asked, by=alice)
    assert "again" in str(history_of(asked, alice)[-1].did)
