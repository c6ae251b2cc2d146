"""Hidden data cannot be generated again by trying seeds."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from portal.models import Release, ReleaseFile
from scoring.generators.release import generate_release

pytestmark = pytest.mark.django_db

LARGE = 2**64 + 12_345


def generated(folder: Path, seed: int) -> Path:
    generate_release(folder / "made", seed=seed, tokens=[1_000], tasks=["passkey"], examples=2)
    return folder / "made"


@pytest.mark.parametrize("seed", [7, 0, -7, 2**64 - 1])
def test_a_seed_that_can_be_tried_out_makes_no_hidden_release(tmp_path: Path, seed: int) -> None:
    made = generated(tmp_path, seed)
    with pytest.raises(CommandError, match="Generate another one without --seed"):
        call_command("import_release", str(made), "--hidden")
    assert not Release.objects.exists()
    call_command("import_release", str(made))
    assert not Release.objects.get().hidden


def stored() -> bytes:
    """Everything that can be downloaded."""
    found = []
    for row in ReleaseFile.objects.all():
        with row.file.open() as file:
            found.append(file.read())
    return b"".join(found)


def test_a_large_one_can_and_is_disclosed_nowhere(tmp_path: Path) -> None:
    made = generated(tmp_path, LARGE)
    call_command("import_release", str(made), "--hidden")
    assert Release.objects.get().hidden
    assert b'"answer":[]' in stored().replace(b" ", b"")
    assert str(LARGE).encode() not in stored()
    manifest = Client().get("/releases/made/manifest.json").content
    assert b"passkey" in manifest
    assert str(LARGE).encode() not in manifest


@pytest.mark.parametrize("manifest", ["no JSON", "[]", "{}", json.dumps({"seed": "of ours"})])
def test_what_was_not_generated_here_has_no_seed(tmp_path: Path, manifest: str) -> None:
    made = generated(tmp_path, 7)
    (made / "release.json").write_text(manifest)
    call_command("import_release", str(made), "--hidden")
    assert Release.objects.get().hidden
