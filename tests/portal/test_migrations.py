"""The migrations: from an empty database to the models and back, and never over older ones."""

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from portal.models import Original, Release, User
from tests.support.factories import as_if_scored, make_submission

pytestmark = pytest.mark.django_db

TRIGGERS = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname"
FUNCTIONS = "SELECT proname FROM pg_proc WHERE proname LIKE 'portal%' ORDER BY proname"


def names(statement: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [name for (name,) in cursor.fetchall()]


def portal_tables() -> list[str]:
    return [name for name in connection.introspection.table_names() if name.startswith("portal_")]


def test_the_migrations_make_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", "--check", "--dry-run")
    assert "No changes detected" in capsys.readouterr().out


def test_migrate_alone_makes_the_table_of_the_cache() -> None:
    cache.set("key", "value")
    assert cache.get("key") == "value"
    call_command("createcachetable", verbosity=0)  # harmless, in case somebody is used to it


def test_the_migrations_can_be_undone_and_applied_again() -> None:
    before = portal_tables(), names(TRIGGERS), names(FUNCTIONS)
    call_command("migrate", "portal", "zero", verbosity=0)
    assert (portal_tables(), names(TRIGGERS), names(FUNCTIONS)) == ([], [], [])
    call_command("migrate", verbosity=0)
    assert (portal_tables(), names(TRIGGERS), names(FUNCTIONS)) == before


def test_a_database_from_before_the_first_release_is_refused() -> None:
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app="portal").exclude(name="0001_initial").delete()
    recorder.record_applied("portal", "0002_scored_means_scores")
    with pytest.raises(CommandError, match="made before the first release"):
        call_command("migrate", verbosity=0)
    assert ("portal", "0002_triggers") not in recorder.applied_migrations()


def test_every_upload_becomes_an_original_of_its_submission(alice: User, release: Release) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}", name="code_run.jsonl"))
    Original.objects.update(task="code_run", file_tasks={"a.jsonl": "passkey"})
    before = Original.objects.values("file", "name", "size", "hash", "task", "file_tasks").get()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "portal", "0013_hidden_release_admissions", verbosity=0)
    assert names("SELECT upload_name FROM portal_submission") == ["code_run.jsonl"]
    call_command("migrate", verbosity=0)
    assert Original.objects.values(*before).get() == before
    [file] = submission.files.all()
    assert (file.is_new, file.kept_tasks) == (True, None)
    assert submission.evaluations.get().contents == [["code_run"]]
