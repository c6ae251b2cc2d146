"""Our files in other projects' formats, read by these projects' own packages, and theirs by ours.

``make test-formats`` runs this; ``make test`` does not, since the packages take 900 MB. They are in
an environment of their own: ``FORMATS_PYTHON`` is its Python. ``EVERY_EVAL_EVER`` is a wheel, which
can be installed from Python 3.12 on only, but runs from where it is.
"""

import json
import os
import subprocess
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.formats.lm_eval import TASK_NAMES
from portal.models import Release, Submission
from scoring.__main__ import main
from scoring.metrics import METRIC_SETS
from tests.leaderboard.formats.conftest import ROWS, example_rows

_READERS = Path(__file__).with_name("readers")
ANSWERS = {"0": "It is 71432.", "7": '夏娃 – “she”\n<b> \u2028 "', "3": "", "12": " 48.0 "}


@pytest.fixture(params=["files", "asked"])
def entry(request: pytest.FixtureRequest) -> Submission:
    found: Submission = request.getfixturevalue(request.param)
    return found


def run(folder: Path, name: str) -> Any:
    script = _READERS / f"{name}.py"
    own = {"HOME": str(folder), "HF_HOME": str(folder / "home"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [os.environ["FORMATS_PYTHON"], script, folder],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.environ["EVERY_EVAL_EVER"], **own},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def read(folder: Path, name: str) -> Any:
    """What the packages make of the files in the folder."""
    return run(folder, f"read_{name.replace('-', '_')}")


def read_export(client: Client, entry: Submission, name: str, folder: Path) -> Any:
    response = client.get(reverse(f"entry-{name}", args=[entry.pk]))
    (folder / f"{name}.zip").write_bytes(response.getvalue())
    return read(folder, name)


def rows_of(client: Client, entry: Submission, task: str) -> list[dict[str, Any]]:
    rows = example_rows(client, entry)
    return [row for row in rows if row["task"] == task and row["status"] != "not asked"]


def means_of(client: Client, entry: Submission, task: str) -> dict[str, float]:
    columns = [row["scores"] for row in rows_of(client, entry, task)]
    return {name: fmean(scores[name] for scores in columns) for name in METRIC_SETS}


def test_every_eval_ever_accepts_both_files(
    client: Client, entry: Submission, tmp_path: Path
) -> None:
    """Both by its JSON schemas and by its validator, without a warning."""
    found = read_export(client, entry, "every-eval-ever", tmp_path)
    rows = sum(len(rows_of(client, entry, task)) for task in ROWS)
    assert found == {"errors": [], "warnings": [], "rows": rows * len(METRIC_SETS)}


def test_inspect_reads_ids_answers_and_metrics(
    client: Client, entry: Submission, tmp_path: Path
) -> None:
    found = read_export(client, entry, "inspect", tmp_path)
    assert {name.removeprefix("infinite_bench_") for name in found} == set(ROWS)
    for task in ROWS:
        log = found[f"infinite_bench_{task}"]
        assert log["listed"] == f"infinite-bench-{task.replace('_', '-')}"
        assert log["samples"] == {
            str(row["id"]): [row["prediction"], list(row["scores"].values())]
            for row in rows_of(client, entry, task)
        }
        for name, mean in means_of(client, entry, task).items():
            assert log["metrics"][name]["mean"] == pytest.approx(mean)


def test_lm_eval_reads_its_table_and_samples(
    client: Client, entry: Submission, tmp_path: Path
) -> None:
    found = read_export(client, entry, "lm-eval", tmp_path)
    for task in ROWS:
        name = TASK_NAMES[task]
        assert name in found["table"]
        assert found["samples"][name] == {
            str(row["id"]): row["prediction"]
            for row in rows_of(client, entry, task)
            if row["prediction"] is not None
        }
        for metric, mean in means_of(client, entry, task).items():
            assert found["results"][name][f"{metric},none"] == pytest.approx(mean)


@pytest.mark.parametrize("name", ["made", "kept"])
def test_mlcroissant_validates_and_reads_a_release(
    client: Client, name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """It checks the hash of every file, and ``datasets`` loads the same files."""
    release: Release = request.getfixturevalue(name)
    folder = tmp_path / "croissant"
    text = client.get(reverse("release-croissant", args=[release.slug])).content
    for one in json.loads(text)["distribution"]:
        path = folder / "files" / one["@id"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(client.get(one["contentUrl"].removeprefix("http://testserver")).getvalue())
    (folder / "croissant.json").write_bytes(text)
    found = read(folder, "croissant")
    assert found["ids"] == {task: [str(row["id"]) for row in rows] for task, rows in ROWS.items()}
    assert found["errors"] == []
    [warning] = found["warnings"]
    assert "license" in warning  # which no release says
    assert [one for one in found["logged"] if warning not in one] == []


def test_mlcroissant_accepts_a_release_of_labels_alone_and_what_its_texts_may_be_used_for(
    client: Client, release: Release, tmp_path: Path
) -> None:
    Release.objects.filter(pk=release.pk).update(text_licence="MIT, and CC0 1.0 for the plays")
    text = client.get(reverse("release-croissant", args=[release.slug])).content
    (tmp_path / "croissant.json").write_bytes(text)
    found = read(tmp_path, "croissant")
    assert (found["errors"], found["warnings"]) == ([], [])


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each form, written by its package."""
    folder = tmp_path_factory.mktemp("logs")
    folder.joinpath("answers.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
    run(folder, "write_logs")
    return folder


@pytest.mark.parametrize("form", ["eval", "json", "lm-eval", "every"])
def test_convert_reads_what_the_packages_write(form: str, logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["convert", str(logs / form), "--out", str(out)]) == 0
    rows = map(json.loads, out.joinpath("preds_passkey.jsonl").read_bytes().splitlines())
    assert {str(row["id"]): row["prediction"] for row in rows} == ANSWERS
