"""What can be downloaded, by whom, and with which headers."""

import hashlib
import json
import os
from http import HTTPStatus
from pathlib import Path

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from portal.evaluations.tasks import score_evaluation
from portal.models import Release, ReleaseAdmission, Submission, User
from portal.submissions.files.originals import delete_file
from portal.submissions.files.views import file_ending
from portal.submissions.services import score_again
from tests.support.factories import (
    as_if_scored,
    make_submission,
    only_evaluation,
    original_of,
    packed_folder,
)

pytestmark = pytest.mark.django_db
OF_SCORES = ("submission-report", "submission-examples-csv", "submission-examples-jsonl")
ALL = ("submission-original", *OF_SCORES)


@pytest.fixture
def waiting(alice: User, release: Release) -> Submission:
    return make_submission(alice, release, b"anything")


@pytest.fixture
def scored(waiting: Submission) -> Submission:
    return as_if_scored(waiting)


Answer = HttpResponse | StreamingHttpResponse


def taken(client: Client, user: User, name: str, submission: Submission, **query: int) -> Answer:
    client.force_login(user)
    answer = client.get(reverse(name, args=[submission.pk]), query)
    assert isinstance(answer, Answer)
    return answer


def content(answer: Answer) -> bytes:
    if isinstance(answer, StreamingHttpResponse):
        return b"".join(answer.streaming_content)  # type: ignore[arg-type]  # it is not asynchronous
    return answer.content


def test_the_original_comes_back_byte_for_byte(
    client: Client, alice: User, release: Release
) -> None:
    data = os.urandom(700_000)
    submission = make_submission(alice, release, data, name='evil".html\r\nX: y.ZIP')
    answer = taken(client, alice, "submission-original", submission)
    assert hashlib.sha256(content(answer)).hexdigest() == original_of(submission).hash
    assert answer["Content-Length"] == "700000"
    assert answer["Content-Type"] == "application/octet-stream"
    name = f"model-of-alice-{submission.pk.hex[:8]}.zip"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize("name", ALL)
def test_a_browser_saves_the_file_and_executes_nothing(
    client: Client, alice: User, scored: Submission, name: str
) -> None:
    answer = taken(client, alice, name, scored)
    content(answer)
    assert answer["Content-Security-Policy"] == "sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment; ")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("name", ALL)
def test_a_head_has_no_body(client: Client, alice: User, scored: Submission, name: str) -> None:
    client.force_login(alice)
    answer = client.head(reverse(name, args=[scored.pk]))
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment; ")
    assert content(answer) == b""  # type: ignore[arg-type]


def test_the_head_of_the_original_has_its_length(
    client: Client, alice: User, waiting: Submission
) -> None:
    client.force_login(alice)
    answer = client.head(reverse("submission-original", args=[waiting.pk]))
    assert answer["Content-Length"] == str(len(b"anything"))


def test_a_download_of_the_original_can_be_resumed(
    client: Client, alice: User, waiting: Submission
) -> None:
    client.force_login(alice)
    address = reverse("submission-original", args=[waiting.pk])
    answer = client.get(address, headers={"Range": "bytes=3-"})
    assert answer.status_code == HTTPStatus.PARTIAL_CONTENT
    assert content(answer) == b"thing"  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ALL)
def test_anothers_is_not_there(client: Client, bob: User, scored: Submission, name: str) -> None:
    assert taken(client, bob, name, scored).status_code == 404


@pytest.mark.parametrize("name", OF_SCORES)
def test_without_scores_there_is_nothing(
    client: Client, alice: User, waiting: Submission, name: str
) -> None:
    assert taken(client, alice, name, waiting).status_code == 404


def test_a_lost_file_is_not_found(
    client: Client, alice: User, waiting: Submission, storage: Path
) -> None:
    delete_file(original_of(waiting))
    assert taken(client, alice, "submission-original", waiting).status_code == 404


@pytest.mark.parametrize("name", OF_SCORES[1:])
def test_examples_of_a_hidden_release_are_for_reviewers(
    client: Client, alice: User, rita: User, scored: Submission, name: str
) -> None:
    Release.objects.update(hidden=True)
    assert taken(client, alice, name, scored).status_code == 404
    answer = taken(client, rita, name, scored)
    assert (answer.status_code, bool(content(answer))) == (200, True)


def test_the_report_of_a_hidden_release_has_totals_only(
    client: Client, alice: User, rita: User, waiting: Submission
) -> None:
    Release.objects.update(hidden=True)
    ReleaseAdmission.objects.create(release=waiting.release, account=alice)
    as_if_scored(waiting)
    shown = json.loads(content(taken(client, alice, "submission-report", waiting)))
    assert shown["tasks"]["code_run"]["scores"]["strict"] == 90.0
    assert shown["tasks"]["code_run"]["band"]["strict"] == 10
    assert "examples" not in shown["tasks"]["code_run"]
    assert shown["signature"]["gold"]["code_run"]["labels"] is None  # that would confirm a guess
    assert b'"examples"' in content(taken(client, rita, "submission-report", waiting))


def test_earlier_results_can_be_taken_too(
    client: Client, alice: User, release: Release, world: Path
) -> None:
    submission = make_submission(alice, release, packed_folder(world / "preds"))
    submission.evaluations.update(align="id")
    first = only_evaluation(submission)
    score_evaluation(first.pk)
    score_evaluation(score_again(submission, by=alice).pk)
    newest = content(taken(client, alice, "submission-report", submission))
    assert content(taken(client, alice, "submission-report", submission, evaluation=first.pk)) == (
        newest
    )
    assert taken(client, alice, "submission-report", submission, evaluation=0).status_code == 404


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("a.ZIP", ".zip"),
        ("a.tar.gz", ".tar.gz"),
        ("preds_passkey.jsonl", ".jsonl"),
        ("a.jsonl.gz", ".jsonl.gz"),
        ("a.html", ".bin"),
        ("a.zip.exe", ".bin"),
        ("upload", ".bin"),
    ],
)
def test_only_accepted_file_types_have_extensions(name: str, ending: str) -> None:
    assert file_ending(name) == ending
