"""How the page of a submission follows its scoring."""

import re
import uuid
from datetime import timedelta
from unittest.mock import ANY

import pytest
from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from portal.evaluations.tasks import score_evaluation
from portal.models import Evaluation, Release, Stage, Submission, User
from portal.submissions.pages.progress import how_long, progress_of
from tests.support.clients import (
    HTMX,
    fail,
    html_of,
    leased,
    scored_submission,
    status,
    submission_html,
    waiting_submission,
)
from tests.support.factories import as_if_scored, make_submission, only_evaluation

pytestmark = pytest.mark.django_db
waiting = pytest.fixture(waiting_submission)
scored = pytest.fixture(scored_submission)


def aged(submission: Submission, seconds: int) -> Submission:
    back = timedelta(seconds=seconds)
    submission.evaluations.update(created=F("created") - back, started=F("started") - back)
    return submission


def test_a_page_in_progress_updates_itself(
    client: Client, alice: User, waiting: Submission
) -> None:
    html = submission_html(client, alice, waiting)
    assert reasons(waiting) == {"next": ANY}
    assert 'hx-trigger="every 300ms"' in html
    assert re.search(
        r'<noscript><meta http-equiv="refresh" content="\d+"></noscript> </head>', html
    )


def test_a_poll_without_news_is_answered_with_nothing(
    client: Client, alice: User, waiting: Submission
) -> None:
    [etag] = re.findall(r"\?etag=(\w+)", submission_html(client, alice, waiting))
    response = status(client, waiting, etag=etag)
    assert (response.status_code, response.content) == (204, b"")


def test_a_claim_is_seen(client: Client, alice: User, waiting: Submission) -> None:
    [etag] = re.findall(r"\?etag=(\w+)", submission_html(client, alice, waiting))
    leased(waiting)
    html = html_of(status(client, waiting, etag=etag))
    assert "state-running" in html
    assert "<main" not in html


def test_the_step_that_is_done_is_seen(client: Client, alice: User, waiting: Submission) -> None:
    lease = leased(waiting)
    sentences, etags = [], set()
    for stage in Stage:
        if stage is not Stage.READING:  # which the claim begins with
            lease.enter(stage)
        [evaluation] = waiting.evaluations.all()
        progress = progress_of(evaluation)
        assert progress
        assert evaluation.stage == stage
        sentences.append(progress.sentence)
        etags.add(progress.etag)
    assert [re.findall(r"\d", sentence) for sentence in sentences] == [
        ["1", "3"], ["2", "3"], ["3", "3"]
    ]  # fmt: skip
    assert len(etags) == 3


def test_the_scores_come_with_the_answer_and_end_the_questions(
    client: Client, alice: User, waiting: Submission
) -> None:
    [etag] = re.findall(r"\?etag=(\w+)", submission_html(client, alice, waiting))
    score_evaluation(only_evaluation(waiting).pk)
    html = html_of(status(client, waiting, etag=etag))
    assert html.startswith("<title>Model: scored")
    assert "66.67" in html
    assert "hx-get" not in html


def test_a_finished_page_loads_no_script_and_not_again(
    client: Client, alice: User, scored: Submission
) -> None:
    html = submission_html(client, alice, scored)
    assert "htmx" not in html
    assert "http-equiv" not in html


def test_it_asks_ever_more_seldom(waiting: Submission) -> None:
    found = []
    for seconds in (0, 20, 100, 10_000):
        progress = progress_of(only_evaluation(aged(waiting, seconds)))
        assert progress
        found.append(progress.interval)
    assert found == [300, 1_000, 3_000, 10_000]


def test_the_position_in_the_queue_is_shown(
    alice: User, bob: User, release: Release, waiting: Submission
) -> None:
    second, third = make_submission(bob, release, b"x"), make_submission(alice, release, b"y")
    assert "1" in reasons(second)["before"]
    assert "2" in reasons(third)["before"]
    as_if_scored(waiting)
    assert "next" in reasons(second)


def reasons(submission: Submission) -> dict[str, str]:
    progress = progress_of(only_evaluation(submission))
    assert progress
    return {reason.code: reason.text for reason in progress.reasons}


def test_a_stalled_queue_is_reported(waiting: Submission) -> None:
    aged(waiting, 200)
    assert how_long(200) in reasons(waiting)["no_worker"]


def test_a_queue_behind_work_does_not(waiting: Submission, bob: User, release: Release) -> None:
    aged(waiting, 300)
    behind = aged(make_submission(bob, release, b"x"), 200)
    leased(waiting)
    assert "no_worker" not in reasons(behind)
    assert how_long(200) in reasons(behind)["so_far"]


def test_a_second_attempt_is_shown_as_such(waiting: Submission) -> None:
    fail(waiting, "scorer_disk")
    assert {"2", "3"} <= set(reasons(waiting)["attempt"])
    leased(waiting)
    assert reasons(waiting).keys() == {"attempt", "broke_off"}


def test_the_pause_before_the_last_attempt_is_shown(waiting: Submission) -> None:
    fail(waiting, "scorer_disk", times=2)
    aged(waiting, 60)
    assert reasons(waiting).keys() == {"attempt", "broke_off", "pause"}
    assert how_long(int(settings.RESEND)) in reasons(waiting)["pause"]


def test_a_delayed_last_attempt_is_shown(waiting: Submission) -> None:
    fail(waiting, "scorer_disk", times=2)
    aged(waiting, 200)
    waiting.evaluations.update(due=F("due") - timedelta(seconds=200))
    assert "no_worker" in reasons(waiting)


def test_a_lost_worker_is_shown(waiting: Submission) -> None:
    leased(waiting)
    Evaluation.objects.update(lease_until=Now() - timedelta(seconds=5))
    assert "worker_lost" in reasons(waiting)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(15, "10 seconds"), (60, "1 minute"), (3_599, "59 minutes"), (7_200, "2 hours")],
)
def test_durations_change_seldom(seconds: int, words: str) -> None:
    assert how_long(seconds) == words


def test_an_expired_session_reloads_the_page(client: Client, waiting: Submission) -> None:
    response = status(client, waiting)
    assert response["HX-Refresh"] == "true"
    assert response.content == b""


def test_a_deleted_submission_reloads_the_page(client: Client, alice: User) -> None:
    client.force_login(alice)
    url = reverse("submission-status", args=[uuid.uuid4()])
    response = client.get(url, headers=HTMX)
    assert (response.status_code, response["HX-Refresh"]) == (404, "true")


def test_the_status_by_itself_is_the_page(client: Client, alice: User, scored: Submission) -> None:
    client.force_login(alice)
    response = client.get(reverse("submission-status", args=[scored.pk]))
    assert (response.status_code, response["Location"]) == (302, f"/submissions/{scored.pk}/")
