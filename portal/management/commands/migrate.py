"""``manage.py migrate``: Django's command, which here refuses databases from before the first
release, and does not wait long for a lock.

A statement that waits for a lock on a table makes everybody who comes later wait too, even readers.
"""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations.recorder import MigrationRecorder
from psycopg.errors import LockNotAvailable

_BEFORE_FIRST_RELEASE = ("portal", "0001_initial")  # since then it is 0001_schema


class Command(migrate.Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--lock-timeout",
            type=float,
            default=5.0,
            metavar="SECONDS",
            help="give up after so long, rather than let the site wait for a busy table (5)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if _BEFORE_FIRST_RELEASE in MigrationRecorder(connection).applied_migrations():
            raise CommandError(
                "This database was made before the first release and cannot be updated: name an "
                "empty one in DATABASE_URL, or keep it with the version that made it."
            )
        milliseconds = max(1, round(1000 * options["lock_timeout"]))
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{milliseconds}ms"])
        try:
            super().handle(*args, **options)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            raise CommandError(
                f"A table was busy for {options['lock_timeout']:g} s. The migration that needed it "
                "was not applied, those before it were. Run “migrate” again."
            ) from error
        finally:
            if connection.is_usable() and not connection.needs_rollback:
                with connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")
