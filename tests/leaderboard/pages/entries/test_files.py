"""What everybody may download about a public entry, and which entries have no downloads."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from portal.evaluations.tasks import score_evaluation
from portal.models import (
    Action,
    Evaluation,
    EvaluationState,
    Release,
    Submission,
    SubmissionState,
    User,
)
from portal.states import change_submission
from portal.web import throttle
from scoring.__main__ import main
from tests.support import html
from tests.support.factories import make_submission, only_evaluation, packed_folder, with_slug
from tests.support.openings import LATER

pytestmark = pytest.mark.django_db

NAMES = (
    *("entry-predictions", "entry-examples-csv", "entry-examples-jsonl", "entry-report"),
    *("entry-every-eval-ever", "entry-eval-results"),
)


@pytest.fixture
def entry(alice: User, release: Release, world: Path) -> Submission:
    found = make_submission(alice, release, packed_folder(world / "preds"), "my secret.zip")
    Evaluation.objects.update(align="id")
    score_evaluation(only_evaluation(found).pk)
    assert only_evaluation(found).state == EvaluationState.SCORED
    Submission.objects.update(state=SubmissionState.PUBLISHED)
    return with_slug(Submission.objects.get())


def content(client: Client, entry: Submission, name: str) -> bytes:
    response = client.get(reverse(name, args=[entry.entry_id]))
    assert response.status_code == 200
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "sandbox"
    return response.getvalue()


def test_scoring_the_downloaded_predictions_again_gives_the_same_report(
    client: Client, entry: Submission, world: Path, tmp_path: Path
) -> None:
    archive, out = tmp_path / "predictions.zip", tmp_path / "report.json"
    archive.write_bytes(content(client, entry, "entry-predictions"))
    main(["score", str(archive), "--gold", str(world / "gold"), "--json", str(out)])
    again = json.loads(out.read_text())
    public = json.loads(content(client, entry, "entry-report"))
    for task, found in public["tasks"].items():
        for key in ("n", "answered", "missing", "scores", "stderr", "examples"):
            assert again["tasks"][task][key] == found[key], (task, key)
    assert again["overall"] == public["overall"]


def test_the_examples_have_predictions_and_scores(client: Client, entry: Submission) -> None:
    lines = content(client, entry, "entry-examples-jsonl").decode().splitlines()
    rows = list(csv.DictReader(io.StringIO(content(client, entry, "entry-examples-csv").decode())))
    assert [json.loads(line)["task"] for line in lines] == [row["task"] for row in rows]
    assert all(set(json.loads(line)) >= {"id", "prediction", "scores"} for line in lines)


def test_no_download_names_the_author_s_files(client: Client, entry: Submission) -> None:
    evaluation = only_evaluation(entry)
    problem = {
        "code": "bad_json", "severity": "error", "task": "passkey", "file": "my secret.jsonl",
        "line": 1, "message": "my secret", "fix": "", "params": {"name": "my secret"},
    }  # fmt: skip
    evaluation.problems = [problem]
    evaluation.save()
    assert all(b"my secret" not in content(client, entry, name) for name in NAMES)
    archive = io.BytesIO(content(client, entry, "entry-predictions"))
    assert all(name.startswith("preds_") for name in zipfile.ZipFile(archive).namelist())


def test_the_entry_links_to_its_downloads(client: Client, entry: Submission) -> None:
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    links = {str(link["href"]) for link in page.select("[data-files] a")}
    assert links == {reverse(name, args=[entry.entry_id]) for name in NAMES}


def test_of_an_entry_that_is_not_public_there_is_nothing(
    client: Client, entry: Submission, subtests: pytest.Subtests
) -> None:
    for state in SubmissionState:
        slug = entry.slug if state in ("published", "hidden", "withdrawn") else None
        Submission.objects.update(state=state, slug=slug, publish_on=LATER)
        for name in NAMES:
            with subtests.test(state=state, name=name):
                # HEAD, since only so many bodies are sent at once.
                status = client.head(reverse(name, args=[entry.entry_id])).status_code
                assert status == (200 if state == SubmissionState.PUBLISHED else 404)


def test_of_a_release_with_hidden_labels_there_is_nothing(
    client: Client, entry: Submission, rita: User, subtests: pytest.Subtests
) -> None:
    Release.objects.update(hidden=True)
    assert not html.page(client.get(f"/entries/{entry.entry_id}/")).select("[data-files]")
    client.force_login(rita)  # reviewers have the pages of the submission
    for name in NAMES:
        with subtests.test(name=name):
            assert client.get(reverse(name, args=[entry.entry_id])).status_code == 404


@pytest.mark.parametrize("entry_id", ["none", "reported-1"])
@pytest.mark.parametrize("name", NAMES)
def test_reported_and_unknown_entries_have_no_files(
    client: Client, name: str, entry_id: str
) -> None:
    assert client.get(reverse(name, args=[entry_id])).status_code == 404


def test_a_withdrawn_entry_s_files_are_gone_at_once(
    client: Client, entry: Submission, alice: User
) -> None:
    change_submission(entry, Action.WITHDRAW, by=alice)
    assert client.get(reverse("entry-report", args=[entry.entry_id])).status_code == 404


def test_strangers_are_throttled(
    client: Client, entry: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert throttle.MOST_EACH_MINUTE == 60
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 3)
    codes = [
        client.get(reverse("entry-report", args=[entry.entry_id])).status_code for _ in range(4)
    ]
    assert codes == [200] * 3 + [429]


def test_a_head_request_reads_nothing(client: Client, entry: Submission) -> None:
    response = client.head(reverse("entry-predictions", args=[entry.entry_id]))
    assert (response.status_code, response.getvalue()) == (200, b"")


def test_the_author_is_told_before_the_request(
    client: Client, entry: Submission, alice: User
) -> None:
    Submission.objects.update(state=SubmissionState.PRIVATE, slug=None)
    Release.objects.update(minimum_answered=0)
    client.force_login(alice)
    address = f"/submissions/{entry.pk}/request/"
    assert html.page(client.get(address)).select("[data-code='predictions public']")
    Release.objects.update(hidden=True)
    assert html.page(client.get(address)).select("[data-code='name public']")
