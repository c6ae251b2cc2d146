"""Entries in the format of Every Eval Ever. What its own package makes of the same files is tested
by ``make test-formats``."""

import hashlib
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

from portal.models import LanguageModel, Submission
from scoring.__main__ import main
from scoring.metrics import METRIC_SETS
from tests.leaderboard.formats.conftest import ROWS, example_rows, exported

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


def in_order(scores: dict[str, Any]) -> tuple[float, ...]:
    return tuple(scores[name] for name in METRIC_SETS)


def test_it_has_the_ids_answers_and_scores(
    client: Client, files: Submission, asked: Submission, subtests: pytest.Subtests
) -> None:
    """For a run that ended early, only those of what was asked."""
    assert len(expected(client, files)) == sum(map(len, ROWS.values()))
    assert len(expected(client, asked)) == len(ROWS)
    for entry in (files, asked):
        with subtests.test(entry=str(entry)):
            assert of_every_eval_ever(exported(client, entry)) == expected(client, entry)


def test_it_has_no_context_but_its_hash(client: Client, files: Submission) -> None:
    text = str(ROWS["code_debug"][0]["context"])
    archive = exported(client, files)
    content = b"".join(map(archive.read, archive.namelist()))
    assert text[:26].encode() not in content
    assert hashlib.sha256(text.encode()).hexdigest().encode() in content
    assert b"/examples/made/code_debug/0/" in content


def test_a_link_of_the_model_leads_no_export_out_of_its_folder(
    client: Client, files: Submission
) -> None:
    LanguageModel.objects.filter(submissions=files).update(link="https://huggingface.co/../a")
    members = exported(client, files).namelist()
    assert not any(".." in member.split("/") for member in members)


def test_it_asks_the_database_for_no_single_examples(client: Client, files: Submission) -> None:
    with CaptureQueriesContext(connection) as asked:
        exported(client, files)
    about = [query for query in asked if 'FROM "portal_example" ' in query["sql"]]
    assert len(about) <= len(ROWS)


def test_the_document_of_every_eval_ever_fits_its_lines(client: Client, asked: Submission) -> None:
    archive = exported(client, asked)
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


def test_the_command_reads_the_archive_as_it_is(
    client: Client, files: Submission, tmp_path: Path
) -> None:
    path = tmp_path / "every-eval-ever.zip"
    path.write_bytes(client.get(reverse("entry-every-eval-ever", args=[files.entry_id])).getvalue())
    assert main(["convert", str(path), "--out", str(tmp_path / "out")]) == 1  # one has no answer
    found = {
        (file.stem.removeprefix("preds_"), str(row["id"])): row["prediction"]
        for file in (tmp_path / "out").iterdir()
        for row in map(json.loads, file.read_text().splitlines())
    }
    assert found == {key: text for key, (text, _) in expected(client, files).items()}
