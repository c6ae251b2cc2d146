"""Files without a row are deleted, but never one whose row may still be written."""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F

from portal.models import Context, Release, ReleaseFile, User
from portal.operations.orphans import delete_orphaned_files
from portal.releases.importer import import_release
from tests.support.factories import make_submission, original_of
from tests.support.releases import build_release

pytestmark = pytest.mark.django_db
HOURS = 3600.0  # seconds


def left_behind(storage: Path, name: str, *, age: float, folder: str = "uploads") -> Path:
    file = storage / folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x")
    os.utime(file, (time.time() - age, time.time() - age))
    return file


def test_an_empty_storage_has_no_orphans(storage: Path) -> None:
    assert delete_orphaned_files() == 0
    assert not storage.exists()


def test_old_files_without_a_submission_are_deleted(storage: Path) -> None:
    files = [left_behind(storage, name, age=2 * HOURS) for name in ("a-file", "tmpdraft")]
    assert delete_orphaned_files() == 2
    assert not any(file.exists() for file in files)


def test_a_file_whose_row_is_being_written_is_left_alone(storage: Path) -> None:
    young = left_behind(storage, "a-file", age=0.9 * HOURS)
    assert delete_orphaned_files() == 0
    assert young.exists()


def test_the_file_of_a_submission_is_never_deleted(
    alice: User, release: Release, storage: Path
) -> None:
    original = original_of(make_submission(alice, release, b"{}"))
    left_behind(storage, Path(str(original.file.name)).name, age=1_000 * HOURS)
    assert delete_orphaned_files() == 0
    assert original.file.storage.exists(str(original.file.name))


@pytest.fixture
def imported(tmp_path: Path, storage: Path) -> Release:
    """An imported release with contexts and downloads, all of them older than a week."""
    folder = build_release(tmp_path / "release", examples=2, tokens=100, tasks=["passkey"])
    release = import_release(folder, slug="made", title="Made")
    make_old(storage)
    return release


def make_old(storage: Path) -> None:
    for file in storage.rglob("*.*"):
        os.utime(file, (0, 0))
    for model in (Context, ReleaseFile):
        model._default_manager.update(last_used=F("last_used") - timedelta(days=8))


def files(storage: Path) -> list[str]:
    return sorted(file.name for file in storage.rglob("*.*"))


@pytest.mark.usefixtures("imported")
def test_files_of_a_release_are_never_deleted(storage: Path) -> None:
    before = files(storage)
    assert len(before) == 2 * 2 + 2
    assert delete_orphaned_files() == 0
    assert files(storage) == before


def test_files_of_an_abandoned_import_are_deleted_after_a_week(
    imported: Release, storage: Path
) -> None:
    forget(imported)
    Context.objects.filter(pk=Context.objects.earliest("pk").pk).update(
        last_used=F("last_used") + timedelta(days=2)
    )
    assert delete_orphaned_files() == 2 + 2
    assert (Context.objects.count(), ReleaseFile.objects.count()) == (1, 0)
    assert len(files(storage)) == 2


def test_files_of_a_running_import_are_kept(
    imported: Release, storage: Path, tmp_path: Path
) -> None:
    """The import is restarted a week later, and finds everything that it had stored."""
    forget(imported)
    before = files(storage)
    import_release(tmp_path / "release", slug="made", title="Made")
    forget(Release.objects.get())
    assert delete_orphaned_files() == 0
    assert files(storage) == before


def forget(release: Release) -> None:
    """As if the import had been killed before its end."""
    data_sets = list(release.data_sets.all())
    release.delete()
    for data_set in data_sets:
        data_set.examples.all().delete()
        data_set.delete()


def test_files_of_an_import_killed_before_their_row_are_deleted(storage: Path) -> None:
    for folder in ("contexts", "releases"):
        left_behind(storage, "x.txt", age=2 * HOURS, folder=folder)
    assert delete_orphaned_files() == 2
