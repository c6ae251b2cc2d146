"""The migrations: from an empty database to the models, and never over those before the first
release."""

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from tests.portal.operations.conftest import another_connection

pytestmark = pytest.mark.django_db


def test_the_migrations_make_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", "--check", "--dry-run")
    assert "No changes detected" in capsys.readouterr().out


def test_migrate_alone_makes_the_table_of_the_cache() -> None:
    cache.set("key", "value")
    assert cache.get("key") == "value"
    call_command("createcachetable", verbosity=0)  # harmless, in case somebody is used to it


def test_a_database_from_before_the_first_release_is_refused() -> None:
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app="portal").delete()
    recorder.record_applied("portal", "0001_initial")
    with pytest.raises(CommandError, match="made before the first release"):
        call_command("migrate", verbosity=0)
    assert ("portal", "0001_schema") not in recorder.applied_migrations()


@pytest.mark.django_db(transaction=True)
def test_a_migration_does_not_wait_for_a_busy_table(settings: Settings) -> None:
    """While it waited, everybody else would queue behind it."""
    settings.MIGRATION_MODULES = {"portal": "tests.support.newer_migrations"}
    busy = another_connection()
    try:
        busy.execute("LOCK TABLE portal_evaluation IN ROW EXCLUSIVE MODE")
        with pytest.raises(CommandError, match="busy"):
            call_command("migrate", "portal", verbosity=0, lock_timeout=0.05)
    finally:
        busy.close()
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
    call_command("migrate", "portal", "0002", verbosity=0)
