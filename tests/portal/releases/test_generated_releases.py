"""A generated release goes into the site and comes out again as the same bytes."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from portal.models import Release
from portal.releases.official import import_checked_release
from scoring.generators.release import generate_release

pytestmark = pytest.mark.django_db

TASKS = ["passkey", "kv_retrieval", "code_run", "math_calc", "math_find", "longbook_choice_eng",
         "longbook_qa_chn", "code_debug"]  # fmt: skip


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
