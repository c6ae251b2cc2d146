"""∞Bench as one release: its label versions, numbered questions, and which of them files match."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.board.filters import Filters
from leaderboard.details import detailed
from leaderboard.entries import OtherData
from leaderboard.queries import entries_of, releases_with_boards
from portal.errors import ReleaseError
from portal.evaluations.tasks import score_evaluation
from portal.models import (
    Evaluation,
    EvaluationState,
    Example,
    Release,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from portal.releases.importer import import_release, import_tasks, label_drafts
from portal.scores.documents.reports import scored_data
from portal.submissions.pages.questions import ReleaseQuestion, VersionQuestion, question_of
from portal.submissions.services import answer_question
from scoring.embedded_gold import embedded_gold
from scoring.predictions.reader import read_predictions
from tests.support.clients import FILE, signed_in, submit, submitted
from tests.support.factories import make_submission, only_evaluation, with_slug
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

SIZE = 590  # of Retrieve.PassKey
LABELS = [f"{n:05}" for n in range(SIZE)]
OLDER = [*LABELS[:500], *(f"9{n:04}" for n in range(90))]
OLDER_IDS = range(3, 3 + 2 * SIZE, 2)
Rows = list[dict[str, Any]]


def rows_of(labels: list[str], ids: Any) -> Rows:
    return [{"id": key, "answer": label} for key, label in zip(ids, labels, strict=True)]


@pytest.fixture
def benchmark(tmp_path: Path) -> Release:
    """Two label versions of one task: the older one has other ids, and 90 other labels."""
    for slug, rows in {
        "older": rows_of(OLDER, OLDER_IDS),
        "newer": rows_of(LABELS, range(SIZE)),
    }.items():
        write_rows(tmp_path / slug / "passkey.jsonl", rows)
        import_release(tmp_path / slug, slug=slug, title=slug.title(), official=True)
    return Release.objects.get(slug="infinitebench")


@pytest.fixture
def small(tmp_path: Path) -> Release:
    write_rows(tmp_path / "small" / "passkey.jsonl", rows_of(["11111", "22222"], range(2)))
    return import_release(tmp_path / "small", slug="small", title="Small")


def uploaded(owner: User, release: Release, rows: Rows, name: str = "preds_passkey.jsonl") -> Any:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    submission = make_submission(owner, release, text.encode(), name)
    score_evaluation(only_evaluation(submission).pk)
    return submission


def predictions(rows: Rows, *, ids: bool = True, labels: bool = True) -> Rows:
    """The right answers, as files carry them."""
    return [
        {
            **({"id": row["id"]} if ids else {}),
            "prediction": row["answer"],
            **({"ground_truth": row["answer"]} if labels else {}),
        }
        for row in rows
    ]


def scored_with(submission: Submission) -> tuple[str, float]:
    """The release of the labels, and the score."""
    score = TaskScore.objects.filter(evaluation__submission=submission).first()
    assert score
    return score.data_set.releases.exclude(slug="infinitebench").get().slug, score.mean


def state_of(submission: Submission) -> str:
    return only_evaluation(submission).state


# Versions


def test_official_releases_are_versions_of_one(benchmark: Release) -> None:
    versions = benchmark.label_versions.order_by("slug")
    assert [one.slug for one in versions] == ["newer", "older"]
    assert set(benchmark.data_sets.all()) == set(versions[0].data_sets.all())
    assert list(Release.objects.open_for_submissions()) == [benchmark]
    assert list(Release.objects.with_boards()) == [benchmark]


def test_the_name_of_the_whole_is_taken(tmp_path: Path) -> None:
    write_rows(tmp_path / "passkey.jsonl", rows_of(LABELS, range(SIZE)))
    with pytest.raises(ReleaseError):
        import_release(tmp_path, slug="infinitebench", title="Mine", official=True)
    assert not Release.objects.exists()


def test_submissions_to_a_release_that_becomes_a_version_move_along(
    alice: User, tmp_path: Path
) -> None:
    write_rows(tmp_path / "passkey.jsonl", rows_of(LABELS, range(SIZE)))
    before = import_release(tmp_path, slug="hf", title="HF")
    submission = uploaded(alice, before, predictions(rows_of(LABELS, range(SIZE))))
    import_release(tmp_path, slug="hf", title="HF", official=True)
    submission.refresh_from_db()
    assert submission.release.slug == "infinitebench"


def test_a_form_that_names_a_version_submits_to_the_whole(alice: User, benchmark: Release) -> None:
    version = benchmark.label_versions.get(slug="older")
    submission = submitted(submit(signed_in(alice), version, [FILE]))
    assert submission.release == benchmark


def test_a_question_has_one_number_in_all_versions(benchmark: Release) -> None:
    for data_set in (one.data_sets.get() for one in benchmark.label_versions.all()):
        numbers = data_set.examples.order_by("index").values_list("question_number", flat=True)
        assert list(numbers) == list(range(SIZE))


def test_part_of_the_questions_is_numbered_by_the_ids_of_the_version_that_fits(
    benchmark: Release, tmp_path: Path
) -> None:
    part = predictions(rows_of(OLDER, OLDER_IDS))[480:520]
    file = write_rows(tmp_path / "preds_passkey.jsonl", part)
    _, gold = embedded_gold(read_predictions(file))
    import_tasks(Release(slug="released", title="Released"), label_drafts(gold.values(), file))
    numbers = Example.objects.filter(data_set__releases__slug="released").order_by("index")
    assert [one.question_number for one in numbers] == list(range(480, 520))


def test_generated_examples_have_no_number(small: Release) -> None:
    assert not Example.objects.filter(question_number__isnull=False).exists()


# Which version, and which release


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize(
    ("version", "rows"),
    [("newer", rows_of(LABELS, range(SIZE))), ("older", rows_of(OLDER, OLDER_IDS))],
)
def test_the_version_that_fits_is_taken(
    alice: User, benchmark: Release, version: str, rows: Rows, labels: bool
) -> None:
    submission = uploaded(alice, benchmark, predictions(rows, labels=labels))
    assert scored_with(submission) == (version, 100.0)
    [row] = scored_data(only_evaluation(submission), with_labels=True)
    assert row.versions == [version.title()]


def test_with_neither_ids_nor_labels_the_author_is_asked(alice: User, benchmark: Release) -> None:
    bare = predictions(rows_of(OLDER, OLDER_IDS), ids=False, labels=False)
    submission = uploaded(alice, benchmark, bare)
    question = question_of(only_evaluation(submission), with_agreement=True)
    assert isinstance(question, VersionQuestion)
    assert [release.slug for release, _ in question.versions] == ["newer", "older"]
    assert question.tasks == [("Retrieve.PassKey", 90)]
    answer(alice, submission, version="older")
    assert scored_with(submission) == ("older", 100.0)


def answer(owner: User, submission: Submission, **choice: str) -> None:
    path = f"/submissions/{submission.pk}/answer/"
    signed_in(owner).post(path, choice)
    score_evaluation(only_evaluation(submission).pk)


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("labels", [True, False])
def test_files_for_another_release_are_scored_there_with_one_click(
    alice: User, benchmark: Release, small: Release, ids: bool, labels: bool
) -> None:
    rows = predictions(rows_of(["11111", "22222"], range(2)), ids=ids, labels=labels)
    submission = uploaded(alice, benchmark, rows)
    question = question_of(only_evaluation(submission), with_agreement=True)
    assert isinstance(question, ReleaseQuestion)
    [other] = question.others
    assert other.release == small
    assert other.evidence == ("all labels" if labels else "all ids" if ids else "counts")
    page = signed_in(alice).get(f"/submissions/{submission.pk}/").content.decode()
    assert 'name="release" value="small"' in page
    assert 'name="align"' not in page
    answer(alice, submission, release="small")
    assert scored_with(submission) == ("small", 100.0)
    logged = submission.audit_entries.get(action="answer")
    assert logged.reason == "release: infinitebench → small"


def test_the_author_may_insist(alice: User, benchmark: Release, small: Release) -> None:
    rows = predictions(rows_of(["11111", "22222"], range(2)))
    submission = uploaded(alice, benchmark, rows)
    answer(alice, submission, release="infinitebench")
    question = question_of(only_evaluation(submission), with_agreement=True)
    if question:  # how its rows are matched is a separate question
        answer(alice, submission, align="id")
    assert scored_with(submission)[1] < 1.0
    assert Submission.objects.get().release == benchmark


def test_an_answer_leaves_earlier_ones_as_they_are(alice: User, benchmark: Release) -> None:
    bare = predictions(rows_of(OLDER, OLDER_IDS), ids=False, labels=False)
    submission = uploaded(alice, benchmark, bare)
    submission.evaluations.update(release_confirmed=True, align="order")
    answer_question(only_evaluation(submission), by=alice, version="older")
    answered = only_evaluation(submission)
    assert (answered.release_confirmed, answered.align) == (True, "order")
    assert (answered.label_version, answered.question) == ("older", None)


def test_only_an_open_release_can_be_chosen(
    alice: User, benchmark: Release, small: Release
) -> None:
    rows = predictions(rows_of(["11111", "22222"], range(2)))
    submission = uploaded(alice, benchmark, rows)
    Release.objects.filter(slug="small").update(accepts_submissions=False)
    for choice in ("small", "older", "none", ""):
        answer(alice, submission, release=choice)
        assert state_of(submission) == EvaluationState.NEEDS_ANSWER
    assert Submission.objects.get().release == benchmark


def test_hidden_releases_are_compared_with_nothing(
    alice: User, benchmark: Release, small: Release
) -> None:
    """A suggestion would reveal that labels in the file are those of the hidden release."""
    Release.objects.filter(slug="small").update(hidden=True)
    rows = predictions(rows_of(["11111", "22222"], range(2)))
    submission = uploaded(alice, benchmark, rows)
    question = only_evaluation(submission).question
    assert not question or "release" not in question


def test_files_for_a_public_release_are_recognised_on_a_hidden_one(
    alice: User, benchmark: Release, small: Release
) -> None:
    Release.objects.filter(slug="small").update(hidden=True)
    small.refresh_from_db()
    submission = uploaded(alice, small, predictions(rows_of(LABELS, range(SIZE))))
    question = question_of(only_evaluation(submission), with_agreement=False)
    assert isinstance(question, ReleaseQuestion)
    assert [other.release for other in question.others] == [benchmark]
    [task] = question.others[0].tasks
    assert task.chosen
    assert task.chosen.labelled == 0


def test_a_damaged_release_does_not_stop_others(
    alice: User, benchmark: Release, small: Release
) -> None:
    Example.objects.filter(data_set__releases=small).update(label="33333")
    rows = predictions(rows_of(LABELS, range(SIZE)))
    assert scored_with(uploaded(alice, benchmark, rows)) == ("newer", 100.0)


def test_scoring_again_asks_nothing_again(
    client: Client, alice: User, benchmark: Release, small: Release
) -> None:
    rows = predictions(rows_of(["11111", "22222"], range(2)))
    submission = uploaded(alice, benchmark, rows)
    answer(alice, submission, release="small")
    signed_in(alice).post(f"/submissions/{submission.pk}/score-again/")
    again = submission.evaluations.first()
    assert again
    score_evaluation(again.pk)
    assert Evaluation.objects.get(pk=again.pk).state == EvaluationState.SCORED


# The board


def publish(*submissions: Submission) -> None:
    keys = [one.pk for one in submissions]
    Submission.objects.filter(pk__in=keys).update(state=SubmissionState.PUBLISHED)
    for submission in submissions:
        submission.refresh_from_db()
        with_slug(submission)


@pytest.fixture
def entries(alice: User, benchmark: Release) -> Mapping[str, str]:
    """One entry for each version: the slug of its labels, by its address."""
    newer = uploaded(alice, benchmark, predictions(rows_of(LABELS, range(SIZE))))
    older = uploaded(alice, benchmark, predictions(rows_of(OLDER, OLDER_IDS)))
    publish(newer, older)
    return {newer.entry_id: "newer", older.entry_id: "older"}


def test_entries_of_all_versions_are_on_one_board(entries: Mapping[str, str]) -> None:
    [board] = releases_with_boards()
    assert dict(board.versions) == {"newer": "Newer", "older": "Older"}
    found = detailed(entries_of(board, "strict"), board, "strict")
    assert {one.id: list(one.label_versions or []) for one in found} == {
        key: [version] for key, version in entries.items()
    }
    differences = {entries[one.id]: dict(one.other_data) for one in found}
    assert differences == {"newer": {}, "older": {"passkey": OtherData(SIZE, SIZE, 90)}}


def shown(client: Client, path: str, **query: str) -> set[str]:
    document = client.get(path, {"entries": "all", **query}, follow=True).json()
    return {entry["entry"] for entry in document["entries"]}


def test_a_filter_shows_those_of_one_version(client: Client, entries: Mapping[str, str]) -> None:
    path = "/board/infinitebench/board.json"
    assert shown(client, path) == set(entries)
    for key, version in entries.items():
        assert shown(client, path, labels=version) == {key}
        assert shown(client, f"/board/{version}/board.json") == {key}
    assert shown(client, path, labels="own") == set()
    assert shown(client, path, labels="nothing-like-it") == set(entries)


def test_the_old_address_of_a_version_leads_to_its_filter(
    client: Client, entries: Mapping[str, str]
) -> None:
    answer = client.get("/board/older/", {"sort": "passkey"})
    assert answer.status_code == 301
    assert answer["Location"] == "/board/infinitebench/?sort=passkey&labels=older"
    assert client.get("/board/nothing/").status_code == 404


def test_other_data_have_a_footnote(client: Client, entries: Mapping[str, str]) -> None:
    page = client.get("/board/infinitebench/", {"entries": "all"}).content.decode()
    assert page.count("data-other-data") == 2  # the task, and the mean
    assert str(Filters(labels=("older",))) == "?labels=older"
