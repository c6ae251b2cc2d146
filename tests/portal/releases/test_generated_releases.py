"""A generated release is imported into the site and downloaded again as the same bytes."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from portal.models import Release
from portal.releases.official import import_checked_release
from scoring.generators.example import GENERATOR
from scoring.generators.release import generate_release
from scoring.releases.floors import TaskFloors, write_floors

pytestmark = pytest.mark.django_db

TASKS = ["passkey", "kv_retrieval", "code_run", "math_calc", "math_find", "longbook_choice_eng",
         "longbook_qa_chn", "longbook_sum_eng", "code_debug"]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=2**70, tokens=[4_000], examples=7, tasks=TASKS)
    return out


def test_the_downloads_of_a_public_release_are_what_was_generated(made: Path) -> None:
    import_checked_release(made, slug="made", title="Made")
    stated = json.loads((made / "release.json").read_text())["files"]
    for data_set in Release.objects.get(slug="made").data_sets.all():
        name = f"{data_set.task}.jsonl"
        for file, path in ((data_set.whole_file, name), (data_set.facets_file, f"facets/{name}")):
            assert file is not None
            assert file.sha256 == stated[path]["sha256"], path
            with file.file.open("rb") as stored:
                assert hashlib.file_digest(stored, "sha256").hexdigest() == file.sha256


def test_a_generated_release_that_was_damaged_is_refused(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "copy"))
    (folder / "facets" / "code_run.jsonl").unlink()
    with pytest.raises(CommandError, match=r"facets/code_run\.jsonl is missing"):
        call_command("import_release", folder, "--slug", "made")
    assert not Release.objects.exists()


def test_the_page_of_a_release_shows_its_floors_and_which_are_too_high(
    made: Path, tmp_path: Path, client: Client
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "copy"))
    low = TaskFloors("code_debug", 40, {"constant": 25.0, "evidence_only": 100.0}, {})
    high = TaskFloors("longbook_qa_chn", 40, {"constant": 27.9, "grep": 97.0}, {})
    write_floors(folder, [low, high])
    import_checked_release(folder, slug="made", title="Made")
    release = Release.objects.get(slug="made")
    assert release.generator == GENERATOR
    assert set(release.floors or {}) == {"code_debug", "longbook_qa_chn"}
    page = client.get("/releases/made/")
    assert page.context["floors"].too_high == 2
    html = page.content.decode()
    assert 'data-too-high="2"' in html
    assert html.count("data-bound=") == 2
    assert f'data-generator="{GENERATOR}"' in html


def test_floors_and_licence_of_a_known_release_may_come_later(made: Path, tmp_path: Path) -> None:
    import_checked_release(made, slug="made", title="Made")
    folder = Path(shutil.copytree(made, tmp_path / "copy"))
    write_floors(folder, [TaskFloors("code_debug", 40, {"constant": 25.0}, {})])
    manifest = json.loads((folder / "release.json").read_text())
    manifest["haystack"] = {"licence": "Public domain"}
    (folder / "release.json").write_text(json.dumps(manifest))
    import_checked_release(folder, slug="made", title="Made")
    release = Release.objects.get(slug="made")
    assert set(release.floors or {}) == {"code_debug"}
    assert release.text_licence == "Public domain"


def test_the_page_shows_how_many_near_misses_there_are_if_not_as_usual(
    made: Path, tmp_path: Path, client: Client
) -> None:
    import_checked_release(made, slug="made", title="Made")
    assert "data-near-misses" not in client.get("/releases/made/").content.decode()
    folder = Path(shutil.copytree(made, tmp_path / "copy"))
    manifest = json.loads((folder / "release.json").read_text())
    manifest["dials"] = {"near_misses": 2.5}
    (folder / "release.json").write_text(json.dumps(manifest))
    import_checked_release(folder, slug="made", title="Made")
    html = client.get("/releases/made/").content.decode()
    assert "data-near-misses" in html
    assert "2.5 near-misses" in html


def test_an_official_release_has_no_floors(client: Client, tmp_path: Path) -> None:
    row = {"id": 0, "context": "x", "input": "?", "answer": "12345", "options": []}
    (tmp_path / "passkey.jsonl").write_text(json.dumps(row))
    import_checked_release(tmp_path, slug="plain", title="Plain")
    page = client.get("/releases/plain/")
    assert page.context["floors"] is None
    assert "data-generator" not in page.content.decode()
