"""A new version starts with the files of the last one; files live as long as versions use them."""

import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.urls import reverse

from portal.evaluations.tasks import score_evaluation
from portal.models import (
    CountedUpload,
    Evaluation,
    EvaluationState,
    Original,
    Release,
    Submission,
    SubmissionFile,
    User,
)
from portal.review.fingerprint import review_fingerprint
from portal.scores.documents.reports import command_line
from portal.submissions.files.held_tasks import FileRow, file_rows, held_tasks
from portal.submissions.files.originals import KeptFile, Upload
from portal.submissions.services import SubmissionSettings, delete_submission, submit_predictions
from tests.support.clients import (
    errors_of,
    form_with,
    signed_in,
    submission_html,
    submit,
    submitted,
)
from tests.support.factories import make_submission, model_of, original_of, packed
from tests.support.html import refused

pytestmark = pytest.mark.django_db

RUN = b'{"id": 0, "prediction": "4"}\n'
OLD = {"passkey.jsonl": b'{"id": 0, "prediction": "00000"}\n', "code_run.jsonl": RUN}
NEW_RUN = ("code_run.jsonl", b'{"id": 0, "prediction": "7"}\n')


@pytest.fixture
def browser(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def first(alice: User, release: Release) -> Submission:
    return read(make_submission(alice, release, packed(OLD)), [["passkey", "code_run"]])


def read(submission: Submission, contents: list[list[str]]) -> Submission:
    """The submission after a worker has read its files."""
    submission.evaluations.update(contents=contents)
    return submission


def again(
    browser: Client,
    submission: Submission,
    keep: Sequence[str],
    files: Sequence[tuple[str, bytes]] = (),
    /,
    **changed: Any,
) -> Any:
    """Send the form for a new version."""
    fields = {
        "release": submission.release_id,
        "truncation": "middle",
        "language_model": submission.language_model_id,
        "previous": submission.pk,
        "keep": list(keep),
        **changed,
    }
    return browser.post(reverse("submit"), form_with(files, fields))


def kept_in(submission: Submission) -> list[tuple[str, list[str] | None, bool]]:
    files = submission.files.select_related("original")
    return [(one.original.name, one.kept_tasks, one.is_new) for one in files]


def stored_names() -> list[str]:
    return default_storage.listdir("uploads")[1]


# The form


def test_the_form_offers_the_tasks_of_the_last_version(
    browser: Client, alice: User, first: Submission
) -> None:
    form = browser.get(f"/submit/?from={first.pk}").context["forms"].form
    assert [(held.task, ticked) for held, ticked in form.keepable] == [
        ("passkey", True),
        ("code_run", True),
    ]


def test_a_first_submission_keeps_nothing(browser: Client, release: Release) -> None:
    assert browser.get("/submit/").context["forms"].form.keepable == []
    submission = submitted(submit(browser, release, keep=["passkey", "file-1"]))
    assert kept_in(submission) == [("preds_passkey.jsonl", None, True)]


def test_a_file_that_was_not_read_yet_is_offered_as_a_whole(
    browser: Client, alice: User, release: Release
) -> None:
    waiting = make_submission(alice, release, packed(OLD))
    [(held, _)] = browser.get(f"/submit/?from={waiting.pk}").context["forms"].form.keepable
    assert held.value == f"file-{original_of(waiting).pk}"
    second = submitted(again(browser, waiting, [held.value]))
    assert kept_in(second) == [("preds.zip", None, False)]


def test_a_file_that_is_read_in_the_meantime_is_kept_with_all_its_tasks(
    browser: Client, first: Submission
) -> None:
    second = submitted(again(browser, first, [f"file-{original_of(first).pk}"]))
    assert kept_in(second) == [("preds.zip", ["passkey", "code_run"], False)]


def test_a_new_file_is_added_to_what_is_kept(browser: Client, first: Submission) -> None:
    second = submitted(again(browser, first, ["passkey", "code_run"], [NEW_RUN]))
    assert kept_in(second) == [
        ("preds.zip", ["passkey", "code_run"], False),
        ("code_run.jsonl", None, True),
    ]
    assert second.previous == first
    assert len(stored_names()) == Original.objects.count() == 2


def test_a_changed_setting_needs_no_upload(browser: Client, first: Submission) -> None:
    second = submitted(again(browser, first, ["passkey"], prompt_strategy="few-shot"))
    assert second.prompt_strategy == "few-shot"
    assert kept_in(second) == [("preds.zip", ["passkey"], False)]
    assert CountedUpload.objects.get(submission=second.pk).size == 0
    assert len(stored_names()) == 1


def test_a_version_without_any_file_is_refused(browser: Client, first: Submission) -> None:
    answer = again(browser, first, [])
    assert errors_of(answer) == ["predictions"]
    assert [ticked for _, ticked in answer.context["forms"].form.keepable] == [False, False]
    assert errors_of(again(browser, first, ["math_calc", "file-999", "\0"])) == ["predictions"]


def test_files_of_others_cannot_be_kept(browser: Client, bob: User, release: Release) -> None:
    other = read(make_submission(bob, release, packed(OLD)), [["passkey", "code_run"]])
    answer = again(browser, other, ["passkey"], language_model="new", **{"model-name": "Mine"})
    assert "predictions" in errors_of(answer)


def test_a_form_sent_twice_makes_one_version(browser: Client, first: Submission) -> None:
    fields = {"submission": "b5fbf1b0-4f6c-4f0f-8f0a-6a29e0bbd1c0"}
    places = [again(browser, first, ["passkey"], [NEW_RUN], **fields).url for _ in range(2)]
    assert places[0] == places[1]
    assert SubmissionFile.objects.count() == 3
    assert len(stored_names()) == 2


def test_a_version_of_a_failed_version_starts_with_what_that_one_kept(
    browser: Client, first: Submission
) -> None:
    second = submitted(again(browser, first, ["passkey"], [("code_run.jsonl", b"%PDF-")]))
    assert [one.value for one in held_tasks(second)] == [
        "passkey",
        f"file-{Original.objects.latest('pk').pk}",
    ]
    read(second, [["passkey"], []])
    assert [one.value for one in held_tasks(second)] == ["passkey"]


def submit_kept(owner: User, release: Release, kept: list[KeptFile]) -> Submission:
    return submit_predictions(
        owner=owner,
        language_model=model_of(owner),
        release=release,
        settings=SubmissionSettings(),
        upload=Upload(ContentFile(b"{}"), "x.jsonl"),
        kept=kept,
    )


def test_the_service_keeps_no_files_of_others_and_none_that_are_gone(
    alice: User, bob: User, first: Submission, release: Release
) -> None:
    original = original_of(first)
    with refused("files_gone"):
        submit_kept(bob, release, [KeptFile(original)])
    delete_submission(first, by=alice)
    with refused("files_gone"):
        submit_kept(alice, release, [KeptFile(original)])
    assert not Submission.objects.exists()


def test_kept_and_new_files_together_have_the_limit_of_one_upload(
    alice: User, first: Submission, release: Release
) -> None:
    Original.objects.update(size=100 << 20)
    original = original_of(first)
    with refused("too_large_with_kept"):
        submit_kept(alice, release, [KeptFile(original)])
    assert len(stored_names()) == Submission.objects.count() == 1


# Deleting


@pytest.mark.django_db(transaction=True)
def test_a_shared_file_stays_until_its_last_version_is_deleted(
    browser: Client, alice: User, first: Submission
) -> None:
    second = submitted(again(browser, first, ["passkey"], [NEW_RUN]))
    shared = str(original_of(first).file.name).removeprefix("uploads/")
    delete_submission(first, by=alice)
    assert shared in stored_names()
    assert [row.version for row in file_rows(second)] == [None, None]
    delete_submission(second, by=alice)
    assert stored_names() == []
    assert not Original.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_versions_deleted_at_once_leave_nothing(
    browser: Client, alice: User, first: Submission
) -> None:
    for _ in range(3):
        versions = [submitted(again(browser, first, ["passkey"], [NEW_RUN])) for _ in range(2)]
        at_once(*(lambda one=one: delete_submission(one, by=alice) for one in versions))
        assert len(stored_names()) == Original.objects.count() == 1
    assert default_storage.exists(str(original_of(first).file.name))


@pytest.mark.django_db(transaction=True)
def test_a_version_that_keeps_a_file_while_it_is_deleted_has_it_or_is_refused(
    alice: User, release: Release
) -> None:
    for _ in range(4):
        first = make_submission(alice, release, packed(OLD))
        original = original_of(first)

        def keep(original: Original = original) -> None:
            submit_kept(alice, release, [KeptFile(original)])

        at_once(keep, lambda first=first: delete_submission(first, by=alice))
        assert set(stored_names()) == {
            str(name).removeprefix("uploads/")
            for name in Original.objects.values_list("file", flat=True)
        }
        assert not Original.objects.filter(uses=None).exists()


def at_once(*acts: Any) -> None:
    def run(act: Any) -> None:
        try:
            act()
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    errors: list[Exception] = []
    threads = [Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {getattr(error, "code", repr(error)) for error in errors} <= {"files_gone"}


# The worker


def score_now(submission: Submission) -> Evaluation:
    evaluation = submission.evaluations.get()
    evaluation.align = "id"
    evaluation.save()
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.SCORED, evaluation.failure_details
    return evaluation


def test_the_box_reads_what_is_kept_and_what_is_new(
    browser: Client, alice: User, release: Release
) -> None:
    first = make_submission(alice, release, packed(OLD))
    assert score_now(first).contents == [["passkey", "code_run"]]
    second = submitted(again(browser, first, ["passkey", "code_run"], [NEW_RUN]))
    evaluation = score_now(second)
    assert evaluation.contents == [["passkey"], ["code_run"]]
    predictions = evaluation.example_results.filter(index=0).order_by("task")
    assert list(predictions.values_list("task", "prediction")) == [
        ("code_run", "7"),
        ("passkey", "00000"),
    ]
    whole = make_submission(alice, release, packed({**OLD, NEW_RUN[0]: NEW_RUN[1]}))
    assert score_now(whole).predictions_hash == evaluation.predictions_hash


def test_the_task_given_for_a_kept_file_goes_on_with_it(
    browser: Client, alice: User, release: Release
) -> None:
    first = submitted(submit(browser, release, [("mine.jsonl", RUN)], task="code_run"))
    score_now(first)
    second = submitted(again(browser, first, ["code_run"]))
    assert score_now(second).contents == [["code_run"]]


# What pages show


@pytest.fixture
def second(browser: Client, first: Submission) -> Submission:
    submission = submitted(again(browser, first, ["passkey", "code_run"], [NEW_RUN]))
    return read(submission, [["passkey"], ["code_run"]])


def test_the_page_says_which_tasks_came_from_which_version(
    client: Client, alice: User, second: Submission
) -> None:
    rows = [(row.file.is_new, row.tasks, row.version) for row in file_rows(second)]
    assert rows == [(False, ["Retrieve.PassKey"], 1), (True, ["Code.Run"], None)]
    html = submission_html(client, alice, second)
    assert re.findall('data-from="([^"]*)"', html) == ["1", ""]
    assert html.count("data-file=") == 2
    assert html.count("data-kept") == 1


def test_reviewers_see_the_files_too(rita: User, second: Submission) -> None:
    page = signed_in(rita).get(reverse("review-submission", args=[second.pk])).content.decode()
    assert page.count("data-file=") == 2
    assert page.count("data-kept") == 1


def test_a_submission_with_files_of_its_own_says_nothing_of_versions(
    client: Client, alice: User, first: Submission
) -> None:
    assert "data-from" not in submission_html(client, alice, first)


def test_a_file_that_was_not_read_yet_has_no_tasks(alice: User, release: Release) -> None:
    [row] = file_rows(make_submission(alice, release, packed(OLD)))
    assert row == FileRow(row.file, None, None)


def test_each_file_can_be_downloaded(browser: Client, second: Submission) -> None:
    address = reverse("submission-original", args=[second.pk])

    def taken(query: str) -> bytes:
        answer: Any = browser.get(address + query)
        return b"".join(answer.streaming_content)

    assert browser.head(address)["Content-Disposition"].endswith('-2.jsonl"')
    assert taken("") == taken("?file=1") == NEW_RUN[1]
    with zipfile.ZipFile(io.BytesIO(taken("?file=0"))) as archive:
        assert sorted(archive.namelist()) == sorted(OLD)
    for query in ("?file=2", "?file=-1", "?file=x", "?file=" + "9" * 30):
        assert browser.get(address + query).status_code == 404


def test_the_command_names_what_is_kept(second: Submission) -> None:
    Original.objects.filter(name="preds.zip").update(file_tasks={"a.jsonl": "passkey"})
    command = command_line(second.evaluations.get())
    assert "score code_run.jsonl --keep preds.zip=passkey,code_run --gold DIR" in command
    assert "--task a.jsonl=passkey" in command
    Original.objects.update(name="-.zip", task="code_run")
    command = command_line(second.evaluations.get())
    assert "score 2/-.zip --keep 1/-.zip=passkey,code_run" in command
    assert "--task -.zip=code_run --task a.jsonl=passkey --task code_run" in command


def test_the_fingerprint_covers_the_files(second: Submission) -> None:
    before = review_fingerprint(second.pk)
    second.files.filter(position=0).update(kept_tasks=["passkey"])
    assert review_fingerprint(second.pk) != before


def test_storage_has_what_rows_name(second: Submission, storage: Path) -> None:
    names = Original.objects.values_list("file", flat=True)
    assert {storage / str(name) for name in names} == set((storage / "uploads").iterdir())
