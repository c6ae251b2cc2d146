"""Entries for every kind of task, for the normal tests and for those with other projects' packages:
a file with some answers missing, and a run that has asked one question of each task."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from portal.evaluations.tasks import score_evaluation
from portal.models import SCORE_COLUMNS, ExampleResult, Release, Submission, User
from portal.releases.importer import import_release
from scoring.metrics import METRIC_SETS
from tests.support.example_results import change_results
from tests.support.factories import (
    add_answers,
    end_question,
    endpoint_run,
    make_submission,
    model,
    only_evaluation,
    packed,
    with_slug,
)
from tests.support.worlds import write_rows

ROWS: dict[str, list[dict[str, Any]]] = {
    "passkey": [
        {"id": key, "context": f"noise {key} " * 40, "input": "What is the pass key?",
         "answer": [f"7143{key}"], "options": []}
        for key in range(3)
    ],
    "longbook_qa_eng": [
        {"id": key, "context": f"A long story, {key}. " * 50, "input": "Who is “she”?",
         "answer": ["Eve", "the first woman"], "options": []}
        for key in (40, 7, 12)
    ],
    "code_debug": [
        {"id": key, "context": "def f(): ...\n" * 90, "input": "Which?", "answer": ["g"],
         "options": ["f", "g", "h", "i"]}
        for key in range(2)
    ],
    "math_calc": [
        {"id": key, "context": "1 + 2 - 3 " * 20, "input": "Compute.", "answer": [1, 3, 0],
         "options": []}
        for key in range(2)
    ],
}  # fmt: skip
PREDICTIONS = {
    "passkey": {0: "The pass key is 71430.", 1: "", 2: "71432"},
    "longbook_qa_eng": {40: "Eve, 夏娃 – “she”\n<b>", 7: "nobody"},  # 12 is missing
    "code_debug": {0: "B", 1: "g"},
    "math_calc": {0: "1, 3, 0", 1: "[1, 2"},
}


@pytest.fixture
def made(db: None, tmp_path: Path) -> Release:
    for task, rows in ROWS.items():
        write_rows(tmp_path / "made" / f"{task}.jsonl", rows)
    return import_release(tmp_path / "made", slug="made", title="Made")


@pytest.fixture
def kept(db: None, tmp_path: Path) -> Release:
    """A release with hidden answers."""
    for task, rows in ROWS.items():
        secret = [{**row, "context": f"{row['context']} secret"} for row in rows]
        write_rows(tmp_path / "kept" / f"{task}.jsonl", secret)
    return import_release(tmp_path / "kept", slug="kept", title="Kept", hidden=True)


@pytest.fixture
def files(made: Release, alice: User) -> Submission:
    contents = {
        f"preds_{task}.jsonl": "".join(
            json.dumps({"id": key, "prediction": text}) + "\n" for key, text in texts.items()
        ).encode()
        for task, texts in PREDICTIONS.items()
    }
    found = make_submission(alice, made, packed(contents))
    score_evaluation(only_evaluation(found).pk)
    assert only_evaluation(found).state == "scored", only_evaluation(found).question
    Submission.objects.filter(pk=found.pk).update(state="published", output_limit=100)
    return with_slug(Submission.objects.get(pk=found.pk))


@pytest.fixture
def asked(made: Release, alice: User) -> Submission:
    """A run that has asked the first question of each task, and got the right answer."""
    submission = Submission.objects.create(
        owner=alice,
        language_model=model("Asked", organisation="A Lab", weights="open"),
        release=made,
        state="published",
    )
    with_slug(submission)
    columns = {
        task: {name: [1.0, *[None] * (len(rows) - 1)] for name in METRIC_SETS}
        for task, rows in ROWS.items()
    }
    add_answers(submission, columns, asked=dict.fromkeys(ROWS, range(1)))
    right = dict.fromkeys(SCORE_COLUMNS.values(), 1.0)
    change_results(
        ExampleResult.objects.filter(evaluation__submission=submission, index=0),
        prediction="x",
        **right,
    )
    run = endpoint_run(alice, made, submission=submission, ending="cap")
    for one in run.questions.filter(example__index=0):
        end_question(run, one.place, text="x")
    return submission


def exported(client: Client, entry: Submission) -> zipfile.ZipFile:
    response = client.get(reverse("entry-every-eval-ever", args=[entry.entry_id]))
    assert response.status_code == 200
    return zipfile.ZipFile(io.BytesIO(response.getvalue()))


def example_rows(client: Client, entry: Submission) -> list[dict[str, Any]]:
    """The rows of our own download, with which every format is compared."""
    content = client.get(reverse("entry-examples-jsonl", args=[entry.entry_id])).getvalue()
    return [json.loads(line) for line in content.splitlines()]
