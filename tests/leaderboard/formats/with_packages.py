"""Our files for Every Eval Ever, read by its own package, and files of other projects, as their
packages write them, by ours.

``make test-formats`` runs this; ``make test`` does not, since the packages take 900 MB. They are in
an environment of their own: ``FORMATS_PYTHON`` is its Python. ``EVERY_EVAL_EVER`` is a wheel, which
can be installed from Python 3.12 on only, but runs from where it is.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from portal.models import Submission
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


def read_export(client: Client, entry: Submission, folder: Path) -> Any:
    """What the package makes of both files."""
    response = client.get(reverse("entry-every-eval-ever", args=[entry.entry_id]))
    (folder / "every-eval-ever.zip").write_bytes(response.getvalue())
    return run(folder, "read_every_eval_ever")


def rows_of(client: Client, entry: Submission, task: str) -> list[dict[str, Any]]:
    rows = example_rows(client, entry)
    return [row for row in rows if row["task"] == task and row["status"] != "not asked"]


def test_every_eval_ever_accepts_both_files(
    client: Client, entry: Submission, tmp_path: Path
) -> None:
    """Both by its JSON schemas and by its validator, without a warning."""
    found = read_export(client, entry, tmp_path)
    rows = sum(len(rows_of(client, entry, task)) for task in ROWS)
    assert found == {"errors": [], "warnings": [], "rows": rows * len(METRIC_SETS)}


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
