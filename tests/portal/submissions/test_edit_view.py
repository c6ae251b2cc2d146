"""Correct the settings of a submission while it is neither in review nor published."""

from typing import Any

import pytest
from django.test import Client

from portal.models import Release, Submission, SubmissionState, User
from portal.submissions.services import EditableSettings, SubmissionSettings, edit_settings
from tests.support.clients import signed_in, submission_html, texts_of
from tests.support.factories import as_if_scored, make_submission
from tests.support.html import refused
from tests.support.openings import LATER

pytestmark = pytest.mark.django_db
OPEN = (SubmissionState.PRIVATE, SubmissionState.REJECTED, SubmissionState.QUESTION)
TOLD = {
    "note": "seed 3",
    "prompt_strategy": "as published",
    "input_limit": "128000",
    "output_limit": "",
    "truncation": "middle",
    "link": "https://example.org/paper",
}


@pytest.fixture
def browser(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def submission(alice: User, release: Release) -> Submission:
    return as_if_scored(make_submission(alice, release, b"{}"))


def put(submission: Submission, state: str) -> Submission:
    Submission.objects.filter(pk=submission.pk).update(state=state, publish_on=LATER)
    return submission


def send(browser: Client, submission: Submission, **changed: str) -> Any:
    return browser.post(f"/submissions/{submission.pk}/edit/", {**TOLD, **changed})


@pytest.mark.parametrize("state", OPEN)
def test_settings_can_be_corrected(
    browser: Client, alice: User, submission: Submission, state: str
) -> None:
    answer = send(browser, put(submission, state))
    assert (answer.status_code, answer.url) == (302, f"/submissions/{submission.pk}/")
    stored = Submission.objects.get()
    assert (stored.note, stored.input_limit, stored.truncation) == ("seed 3", 128_000, "middle")
    entry = submission.audit_entries.get()
    assert (entry.actor, entry.action, entry.before, entry.after) == (
        alice, "edit settings", state, state,
    )  # fmt: skip
    assert entry.reason.splitlines() == [
        "note: – → seed 3",
        "input limit: – → 128000",
        "truncation: unknown → middle",
        "link: – → https://example.org/paper",
    ]
    assert "edited the run settings" in submission_html(browser, alice, submission)


def test_the_same_again_is_not_written_down(browser: Client, submission: Submission) -> None:
    send(browser, submission)
    send(browser, submission)
    assert submission.audit_entries.count() == 1


@pytest.mark.parametrize("state", [state for state in SubmissionState if state not in OPEN])
def test_settings_are_locked_during_review_and_after_publication(
    browser: Client, alice: User, submission: Submission, state: str
) -> None:
    put(submission, state)
    assert send(browser, submission).status_code == 302
    with refused("wrong_state"):
        edit_settings(submission, EditableSettings(note="x"), by=alice)
    assert Submission.objects.get().note == ""
    assert f"{submission.pk}/edit/" not in submission_html(browser, alice, submission)


def test_only_its_owner_may(rita: User, adam: User, submission: Submission) -> None:
    for user in (rita, adam):
        with refused("not_allowed"):
            edit_settings(submission, EditableSettings(note="x"), by=user)


def test_settings_that_scores_depend_on_cannot_be_changed(
    alice: User, submission: Submission
) -> None:
    edit_settings(submission, SubmissionSettings(drop_first=True), by=alice)
    assert not Submission.objects.get().drop_first


def test_errors_are_shown_and_nothing_is_stored(browser: Client, submission: Submission) -> None:
    answer = send(browser, submission, input_limit="lots", link="x")
    assert answer.status_code == 422
    assert "for example 131072" in texts_of(answer)
    assert Submission.objects.get().note == ""


def test_the_form_shows_the_stored_values(browser: Client, submission: Submission) -> None:
    html = browser.get(f"/submissions/{submission.pk}/edit/").content.decode()
    assert 'value="as published"' in html
    assert f"/submit/?from={submission.pk}" in html
