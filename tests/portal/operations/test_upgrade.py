"""An upgrade to a version with another migration, with rows in the database, and one that fails."""

from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, migrations
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from portal.models import Evaluation, ExampleResult, Heartbeat, HeartbeatKind, Submission
from portal.operations import upgrade
from portal.operations.backup import write_backup
from portal.operations.integrity import IntegrityError, Rescored
from portal.operations.restore import restore_backup
from portal.operations.upgrade import verify_scores
from tests.portal.operations.conftest import Elsewhere
from tests.support.example_results import change_results

pytestmark = pytest.mark.django_db(transaction=True)

NEWER = "tests.support.newer_migrations"
NEWEST = import_module(f"{NEWER}.0003_newer").Migration


def applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder(connection).applied_migrations())


@pytest.fixture
def older(site: Submission, elsewhere: Elsewhere, settings: Settings, tmp_path: Path) -> Path:
    """The same site elsewhere, where a newer version is installed, and a folder for its backups."""
    write_backup(tmp_path / "first")
    elsewhere()
    restore_backup(tmp_path / "first")
    settings.MIGRATION_MODULES = {"portal": NEWER}
    return tmp_path / "backups"


def test_an_upgrade_backs_up_migrates_and_scores_again(
    older: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("upgrade", str(older))
    assert ("portal", "0003_newer") in applied()
    assert "Scored again: 4 evaluations" in capsys.readouterr().out
    assert len([path for path in older.iterdir() if path.name.endswith("Z")]) == 1
    call_command("verify_audit")
    assert Heartbeat.objects.filter(kind=HeartbeatKind.BACKUP).exists()  # the doctor knows it


def test_where_scores_differ_the_database_goes_back(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "score_again", lambda key: Rescored(key, "another result"))
    before = applied()
    with pytest.raises(CommandError, match="as it was"):
        call_command("upgrade", str(older))
    assert applied() == before


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = applied()
    fails = migrations.RunSQL("SELECT 1 / 0", migrations.RunSQL.noop)
    with monkeypatch.context() as patch:
        patch.setattr(NEWEST, "operations", [*NEWEST.operations, fails])
        with pytest.raises(CommandError, match="as it was"):
            call_command("upgrade", str(older))
        assert applied() == before
    call_command("upgrade", str(older), "--sample", "1")


def test_what_cannot_be_undone_is_said(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_way = migrations.RunSQL("SELECT 1")
    with monkeypatch.context() as patch:
        patch.setattr(NEWEST, "operations", [*NEWEST.operations, one_way])
        patch.setattr(upgrade, "score_again", lambda key: Rescored(key, "another result"))
        with pytest.raises(CommandError, match="with the version that you had"):
            call_command("upgrade", str(older))


def test_without_a_backup_nothing_is_changed(older: Path) -> None:
    before = applied()
    older.write_text("a file where the folder of backups should be")
    with pytest.raises(CommandError):
        call_command("upgrade", str(older))
    assert applied() == before


@pytest.mark.usefixtures("site")
def test_what_was_scored_comes_out_the_same() -> None:
    said: list[str] = []
    assert verify_scores(20, said.append) == (4, 0)
    assert Evaluation.objects.count() == 4


@pytest.mark.usefixtures("site")
def test_a_score_that_was_changed_in_the_database_is_found() -> None:
    row = ExampleResult.objects.filter(strict=1.0).first()
    assert row
    change_results(ExampleResult.objects.filter(pk=row.pk), strict=0.5)
    with pytest.raises(IntegrityError, match=f"evaluation {row.evaluation_id}"):
        verify_scores(20, lambda _: None)


@pytest.mark.usefixtures("site")
def test_labels_that_were_changed_since_are_no_fault() -> None:
    for evaluation in Evaluation.objects.all():
        signature = {**(evaluation.signature or {}), "gold": {}}
        Evaluation.objects.filter(pk=evaluation.pk).update(signature=signature)
    assert verify_scores(20, lambda _: None) == (0, 4)
