"""The three walks of docs/api.md, as printed there, at a real site with a real worker."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from portal.accounts.tokens import LIFETIMES, create_token
from portal.models import Scope, Submission, SubmissionState, User
from portal.releases.importer import import_release
from tests.support.factories import packed
from tests.support.paths import ROOT
from tests.support.workers import Workers, workers_in
from tests.support.worlds import write_rows

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)
_QUESTIONS = 20
_FEW = 14  # whose ids are known: how the others are matched has to be asked


def walks() -> dict[str, str]:
    """The code of each walk, by the title of its section."""
    page = ROOT.joinpath("docs", "api.md").read_text(encoding="utf-8")
    page = page.partition("\n## From an upload to a request for publication\n")[2]
    _, *sections = re.split(r"^### (.*)\n", page.partition("\n## ")[0], flags=re.MULTILINE)
    code = {}
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        lines = [line for line in text.split("\n") if not line or line.startswith("    ")]
        code[title] = "\n".join(line.removeprefix("    ") for line in lines)
    return code


def test_each_walk_of_the_documentation_ends_in_a_request_for_publication(
    live_server: LiveServer, workers: Workers, tmp_path: Path, alice: User
) -> None:
    write_rows(
        tmp_path / "gold" / "passkey.jsonl",
        [{"id": number, "answer": [str(number)]} for number in range(_QUESTIONS)],
    )
    import_release(tmp_path / "gold", slug="short", title="Short texts")
    ids = [number if number < _FEW else number + 1_000 for number in range(_QUESTIONS)]
    rows = [{"id": one, "prediction": str(place)} for place, one in enumerate(ids)]
    environment = {
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "SITE": live_server.url,
        "RELEASE": "short",
        "TOKEN": create_token(alice, "a", [Scope.READ, Scope.SUBMIT], LIFETIMES[0]).text,
    }
    command = tmp_path / "bin" / "infinitebench"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m scoring "$@"\n')
    command.chmod(0o755)
    workers.start(None)
    programs = {
        "By the command": ["sh", "-euc"],
        "By curl": ["sh", "-euc"],
        "In Python": [sys.executable, "-c"],
    }
    code = walks()
    assert code.keys() == programs.keys()
    for title, program in programs.items():
        if title == "By curl" and shutil.which("curl") is None:
            continue
        folder = tmp_path / title
        write_rows(folder / "my_predictions" / "preds_passkey.jsonl", rows)
        lines = (folder / "my_predictions" / "preds_passkey.jsonl").read_bytes()
        folder.joinpath("preds.zip").write_bytes(packed({"preds_passkey.jsonl": lines}))
        done = subprocess.run(
            [*program, code[title]],
            cwd=folder,
            env={**environment, "HOME": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{title}\n{done.stdout}\n{done.stderr}"
        said = done.stdout + done.stderr
        assert "align" in said, title  # the question
        if title == "By the command":  # which prints the scores and downloads nothing
            assert "percent" in said
            continue
        [report] = folder.rglob("*report*.json")
        assert json.loads(report.read_text())["tasks"]["passkey"]["answered"] == _QUESTIONS
        assert len([*folder.rglob("*examples*.jsonl")]) == 1, title
    waiting = Submission.objects.filter(state=SubmissionState.IN_REVIEW)
    assert sorted(waiting.values_list("language_model__name", flat=True)) == [
        "Longreader 10B",
        "Longreader 8B",
        "Longreader 9B",
    ]
