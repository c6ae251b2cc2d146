"""Migrations that a running site survives: while they are applied, processes of the previous
version read and write the same tables.

django-migration-linter reads the statements of each migration since ``BASELINE``, which is where
the first version begins that has to be upgraded. A step that it refuses takes two releases: first
one that no longer uses a column, then one that drops it. An exception has its reason here.
"""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django_migration_linter.migration_linter import MigrationLinter
from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

from tests.portal.operations.conftest import another_connection
from tests.support.paths import ROOT

BASELINE = "0047"
ALLOWED: dict[str, set[str]] = {  # by name of the migration: codes of the linter
    # A view takes its name in the same transaction: test_result_block_migrations.py
    "0054_result_blocks": {"RENAME_TABLE"},
}
# Tables that grow with every answer, action or question: an index on them is built CONCURRENTLY.
LARGE = {
    "portal_auditentry", "portal_countedupload", "portal_example",
    "portal_exampleresult", "portal_ledgerentry", "portal_runfailure", "portal_runquestion",
    "portal_resultblock", "portal_scorevector", "portal_taskscore",
}  # fmt: skip
_INDEX = re.compile(r'CREATE (?:UNIQUE )?INDEX(?! CONCURRENTLY).* ON "?(\w+)"?')
_REWRITES = re.compile(r'ALTER TABLE "?(\w+)"? (?:ADD CONSTRAINT(?!.*NOT VALID)|.*SET NOT NULL)')

NEW = sorted(
    path.stem
    for path in Path(ROOT, "portal/migrations").glob("0*.py")
    if path.name.partition("_")[0] > BASELINE
)


def dangers(statements: list[str]) -> set[str]:
    """Codes of operations that a running site may not survive."""
    analyser = PostgresqlAnalyser([])
    analyser.analyse(statements)
    found = {issue.code for issue in analyser.errors}
    created = set(re.findall(r'CREATE TABLE "?(\w+)"?', "\n".join(statements)))
    for statement in statements:
        for code, pattern in (("LARGE_INDEX", _INDEX), ("LARGE_SCAN", _REWRITES)):
            table = pattern.match(statement)
            if table and table[1] in LARGE - created:
                found.add(code)
    return found


def test_the_large_tables_are_there() -> None:
    assert {model._meta.db_table for model in apps.get_models()} >= LARGE


@pytest.mark.django_db
@pytest.mark.parametrize("name", NEW)
def test_a_running_site_survives_a_migration(name: str) -> None:
    statements = MigrationLinter(no_output=True).get_sql("portal", name)
    assert dangers(statements) <= ALLOWED.get(name, set())


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ('ALTER TABLE "portal_user" DROP COLUMN "role" CASCADE;', "DROP_COLUMN"),
        ('ALTER TABLE "portal_user" RENAME COLUMN "role" TO "rank";', "RENAME_COLUMN"),
        ('ALTER TABLE "portal_user" RENAME TO "portal_person";', "RENAME_TABLE"),
        ('DROP TABLE "portal_user" CASCADE;', "DROP_TABLE"),
        ('ALTER TABLE "portal_user" ADD COLUMN "rank" integer NOT NULL;', "NOT_NULL"),
        ('ALTER TABLE "portal_user" ALTER COLUMN "role" SET NOT NULL;', "NOT_NULL"),
        ('ALTER TABLE "portal_user" ALTER COLUMN "role" TYPE text;', "ALTER_COLUMN"),
        ('CREATE INDEX "slow" ON "portal_exampleresult" ("task");', "LARGE_INDEX"),
        ("CREATE INDEX slow ON portal_exampleresult USING gin (task);", "LARGE_INDEX"),
        (
            'ALTER TABLE "portal_exampleresult" ADD CONSTRAINT "c" CHECK ("index" >= 0);',
            "LARGE_SCAN",
        ),
    ],
)
def test_what_it_would_not_survive_is_found(statement: str, code: str) -> None:
    assert code in dangers([statement])


@pytest.mark.parametrize(
    "statements",
    [
        ['ALTER TABLE "portal_user" ADD COLUMN "rank" integer NULL;'],
        ["""ALTER TABLE "portal_user" ADD COLUMN "rank" text DEFAULT '' NOT NULL;"""],
        ['CREATE INDEX CONCURRENTLY "quick" ON "portal_exampleresult" ("task");'],
        ['CREATE INDEX "small" ON "portal_user" ("role");'],
        ['CREATE TABLE "portal_x" ("id" bigint NOT NULL);', 'CREATE INDEX "x" ON "portal_x" (id);'],
        ['ALTER TABLE "portal_exampleresult" ADD CONSTRAINT "c" CHECK ("index" >= 0) NOT VALID;'],
    ],
)
def test_what_it_survives_is_no_finding(statements: list[str]) -> None:
    assert dangers(statements) == set()


@pytest.mark.django_db(transaction=True)
def test_a_migration_does_not_wait_for_a_busy_table() -> None:
    """While it waited, everybody else would queue behind it."""
    call_command("migrate", "portal", "0048", verbosity=0)
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
