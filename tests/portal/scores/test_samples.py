"""What is said about the scores of a run that has not asked everything."""

import csv
import io
import json
from collections.abc import Sequence

import pytest
from django.test import Client
from django.urls import reverse

from portal.models import SCORE_COLUMNS, Evaluation, Release, Submission, User
from portal.scores.comparison.metric_sets import read_changes
from portal.scores.documents.reports import command_line, report_document
from portal.scores.documents.table import table_of
from portal.scores.estimates import estimate_scores
from portal.scores.samples import Sample, Settled, samples_among, settled_questions
from scoring.metrics import METRIC_SETS
from tests.support.example_results import change_results
from tests.support.factories import (
    SIZE,
    add_answers,
    add_examples,
    end_question,
    endpoint_run,
    model,
    release_of_all_tasks,
    with_slug,
)
from tests.support.html import page

TASK, OTHER = "passkey", "kv_retrieval"
SCORES = [1.0, None, None, None]  # the second question was asked, and has no answer


@pytest.fixture
def release(db: None) -> Release:
    release = release_of_all_tasks("keys", official=False)
    add_examples(release)
    return release


@pytest.fixture
def sample(release: Release, alice: User) -> Submission:
    return run_of(alice, release, SCORES, asked=2)


def run_of(
    owner: User, release: Release, scores: Sequence[float | None], asked: int | None
) -> Submission:
    submission = Submission.objects.create(
        owner=owner, language_model=model("Asked"), release=release, state="published"
    )
    with_slug(submission)
    columns = {task: dict.fromkeys(METRIC_SETS, scores) for task in (TASK, OTHER)}
    places = None if asked is None else dict.fromkeys(columns, range(asked))
    evaluation = add_answers(submission, columns, asked=places)
    change_results(
        evaluation.example_results.filter(index=0),
        prediction="x",
        **dict.fromkeys(SCORE_COLUMNS.values(), 1.0),
    )
    hashes = {key: {"labels": "", "questions": ""} for key in (TASK, OTHER)}
    aligned = dict.fromkeys((TASK, OTHER), "id")
    signature = {"scorer": "0", "input": "", "gold": hashes, "aligned": aligned}
    Evaluation.objects.filter(pk=evaluation.pk).update(signature=signature)
    settings = {"tasks": (TASK, OTHER, "number_string")}
    run = endpoint_run(owner, release, submission=submission, settings=settings, ending="stopped")
    for one in run.questions.filter(example__index__lt=asked or SIZE):
        end_question(run, one.place, text="x")
    return submission


def evaluation_of(submission: Submission) -> Evaluation:
    return submission.evaluations.get()


def test_what_was_not_asked_is_neither_wrong_nor_missing_in_any_file(
    client: Client, sample: Submission
) -> None:
    document = report_document(evaluation_of(sample), with_examples=True)
    task = document["tasks"][TASK]
    assert [task[name] for name in ("n", "asked", "answered", "missing")] == [4, 2, 1, 1]
    assert task["scores"]["strict"] == 50.0
    assert task["examples"]["asked"] == [True, True, False, False]
    assert (
        json.loads(client.get(f"/entries/{sample.entry_id}/report.json").content)["tasks"]
        == (document["tasks"])
    )
    with_scores = [("answered", 1.0), ("missing", 0.0), ("not asked", None), ("not asked", None)]
    lines = client.get(f"/entries/{sample.entry_id}/examples.jsonl").getvalue().splitlines()
    rows = [row for row in map(json.loads, lines) if row["task"] == TASK]
    assert [(row["status"], row["scores"]["strict"]) for row in rows] == with_scores
    table = client.get(f"/entries/{sample.entry_id}/examples.csv").getvalue().decode()
    cells = [row for row in csv.DictReader(io.StringIO(table)) if row["task"] == TASK]
    assert [(row["status"], row["strict"]) for row in cells] == [
        (status, "" if score is None else str(score)) for status, score in with_scores
    ]
    assert [one.n for one in read_changes(evaluation_of(sample).pk)] == [2, 2]


def test_no_command_makes_the_scores_of_a_sample_from_its_files(
    client: Client, sample: Submission, alice: User, release: Release
) -> None:
    assert command_line(evaluation_of(sample)) == ""
    client.force_login(alice)
    for address in (f"/entries/{sample.entry_id}/", f"/submissions/{sample.pk}/"):
        assert page(client.get(address)).select('[data-code="no command"]'), address
    assert page(client.get(f"/submissions/{sample.pk}/")).select('[data-code="sample"]')
    whole = run_of(alice, release, [1.0, 0.0, 0.0, 0.0], asked=None)
    assert command_line(evaluation_of(whole))


def test_the_table_tells_what_was_not_asked_from_what_is_missing(sample: Submission) -> None:
    table = table_of(evaluation_of(sample), verdicts=True)
    [row] = [one for one in table.rows if one.id == TASK]
    assert table.is_sample
    assert (row.not_asked, row.missing, row.partial) == (2, 1, False)
    assert [one.id for one in table.rows if one.is_unasked] == []
    sample.endpoint_run.questions.filter(task="number_string").update(state="waiting", outcome="")
    again = table_of(evaluation_of(sample), verdicts=True)
    assert [one.id for one in again.rows if one.is_unasked] == ["number_string"]


def test_the_share_is_of_all_questions_of_its_tasks(sample: Submission) -> None:
    """Including those of a task that the run never reached."""
    pk = evaluation_of(sample).pk
    assert samples_among([pk]) == {pk: Sample(4, 12)}
    assert samples_among([pk])[pk].percent == 33
    run = sample.endpoint_run
    run.settings["subset"] = "smoke"
    run.save()
    assert not samples_among([pk])[pk].is_random
    run.delete()
    assert samples_among([pk]) == {pk: Sample(4, 8)}


def test_a_run_that_has_asked_everything_is_whole_however_it_ended(
    client: Client, alice: User, release: Release
) -> None:
    whole = run_of(alice, release, [1.0, 0.0, 0.0, None], asked=SIZE)
    assert samples_among([evaluation_of(whole).pk]) == {}
    assert settled_questions(whole) == Settled(
        {key: list(range(SIZE)) for key in (TASK, OTHER, "number_string")}, is_random=True
    )
    assert not page(client.get(f"/entries/{whole.entry_id}/")).select("[data-asked]")


def test_a_fixed_handful_has_no_intervals(alice: User, release: Release) -> None:
    sample = run_of(alice, release, SCORES, asked=2)
    run = sample.endpoint_run
    run.settings["subset"] = "smoke"
    run.save()
    settled = settled_questions(sample)
    assert settled is not None
    assert not settled.is_random
    columns = {TASK: {"strict": SCORES}}
    data_sets = {TASK: release.data_sets.get(task=TASK)}
    found = estimate_scores(evaluation_of(sample), columns, data_sets, {TASK: 0}, settled)
    [row] = found.task_scores
    assert (row.mean, row.asked, row.low, row.stderr, row.covariances) == (50.0, 2, None, None, {})


def test_of_a_hidden_release_the_share_is_known_and_no_score(
    client: Client, sample: Submission, alice: User, release: Release
) -> None:
    Release.objects.filter(pk=release.pk).update(hidden=True)
    client.force_login(alice)
    found = page(client.get(f"/submissions/{sample.pk}/"))
    assert found.select('[data-code="sample withheld"]')
    assert not found.select('[data-code="awaits review"]')
    [notice] = page(client.get(f"/entries/{sample.entry_id}/")).select("[data-asked]")
    assert notice["data-asked"] == "33"
    [row] = page(client.get(reverse("board", args=["keys"]))).select("tr.partly")
    assert "33 % asked" in row.text


def test_the_api_says_how_much_was_asked_of_an_entry(client: Client, sample: Submission) -> None:
    entry = client.get(f"/api/v1/entries/{sample.entry_id}/").json()
    assert entry["asked_percent"] == 33
    model = client.get(f"/api/v1/models/{sample.language_model.slug}/").json()
    assert [one["asked_percent"] for one in model["entries"]] == [33]
