"""A backup restores the same site elsewhere; a partial or damaged one restores nothing."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import FileField
from django.test import Client
from pytest_django import Settings

from portal.models import Evaluation, Heartbeat, Original, Submission, Tally
from portal.operations import backup as backup_module
from portal.operations.backup import FILE_COLUMNS, Written, write_backup
from portal.operations.backup_folder import BackupError
from portal.operations.postgres_programs import dump_database
from portal.operations.restore import restore_backup
from tests.portal.operations.conftest import KEY, Elsewhere, another_connection

pytestmark = pytest.mark.django_db(transaction=True)

_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')


def public_pages() -> dict[str, bytes]:
    """What the sitemap lists, as somebody without an account reads it."""
    client = Client(headers={"host": "localhost"})
    addresses = re.findall("<loc>(.*?)</loc>", client.get("/sitemap.xml").text)
    paths = [urlsplit(address).path for address in addresses]
    return {path: _TOKEN.sub(b"", client.get(path).content) for path in paths}


@pytest.mark.usefixtures("site")
def test_a_restored_site_answers_like_the_one_that_was_backed_up(
    tmp_path: Path, elsewhere: Elsewhere, settings: Settings
) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    pages = public_pages()
    written = write_backup(tmp_path / "backups")
    assert written.absent == written.damaged == []
    assert Heartbeat.objects.get(kind="backup").details.startswith(written.name)
    elsewhere()
    restored = restore_backup(tmp_path / "backups")
    assert Evaluation.objects.scored().count() == 4
    assert (restored.to_migrate, restored.absent) == (False, [])
    for original in Original.objects.all():
        with original.file.open() as stored:
            assert len(stored.read()) == original.size
    after = public_pages()
    assert after.keys() == pages.keys()
    assert [name for name in pages if pages[name] != after[name]] == []
    assert len(pages) > 20


@pytest.mark.usefixtures("site")
def test_no_secret_is_in_a_backup(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "backups"
    call_command("backup", str(folder), verbosity=0)
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    secrets = [settings.SECRET_KEY, *settings.ENDPOINT_KEY_SECRETS, KEY]
    assert [secret for secret in secrets if secret.encode() in content] == []


def test_each_backup_is_whole_by_itself_and_the_oldest_go(
    tmp_path: Path, site: Submission, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "backups"
    for day in "123":
        written_at(folder, f"2026010{day}T000000Z", monkeypatch, keep=2)
    assert [one.name for one in sorted(folder.glob("2*"))] == [
        "20260102T000000Z",
        "20260103T000000Z",
    ]
    shutil.rmtree(folder / "20260102T000000Z")
    elsewhere()
    restore_backup(folder)
    assert Submission.objects.filter(pk=site.pk).exists()


def written_at(folder: Path, time: str, monkeypatch: pytest.MonkeyPatch, keep: int = 7) -> Written:
    class At:
        @staticmethod
        def strftime(_: str) -> str:
            return time

    monkeypatch.setattr("portal.operations.backup_folder.now", At)
    return write_backup(folder, keep=keep)


@pytest.mark.usefixtures("site")
def test_an_interrupted_backup_never_looks_whole(
    tmp_path: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: object) -> None:
        raise OSError(28, "No space left on device")

    folder = tmp_path / "backups"
    with monkeypatch.context() as patch:
        patch.setattr(backup_module, "_content", breaks)
        with pytest.raises(BackupError):
            write_backup(folder)
    assert [path.suffix for path in folder.glob("2*")] == [".partial"]
    written = write_backup(folder)
    assert [path.name for path in folder.glob("2*")] == [written.name]
    (folder / written.name).rename(folder / f"{written.name}.partial")
    elsewhere()
    with pytest.raises(BackupError):
        restore_backup(folder)


@pytest.mark.usefixtures("site")
def test_a_change_of_any_file_is_found_before_anything_is_restored(
    tmp_path: Path, elsewhere: Elsewhere
) -> None:
    folder = tmp_path / "backups"
    written = write_backup(folder)
    elsewhere()
    files = [*folder.glob("*/files/*/*"), folder / written.name / "database.dump"]
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(BackupError):
            restore_backup(folder)
        path.write_bytes(content)
    assert connection.introspection.table_names() == []
    shutil.copytree(folder, tmp_path / "copy")
    assert restore_backup(tmp_path / "copy").files == written.files


@pytest.mark.usefixtures("site")
def test_it_is_restored_only_where_nothing_is(tmp_path: Path, elsewhere: Elsewhere) -> None:
    folder = tmp_path / "backups"
    write_backup(folder)
    with pytest.raises(BackupError, match="DATABASE_URL"):
        restore_backup(folder)
    elsewhere()
    default_storage.save("strange", ContentFile(b"here before"))
    with pytest.raises(BackupError, match="STORAGE_DIR"):
        restore_backup(folder)
    default_storage.delete("strange")
    restore_backup(folder)


@pytest.mark.usefixtures("site")
def test_other_secrets_are_named(tmp_path: Path, elsewhere: Elsewhere, settings: Settings) -> None:
    write_backup(tmp_path / "backups")
    elsewhere()
    settings.ENDPOINT_KEY_SECRETS = ["another key of thirty-two characters"]
    with pytest.raises(BackupError, match="ENDPOINT_KEY_SECRETS"):
        restore_backup(tmp_path / "backups")
    assert restore_backup(tmp_path / "backups", other_secrets=True).rows


@pytest.mark.usefixtures("site")
def test_a_backup_of_a_newer_version_is_refused(tmp_path: Path, elsewhere: Elsewhere) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied)"
            " VALUES ('portal', '9999_later', now())"
        )
    write_backup(tmp_path / "backups")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
    elsewhere()
    with pytest.raises(BackupError, match="9999_later"):
        restore_backup(tmp_path / "backups")


def test_every_column_that_names_a_file_is_backed_up() -> None:
    columns = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
    }
    assert {(model, file) for model, file, _ in FILE_COLUMNS} == columns


@pytest.mark.usefixtures("site")
def test_files_of_the_site_that_are_lost_or_damaged_are_named(tmp_path: Path) -> None:
    lost, damaged = (one.file.name for one in Original.objects.order_by("pk")[:2])
    default_storage.delete(lost)
    with default_storage.open(damaged, "r+b") as stored:
        stored.write(b"!")
    with pytest.raises(CommandError) as said:
        call_command("backup", str(tmp_path / "backups"))
    assert lost in str(said.value)
    assert damaged in str(said.value)


@pytest.mark.usefixtures("site")
def test_what_is_written_meanwhile_is_not_in_it(
    tmp_path: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, files and dump show the same moment."""

    def write_then_dump(*arguments: Any) -> Iterator[bytes]:
        with another_connection() as other:
            other.execute("INSERT INTO portal_tally (name, count) VALUES ('late', 1)")
        yield from dump_database(*arguments)

    monkeypatch.setattr(backup_module, "dump_database", write_then_dump)
    write_backup(tmp_path / "backups")
    assert Tally.objects.filter(name="late").exists()
    elsewhere()
    restore_backup(tmp_path / "backups")
    assert not Tally.objects.exists()


@pytest.mark.usefixtures("site")
def test_files_may_be_in_a_storage_without_paths(
    tmp_path: Path, elsewhere: Elsewhere, settings: Settings
) -> None:
    files = write_backup(tmp_path / "backups").files
    elsewhere()
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}
    assert restore_backup(tmp_path / "backups").files == files
    again = write_backup(tmp_path / "from memory")
    assert (again.files, again.absent, again.damaged) == (files, [], [])
