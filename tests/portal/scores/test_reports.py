"""The report from the database is, byte for byte, what the command writes for these files."""

import csv
import io
import json
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from django.db.models import Value
from django.db.models.functions import Repeat

from portal.evaluations.tasks import score_evaluation
from portal.models import (
    Evaluation,
    EvaluationState,
    Original,
    Release,
    ReleaseAdmission,
    Submission,
    User,
)
from portal.releases.importer import import_release
from portal.scores.documents.reports import (
    ExampleRow,
    command_line,
    csv_lines,
    example_rows,
    jsonl_lines,
    report_bytes,
    report_document,
)
from portal.submissions.services import answer_question
from portal.web.csv_files import escape_csv_formula
from scoring.alignment import Method
from scoring.metrics import METRIC_SETS
from tests.support.example_results import change_results
from tests.support.factories import (
    as_if_scored,
    make_submission,
    make_version,
    only_evaluation,
    packed_folder,
)
from tests.support.paths import ROOT
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db


def commanded(evaluation: Evaluation, upload: Path, gold: Path) -> bytes:
    """The output of the command shown on the page, run in the folder of the upload."""
    line = command_line(evaluation).replace("DIR", str(gold)).split()
    finished = subprocess.run(
        [sys.executable, *line[1:]],
        cwd=upload.parent,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return (upload.parent / "report.json").read_bytes()


def scored(submission: Submission, align: Method = "id") -> Evaluation:
    """Scored by the real scorer; if it has a question, this is the answer."""
    submission.refresh_from_db()
    score_evaluation(only_evaluation(submission).pk)
    if only_evaluation(submission).state == EvaluationState.NEEDS_ANSWER:
        answer_question(only_evaluation(submission), by=owner_of(submission), align=align)
        score_evaluation(only_evaluation(submission).pk)
    return only_evaluation(submission)


def owner_of(submission: Submission) -> User:
    assert submission.owner
    return submission.owner


def from_database(evaluation: Evaluation) -> bytes:
    return report_bytes(report_document(evaluation, with_examples=True))


def test_the_report_is_that_of_the_command(
    alice: User, release: Release, world: Path, tmp_path: Path
) -> None:
    upload = tmp_path / "preds.zip"
    upload.write_bytes(packed_folder(world / "preds"))
    evaluation = scored(make_submission(alice, release, upload.read_bytes()))
    assert from_database(evaluation) == commanded(evaluation, upload, world / "gold")


def test_the_report_of_a_version_that_keeps_tasks_is_that_of_the_command(
    alice: User, release: Release, world: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.zip"
    old.write_bytes(packed_folder(world / "preds"))
    new = write_rows(tmp_path / "new.jsonl", [{"id": 0, "prediction": "It is 00000."}])
    first = make_submission(alice, release, old.read_bytes(), name="old.zip")
    kept = ["code_debug", "passkey"]
    second = make_version(first, kept, new.read_bytes(), name="new.jsonl")
    Original.objects.filter(submission=second).update(task="passkey")
    for version in (second, make_version(first, ["passkey"])):
        first.evaluations.all().delete()
        evaluation = scored(version)
        assert from_database(evaluation) == commanded(evaluation, old, world / "gold")


def test_the_report_of_a_question_that_was_answered_is_that_of_the_command(
    alice: User, db: None, tmp_path: Path
) -> None:
    rows = [{"id": key, "answer": [f"{key:05}"]} for key in range(3)]
    write_rows(tmp_path / "gold" / "passkey.jsonl", rows)
    release = import_release(tmp_path / "gold", slug="short", title="Short")
    answers = [{"id": key + 90, "prediction": f"{key:05}"} for key in range(3)]
    upload = write_rows(tmp_path / "mine.jsonl", answers)
    submission = make_submission(alice, release, upload.read_bytes(), name="mine.jsonl")
    Original.objects.filter(submission=submission).update(task="passkey")
    evaluation = scored(submission, align="order")
    assert "--align order --task passkey" in command_line(evaluation)
    assert from_database(evaluation) == commanded(evaluation, upload, tmp_path / "gold")


def test_the_report_of_released_files_is_that_of_the_command(
    alice: User, released: Path, tmp_path: Path
) -> None:
    release = import_release(released / "gold" / "paper", slug="paper", title="Paper")
    upload = tmp_path / "gpt4.zip"
    upload.write_bytes(packed_folder(released / "results" / "gpt4"))
    submission = make_submission(alice, release, upload.read_bytes(), name="gpt4.zip")
    Submission.objects.filter(pk=submission.pk).update(drop_first=True)
    evaluation = scored(submission)
    assert evaluation.task_scores.count() == 12 * len(METRIC_SETS)
    assert from_database(evaluation) == commanded(evaluation, upload, released / "gold" / "paper")


def test_without_examples_no_correctness_is_disclosed(alice: User, release: Release) -> None:
    Release.objects.update(hidden=True)
    ReleaseAdmission.objects.create(release=release, account=alice)
    evaluation = only_evaluation(as_if_scored(make_submission(alice, release, b"anything")))
    problem = {"severity": "warning", "task": "code_run", "file": "f", "line": None, "fix": ""}
    evaluation.problems = [
        problem | {"code": "labels_differ", "message": "3 of 9 labels"},
        problem | {"code": "labels_of_other_data", "message": "30 of 90 labels"},
        problem | {"code": "labels_fit_otherwise", "message": "by order it would be 9"},
        problem | {"code": "predictions_missing", "message": "1 of 2"},
    ]
    document = report_document(evaluation, with_examples=False)
    [task] = document["tasks"].values()
    assert "examples" not in task
    assert [found["code"] for found in task["problems"]] == ["predictions_missing"]
    assert task["scores"] == dict.fromkeys(METRIC_SETS) | {"strict": 90.0}


def test_every_example_has_its_line(alice: User, release: Release, world: Path) -> None:
    evaluation = scored(make_submission(alice, release, packed_folder(world / "preds")))
    text = b"".join(csv_lines(example_rows(evaluation))).decode()
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["task", "id", "status", "prediction", *METRIC_SETS]
    assert rows[0] == ["passkey", "0", "answered", "It is 00000.", "1.0", "1.0", "1.0"]
    assert rows[2] == ["passkey", "2", "missing", "", "0.0", "0.0", "0.0"]
    lines = [json.loads(line) for line in jsonl_lines(example_rows(evaluation))]
    assert len(lines) == len(rows) == 5
    assert lines[2] == {
        "task": "passkey", "id": 2, "status": "missing", "prediction": None,
        "scores": dict.fromkeys(METRIC_SETS, 0.0),
    }  # fmt: skip


def test_the_mean_of_a_column_is_the_score_of_its_task(
    alice: User, release: Release, world: Path
) -> None:
    evaluation = scored(make_submission(alice, release, packed_folder(world / "preds")))
    lines = [json.loads(line) for line in jsonl_lines(example_rows(evaluation))]
    for score in evaluation.task_scores.all():
        column = [line["scores"][score.metric_set] for line in lines if line["task"] == score.task]
        assert 100 * sum(column) / len(column) == pytest.approx(score.mean)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_a_spreadsheet_calculates_nothing(text: str) -> None:
    row = ExampleRow("passkey", text, text, (0.0,) * len(METRIC_SETS))
    [_, line] = csv.reader(io.StringIO(b"".join(csv_lines([row])).decode(), newline=""))
    assert line[1] == line[3] == escape_csv_formula(text) == f"'{text}"


def test_jsonl_keeps_a_prediction_exactly() -> None:
    text = '=1 "quoted",\r\n\u2028\u202e<script>\x7f 中'
    row = ExampleRow("passkey", "a", text, (1.0,) * len(METRIC_SETS))
    [line] = jsonl_lines([row])
    assert line.count(b"\n") == 1
    assert json.loads(line)["prediction"] == text


def test_long_predictions_are_never_all_in_memory(alice: User, db: None, tmp_path: Path) -> None:
    count, length = 100, 500_000
    labels = [{"id": key, "answer": [f"{key:05}"]} for key in range(count)]
    write_rows(tmp_path / "gold" / "passkey.jsonl", labels)
    release = import_release(tmp_path / "gold", slug="long", title="Long")
    rows = [{"id": key, "prediction": "1"} for key in range(count)]
    file = write_rows(tmp_path / "preds_passkey.jsonl", rows)
    evaluation = scored(make_submission(alice, release, file.read_bytes(), name=file.name))
    change_results(evaluation.example_results.all(), prediction=Repeat(Value("="), length))
    tracemalloc.start()
    size = sum(map(len, csv_lines(example_rows(evaluation))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > count * length
    assert peak < count * length / 2


@pytest.mark.parametrize("name", ["-rf.jsonl", "two words.jsonl", "$(x).jsonl", "a';b.jsonl"])
def test_the_command_takes_any_name_for_a_file(
    alice: User, release: Release, tmp_path: Path, name: str
) -> None:
    submission = make_submission(alice, release, b"x", name=name)
    line = command_line(only_evaluation(submission))
    echo = shutil.which("printf")
    words = subprocess.run(
        ["sh", "-c", line.replace("python", f"{echo} '%s\\n'", 1)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    ).stdout.splitlines()
    assert words[3].removeprefix("./") == name
    assert not words[3].startswith("-")
