"""Looks at everything that a site needs, and says in plain words what is wrong and what to do.

One table of checks. A check that cannot be made says why, so that a database that is down hides no
other problem.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import NamedTuple
from uuid import uuid4

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core import checks as django_checks
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.core.mail import get_connection
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from portal.celery import app
from portal.evaluations.sandbox import may_score, sandbox
from portal.models import HeartbeatKind
from portal.operations import figures
from portal.operations.postgres_programs import (
    ProgramError,
    program_for_server,
    server_major,
)
from scoring.sandbox.run import Level

OLDEST_SERVER = 15  # version of PostgreSQL that the tests run with
MOST_SKEW = 5.0  # seconds
BACKUP_EVERY = timedelta(hours=26)
_MIN_PERCENT_FREE = 10


class Finding(NamedTuple):
    check: str
    ok: bool
    sentence: str
    fix: str = ""  # what to do


_Results = Iterator[tuple[bool, str, str]]  # the other fields of findings


def examine() -> list[Finding]:
    found = []
    for name, check in CHECKS.items():
        try:
            found += [Finding(name, *one) for one in check()]
        except (DatabaseError, InterfaceError):
            found.append(
                Finding(
                    name, False, "Not looked at: the database does not answer.", "See “database”."
                )
            )
        except Exception as error:  # a check that fails hides no other
            found.append(Finding(name, False, f"Not looked at: {error!r}", "Report this."))
    return found


def _ok(sentence: str) -> tuple[bool, str, str]:
    return True, sentence, ""


def _problem(sentence: str, fix: str) -> tuple[bool, str, str]:
    return False, sentence, fix


def _settings() -> _Results:
    """Django's own checks for a public site."""
    if settings.DEMO:
        yield _ok("This is a demo, with the settings of one.")
        return
    messages = django_checks.run_checks(include_deployment_checks=True)
    serious = [one for one in messages if one.is_serious(django_checks.WARNING)]
    for one in serious:
        fix = one.hint or "See the settings in docs/deployment.md."
        yield _problem(f"{one.id}: {one.msg}", fix)
    if not serious:
        yield _ok("The settings are those of a public site.")


def _secrets() -> _Results:
    """The secrets that a site can do without. Django's own checks cover SECRET_KEY, and the length
    of these was checked at the start."""
    lacking = {
        "ENDPOINT_KEY_SECRETS": "no endpoint run can have a key",
    }
    missing = {name: what for name, what in lacking.items() if not getattr(settings, name)}
    for name, what in missing.items():
        fix = "Set it to a random text of 32 characters or more."
        yield _problem(f"{name} is not set: {what}.", fix)
    if not missing:
        yield _ok("All secrets are set.")


def _database() -> _Results:
    try:
        connection.ensure_connection()
    except (DatabaseError, InterfaceError) as error:
        reason = str(error).strip().splitlines()[0]
        yield _problem(
            f"The database does not answer: {reason}",
            "Start PostgreSQL, or correct DATABASE_URL.",
        )
        return
    major = server_major()
    if major < OLDEST_SERVER:
        yield _problem(
            f"PostgreSQL is of version {major}.",
            f"Upgrade it to version {OLDEST_SERVER} or newer.",
        )
    else:
        yield _ok(f"PostgreSQL {major} answers.")


def _migrations() -> _Results:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        first = plan[0][0]
        yield _problem(
            f"{len(plan)} migrations are not applied, first {first.app_label}.{first.name}.",
            "Run “manage.py migrate”.",
        )
    else:
        yield _ok("All migrations are applied.")


def _clock() -> _Results:
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        [there] = cursor.fetchone() or [before]
    here = before + (timezone.now() - before) / 2
    skew = (here - there).total_seconds()
    if abs(skew) > MOST_SKEW:
        yield _problem(
            f"The clock of this machine is {skew:+.0f} s off that of the database.",
            "Let both follow a time server (Debian: systemd-timesyncd).",
        )
    else:
        yield _ok("The clocks of this machine and of the database agree.")


def _broker() -> _Results:
    try:
        with app.connection_for_write(connect_timeout=2) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0.1, timeout=3)
    except Exception as error:  # of whichever broker's client library
        yield _problem(
            f"The broker takes no messages: {error}",
            "Start Redis, or correct CELERY_BROKER_URL. Meanwhile jobs wait, and none is lost.",
        )
        return
    yield _ok("The broker takes messages.")


def _workers() -> _Results:
    silent, missed = figures.silent_queues(), figures.missed_workers()
    for name in missed:
        yield _problem(
            f"The worker “{name}” has fallen silent, and was not asked to stop.",
            "Look at its log, and start it again. It is mentioned for an hour; its job is taken up "
            "by another.",
        )
    for queue in silent:
        yield _problem(
            f"No worker takes jobs of the queue “{queue}”.",
            f"Start one: celery -A portal.celery worker --pool solo --queues {queue}",
        )
    if not silent and not missed:
        yield _ok("Every queue has a worker, and none is missing.")


def _waiting() -> _Results:
    late = [queue for queue in figures.job_queues() if (queue.oldest or 0) > settings.MAX_WAIT]
    for queue in late:
        yield _problem(
            f"Of {queue.waiting} jobs “{queue.name}” the oldest has waited {queue.oldest:.0f} s.",
            "Look at the log of the workers; start more, or restart those that do nothing.",
        )
    if not late:
        yield _ok("No job has waited for too long.")


def _sweeper() -> _Results:
    seconds = figures.last_seconds(HeartbeatKind.SWEEPER)
    if seconds is None or seconds > 3 * settings.SWEEP + 60:
        since = "has never run" if seconds is None else f"last ended a turn {seconds:.0f} s ago"
        yield _problem(
            f"The sweeper {since}: what lost workers leave behind stays there.",
            "Start it: manage.py sweep",
        )
        return
    yield _ok(f"The sweeper ended a turn {seconds:.0f} s ago.")


def _sandbox() -> _Results:
    found = sandbox()
    if not may_score():
        yield _problem(
            f"There is no sandbox here, so uploads are refused. {found.reason}",
            "Install bubblewrap, or run on a kernel with Landlock and seccomp "
            "(docs/deployment.md).",
        )
    elif found.level is Level.NONE:
        yield _problem(
            f"Files are scored without a sandbox. {found.reason}",
            "Unset SCORE_WITHOUT_SANDBOX, which is for developers.",
        )
    else:
        yield _ok(f"The sandbox is {found.level}. {found.reason}")


def _disk() -> _Results:
    for disk in figures.disks():
        gigabytes = f"{disk.free / 1e9:,.1f} GB"
        if disk.free < 2 * settings.MIN_FREE or disk.percent_free < _MIN_PERCENT_FREE:
            yield _problem(
                f"The disk of “{disk.name}” has {gigabytes} left.",
                f"Make room: below {settings.MIN_FREE / 1e9:,.1f} GB uploads are refused.",
            )
        else:
            yield _ok(f"The disk of “{disk.name}” has {gigabytes} left.")


def _mail() -> _Results:
    try:
        server = get_connection(timeout=5)
        server.open()
        server.close()
    except OSError as error:
        yield _problem(
            f"The mail server does not answer: {error}",
            "Start it, or correct EMAIL_HOST and the settings beside it. Mail waits meanwhile.",
        )
    else:
        yield _ok("The mail server answers.")
    if failed := figures.failed_mail():
        yield _problem(
            f"{failed} emails were given up.",
            "See why under “Notices” in the admin, and send them again there.",
        )


def _storage() -> _Results:
    name = f"doctor/{uuid4()}"
    try:
        stored = default_storage.save(name, ContentFile(b"written by the doctor"))
        with default_storage.open(stored) as file:
            content = file.read()
        default_storage.delete(stored)
        is_gone = not default_storage.exists(stored)
    except Exception as error:  # of whichever storage's client library
        yield _problem(
            f"Files cannot be stored: {error}",
            "Check the rights of STORAGE_DIR, or the settings of the storage.",
        )
        return
    if content != b"written by the doctor" or not is_gone:
        yield _problem("A file was stored, but not read or deleted again.", "Check the storage.")
    else:
        yield _ok("Files can be stored, read and deleted.")


def _static_files() -> _Results:
    storage = storages["staticfiles"]
    hashed = getattr(storage, "hashed_files", None)
    if hashed is None:
        yield _ok("Static files are served as they are.")
        return
    sources = {
        f"{place.prefix}/{path}" if getattr(place, "prefix", None) else path
        for finder in finders.get_finders()
        for path, place in finder.list([])
    }
    missing = sorted(sources - {*hashed})
    if missing:
        what = "No static files are" if not hashed else f"{missing[0]} is not"
        yield _problem(f"{what} collected.", "Run “manage.py collectstatic --no-input”.")
    else:
        yield _ok("Static files are collected.")


def _backup() -> _Results:
    try:
        program = program_for_server("pg_dump")
    except ProgramError as error:
        yield _problem(str(error), "Without it there are no backups.")
    else:
        yield _ok(f"{program} can back up the database.")
    seconds = figures.last_seconds(HeartbeatKind.BACKUP)
    if seconds is None or seconds > BACKUP_EVERY.total_seconds():
        since = "There is no backup" if seconds is None else f"The last backup is {_ago(seconds)}"
        yield _problem(f"{since}.", "Run “manage.py backup DIR” every night.")
    else:
        yield _ok(f"The last backup is {_ago(seconds)}.")


def _ago(seconds: float) -> str:
    hours = seconds / 3600
    return f"{hours:.0f} hours old" if hours < 48 else f"{hours / 24:.0f} days old"


CHECKS: dict[str, Callable[[], _Results]] = {
    "settings": _settings,
    "secrets": _secrets,
    "database": _database,
    "migrations": _migrations,
    "clock": _clock,
    "broker": _broker,
    "workers": _workers,
    "waiting": _waiting,
    "sweeper": _sweeper,
    "sandbox": _sandbox,
    "disk": _disk,
    "mail": _mail,
    "storage": _storage,
    "static files": _static_files,
    "backup": _backup,
}
