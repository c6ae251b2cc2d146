"""Entries and releases in the formats of other projects. What these projects' own packages make of
the same files is tested by ``make test-formats``."""

import hashlib
import io
import json
import zipfile
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.formats.lm_eval import TASK_NAMES
from portal.models import LanguageModel, Release, Submission
from scoring.__main__ import main
from scoring.logs.inspect_log import read_inspect_log
from scoring.metrics import METRIC_SETS
from scoring.predictions.reader import read_predictions
from tests.leaderboard.formats.conftest import FORMATS, ROWS, example_rows, exported

Answers = dict[tuple[str, str], tuple[str | None, tuple[float, ...]]]


def expected(client: Client, entry: Submission) -> Answers:
    return {
        (row["task"], str(row["id"])): (row["prediction"], tuple(row["scores"].values()))
        for row in example_rows(client, entry)
        if row["status"] != "not asked"
    }


def of_every_eval_ever(archive: zipfile.ZipFile) -> Answers:
    found: dict[tuple[str, str], tuple[str | None, dict[str, float]]] = {}
    for line in archive.read(archive.namelist()[0]).splitlines():
        one = json.loads(line)
        task, _, key = one["sample_id"].partition("/")
        _, scores = found.setdefault((task, key), (next(iter(one["output"]["raw"]), None), {}))
        scores[one["evaluation_result_id"].partition("/")[2]] = one["evaluation"]["score"]
    return {key: (text, in_order(scores)) for key, (text, scores) in found.items()}


def of_inspect(archive: zipfile.ZipFile) -> Answers:
    found: Answers = {}
    for name in archive.namelist():
        log = zipfile.ZipFile(io.BytesIO(archive.read(name)))
        assert {info.compress_type for info in log.infolist()} == {zipfile.ZIP_DEFLATED}
        task = json.loads(log.read("header.json"))["eval"]["task"].removeprefix("infinite_bench_")
        for member in log.namelist():
            if member.startswith("samples/"):
                sample = json.loads(log.read(member))
                output = sample["output"]
                text = output["completion"] if output["choices"] else None
                scores = {name: one["value"] for name, one in sample["scores"].items()}
                found[task, str(sample["id"])] = text, in_order(scores)
    return found


def of_lm_eval(archive: zipfile.ZipFile) -> Answers:
    tasks = {name: task for task, name in TASK_NAMES.items()}
    found: Answers = {}
    for name in archive.namelist()[1:]:
        task = tasks[name.partition("samples_")[2].rpartition("_")[0]]
        for line in archive.read(name).splitlines():
            sample = json.loads(line)
            text = next(iter(sample["filtered_resps"]), None)
            found[task, str(sample["doc_id"])] = text, in_order(sample)
    return found


def in_order(scores: dict[str, Any]) -> tuple[float, ...]:
    return tuple(scores[name] for name in METRIC_SETS)


READERS = dict(zip(FORMATS, (of_every_eval_ever, of_inspect, of_lm_eval), strict=True))


def test_every_format_has_the_ids_answers_and_scores(
    client: Client, files: Submission, asked: Submission, subtests: pytest.Subtests
) -> None:
    """For a run that ended early, only those of what was asked."""
    assert len(expected(client, files)) == sum(map(len, ROWS.values()))
    assert len(expected(client, asked)) == len(ROWS)
    for name, read in READERS.items():
        for entry in (files, asked):
            with subtests.test(name=name, entry=str(entry)):
                known = expected(client, entry)
                if name == "lm-eval":  # the format cannot express a missing answer
                    known = {key: one for key, one in known.items() if one[0] is not None}
                assert read(exported(client, entry, name)) == known


def test_no_format_has_a_context_but_its_hash(client: Client, files: Submission) -> None:
    text = str(ROWS["code_debug"][0]["context"])
    for name in FORMATS:
        archive = exported(client, files, name)
        content = b"".join(map(archive.read, archive.namelist()))
        if name == "inspect":
            logs = [zipfile.ZipFile(io.BytesIO(archive.read(log))) for log in archive.namelist()]
            content = b"".join(log.read(member) for log in logs for member in log.namelist())
        assert text[:26].encode() not in content
        assert hashlib.sha256(text.encode()).hexdigest().encode() in content
        assert b"/examples/made/code_debug/0/" in content


def test_a_link_of_the_model_leads_no_export_out_of_its_folder(
    client: Client, files: Submission
) -> None:
    LanguageModel.objects.filter(submissions=files).update(link="https://huggingface.co/../a")
    for name in FORMATS:
        archive = exported(client, files, name)
        assert not any(".." in member.split("/") for member in archive.namelist())


def test_no_format_asks_the_database_for_single_examples(client: Client, files: Submission) -> None:
    for name in FORMATS:
        with CaptureQueriesContext(connection) as asked:
            exported(client, files, name)
        about = [query for query in asked if 'FROM "portal_example" ' in query["sql"]]
        assert len(about) <= len(ROWS)


def test_the_document_of_every_eval_ever_fits_its_lines(client: Client, asked: Submission) -> None:
    archive = exported(client, asked, "every-eval-ever")
    samples, name = archive.namelist()
    document, content = json.loads(archive.read(name)), archive.read(samples)
    assert name == f"data/infinitebench/a-lab/asked/{asked.pk}.json"
    detailed = document["detailed_evaluation_results"]
    assert detailed["checksum"] == hashlib.sha256(content).hexdigest()
    lines = [json.loads(line) for line in content.splitlines()]
    assert detailed["total_rows"] == len(lines) == len(ROWS) * len(METRIC_SETS)
    assert detailed["file_path"] == samples
    for result in document["evaluation_results"]:
        own = [
            one for one in lines if one["evaluation_result_id"] == result["evaluation_result_id"]
        ]
        if own:
            mean = fmean(one["evaluation"]["score"] for one in own)
            assert result["score_details"]["score"] == pytest.approx(mean)
            assert result["score_details"]["details"]["asked"] == "1"
    assert document["source_metadata"]["evaluator_relationship"] == "third_party"
    assert "maker" not in document["source_metadata"]["additional_details"]
    assert document["model_info"]["additional_details"]["model_availability"] == "open_weights"


def test_samples_of_lm_eval_are_predictions_here(
    client: Client, files: Submission, tmp_path: Path
) -> None:
    """They include all labels, which tell releases apart."""
    path = tmp_path / "lm-eval.zip"
    path.write_bytes(client.get(reverse("entry-lm-eval", args=[files.pk])).getvalue())
    read = read_predictions(path)
    found = {
        (task, str(row.key)): row.prediction
        for task, one in read.tasks.items()
        for row in one.rows
        if row.prediction is not None
    }
    answered = {key: text for key, (text, _) in expected(client, files).items() if text is not None}
    assert found == answered
    assert [problem.code for problem in read.problems if problem.severity == "error"] == []
    [debug, *_] = read.tasks["code_debug"].rows
    assert debug.label == ["g", "B"]


def test_logs_of_inspect_are_predictions_for_the_command(
    client: Client, files: Submission, tmp_path: Path
) -> None:
    exported(client, files, "inspect").extractall(tmp_path)
    logs = [read_inspect_log(path) for path in tmp_path.glob("*.eval")]
    found = {(log.task, str(one.key)): one.text for log in logs for one in log.answers}
    assert found == {key: text for key, (text, _) in expected(client, files).items()}
    assert [dict(log.lost) for log in logs if log.lost] == [{"no_answer": 1}]


@pytest.mark.parametrize("name", ["every-eval-ever", "inspect"])
def test_the_command_reads_archives_as_they_are(
    client: Client, files: Submission, tmp_path: Path, name: str
) -> None:
    path = tmp_path / f"{name}.zip"
    path.write_bytes(client.get(reverse(f"entry-{name}", args=[files.pk])).getvalue())
    assert main(["convert", str(path), "--out", str(tmp_path / "out")]) == 1  # one has no answer
    found = {
        (file.stem.removeprefix("preds_"), str(row["id"])): row["prediction"]
        for file in (tmp_path / "out").iterdir()
        for row in map(json.loads, file.read_text().splitlines())
    }
    assert found == {key: text for key, (text, _) in expected(client, files).items()}


def test_croissant_names_every_public_file_with_its_hash(
    client: Client, made: Release, kept: Release, subtests: pytest.Subtests
) -> None:
    Release.objects.filter(pk=kept.pk).update(text_licence="CC0 1.0")
    for release, licence in ((made, None), (kept, "CC0 1.0")):
        document = json.loads(client.get(f"/releases/{release.slug}/croissant.json").content)
        assert document.get("license") == licence
        assert {one["@id"] for one in document["recordSet"]} == set(ROWS)
        for file in document["distribution"]:
            with subtests.test(release=release.slug, file=file["name"]):
                body = client.get(file["contentUrl"].removeprefix("http://testserver")).getvalue()
                assert file["sha256"] == hashlib.sha256(body).hexdigest()
                assert file["contentSize"] == f"{len(body)} B"
    assert client.get("/releases/none/croissant.json").status_code == 404
