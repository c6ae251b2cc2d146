"""Every kind of planted fault is found, and nothing else."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from kombu.connection import Connection
from pytest_django import Settings

from portal.celery import app
from portal.evaluations import sandbox as portal_sandbox
from portal.heartbeats import beat
from portal.models import (
    Evaluation,
    Heartbeat,
    HeartbeatKind,
    Notice,
    NoticeKind,
    Release,
    User,
)
from portal.operations import doctor, figures, postgres_programs
from portal.operations.doctor import CHECKS, Finding, examine
from scoring.sandbox.preflight import Preflight
from scoring.sandbox.run import Level
from tests.support.factories import make_submission

Plant = Callable[["Faults"], None]


class Faults:
    """What may be needed to plant a fault."""

    def __init__(self, settings: Settings, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.settings, self.patch, self.folder = settings, patch, folder


@pytest.fixture(autouse=True)
def well(settings: Settings, monkeypatch: pytest.MonkeyPatch, db: None, tmp_path: Path) -> Faults:
    """A site without any fault."""
    settings.SECRET_KEY = "a secret of more than fifty characters, as Django asks for: yes"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.ALLOWED_HOSTS = ["board.example"]
    settings.SECURE_SSL_REDIRECT = True
    beat(HeartbeatKind.WORKER, "worker@here", queues=figures.worker_queues())
    beat(HeartbeatKind.SWEEPER)
    beat(HeartbeatKind.BACKUP, "backup")
    usage = (10**12, 5 * 10**11, 5 * 10**11)
    monkeypatch.setattr("shutil.disk_usage", lambda _: _Usage(*usage))
    return Faults(settings, monkeypatch, tmp_path)


class _Usage:
    def __init__(self, total: int, used: int, free: int) -> None:
        self.total, self.used, self.free = total, used, free


def wrong() -> list[Finding]:
    return [finding for finding in examine() if not finding.ok]


def test_of_a_well_site_nothing_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert wrong() == []
    call_command("doctor", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is True
    assert {one["check"] for one in said["findings"]} == CHECKS.keys()


def _no_broker(faults: Faults) -> None:
    gone = Connection("redis://127.0.0.1:1/0")
    faults.patch.setattr(app, "connection_for_write", lambda **_: gone)


def _without_sandbox(faults: Faults) -> None:
    nothing = Preflight(Level.NONE, "Nothing holds here.", ())
    for module in (portal_sandbox, doctor):
        faults.patch.setattr(module, "sandbox", lambda: nothing)


def _no_room(faults: Faults) -> None:
    faults.patch.setattr("shutil.disk_usage", lambda _: _Usage(10**12, 10**12, 10**6))


def _no_mail_server(faults: Faults) -> None:
    faults.settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    faults.settings.EMAIL_HOST, faults.settings.EMAIL_PORT = "127.0.0.1", 1


def _no_rights(faults: Faults) -> None:
    place = faults.folder / "a file, not a folder"
    place.touch()
    entry = faults.settings.STORAGES["default"]
    options = {**entry["OPTIONS"], "location": place}
    faults.settings.STORAGES = {
        **faults.settings.STORAGES,
        "default": {**entry, "OPTIONS": options},
    }


def _nothing_collected(faults: Faults) -> None:
    faults.settings.STATIC_ROOT = faults.folder / "static"
    faults.settings.STORAGES = {
        **faults.settings.STORAGES,
        "staticfiles": {"BACKEND": "portal.web.static_storage.StaticStorage"},
    }


def _clock_is_off(faults: Faults) -> None:
    class Clock:
        @staticmethod
        def now() -> datetime:
            return datetime.now(UTC) + timedelta(hours=1)

    faults.patch.setattr(doctor, "timezone", Clock)


def _no_pg_dump(faults: Faults) -> None:
    faults.patch.setattr(postgres_programs, "_candidates", lambda _: iter(()))


def _old_pg_dump(faults: Faults) -> None:
    faults.patch.setattr(postgres_programs, "major_of", lambda _: 9)


def _not_migrated(_faults: Faults) -> None:
    newest = max(name for app, name in MigrationRecorder(connection).applied_migrations()
                 if app == "portal")  # fmt: skip
    MigrationRecorder(connection).record_unapplied("portal", newest)


def _set(**values: Any) -> Plant:
    def plant(faults: Faults) -> None:
        for name, value in values.items():
            setattr(faults.settings, name, value)

    return plant


def _silent(kind: HeartbeatKind, **ago: float) -> Plant:
    def plant(_faults: Faults) -> None:
        Heartbeat.objects.filter(kind=kind).update(at=Now() - timedelta(**ago))

    return plant


def _one_more_worker_was_killed(_faults: Faults) -> None:
    beat(HeartbeatKind.WORKER, "another@here", queues=["scoring"])
    Heartbeat.objects.filter(pk="another@here").update(at=Now() - timedelta(seconds=61))


PLANTED: dict[str, tuple[str, Plant]] = {
    "debugging": ("settings", _set(DEBUG=True)),
    "cookies by plain http": ("settings", _set(SESSION_COOKIE_SECURE=False)),
    "a short secret": ("settings", _set(SECRET_KEY="short" * 9)),
    "no keys of endpoints": ("secrets", _set(ENDPOINT_KEY_SECRETS=[])),
    "not migrated": ("migrations", _not_migrated),
    "a clock that is off": ("clock", _clock_is_off),
    "no broker": ("broker", _no_broker),
    "no workers": ("workers", _silent(HeartbeatKind.WORKER, minutes=61)),
    "a worker that fell silent": ("workers", _one_more_worker_was_killed),
    "no sweeper": ("sweeper", _silent(HeartbeatKind.SWEEPER, minutes=11)),
    "no sandbox": ("sandbox", _without_sandbox),
    "no room": ("disk", _no_room),
    "no mail server": ("mail", _no_mail_server),
    "no rights": ("storage", _no_rights),
    "nothing collected": ("static files", _nothing_collected),
    "no pg_dump": ("backup", _no_pg_dump),
    "an old pg_dump": ("backup", _old_pg_dump),
    "an old backup": ("backup", _silent(HeartbeatKind.BACKUP, hours=30)),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(
    name: str, well: Faults, capsys: pytest.CaptureFixture[str]
) -> None:
    check, plant = PLANTED[name]
    plant(well)
    found = wrong()
    assert {finding.check for finding in found} == {check}
    assert all(finding.sentence and finding.fix for finding in found)
    with pytest.raises(SystemExit) as ended:
        call_command("doctor")
    assert ended.value.code == 1
    assert f"WRONG {check}: " in capsys.readouterr().out


def test_a_job_that_no_worker_takes_is_found(
    alice: User, release: Release, settings: Settings
) -> None:
    make_submission(alice, release, b"{}")
    Evaluation.objects.update(due=Now() - timedelta(seconds=settings.MAX_WAIT + 1))
    assert [finding.check for finding in wrong()] == ["waiting"]


def test_mail_that_was_given_up_is_found(alice: User) -> None:
    Notice.objects.create(
        recipient=alice, kind=NoticeKind.ACCOUNT, state="failed", failure="refused",
        ended=Now(), expires=Now(),
    )  # fmt: skip
    assert [finding.check for finding in wrong()] == ["mail"]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_down_hides_nothing_else(no_database: None, settings: Settings) -> None:
    settings.ENDPOINT_KEY_SECRETS = []
    found = {finding.check for finding in wrong()}
    assert {"database", "secrets", "migrations"} <= found
    assert "sandbox" not in found


def test_a_check_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(CHECKS, "disk", fails)
    assert [finding.check for finding in wrong()] == ["disk"]
