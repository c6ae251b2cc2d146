"""Settings from the environment: valid, or refused with a clear message."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from environs import EnvError, ValidationError

from portal.env import (
    DURATION,
    as_link,
    database,
    env,
    secret_key,
    web_or_mail_address,
)
from portal.models import Role, User
from tests.support.paths import ROOT

PRODUCTION = {
    "SECRET_KEY": "0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "DATABASE_URL": "postgresql://site@db.example/site",
    "ALLOWED_HOSTS": "board.example",
    "TRUSTED_PROXIES": "1",
}
WRONG = {  # a variable, an invalid value, and a word of the message
    "SECRET_KEY": ("", "long random text"),
    "DATABASE_URL": ("mysql://db/site", "postgresql://"),
    "DEMO": ("perhaps", "valid boolean"),
    "DEBUG": ("2", "valid boolean"),
    "TRUSTED_PROXIES": ("-1", "greater than or equal to 0"),
    "EMAIL_PORT": ("smtp", "valid integer"),
    "LEASE_SECONDS": ("0", "greater than 0"),
}

URLS = {
    "postgresql://u:p%40ss@db.example:5433/site?sslmode=require": (
        "site", "u", "p@ss", "db.example", 5433, {"sslmode": "require"}
    ),
    "postgres://u@%2Ftmp%2FMixed-Case:5432/site": ("site", "u", "", "/tmp/Mixed-Case", 5432, {}),
    "postgresql://[::1]:5432/site": ("site", "", "", "::1", 5432, {}),
    "postgresql:///site": ("site", "", "", "", "", {}),
}  # fmt: skip


@pytest.mark.parametrize("url", URLS)
def test_the_database_url_is_parsed(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    entry = database(tmp_path / "database-url")
    keys = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
    assert tuple(entry[key] for key in keys) == URLS[url][:-1]
    assert entry["OPTIONS"].items() >= URLS[url][-1].items()


def test_a_database_that_has_vanished_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page would wait for minutes otherwise; the limit is configurable."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@db.example/site?connect_timeout=9")
    options = database(tmp_path / "database-url")["OPTIONS"]
    assert options["connect_timeout"] == 9
    assert 0 < options["tcp_user_timeout"] <= 15_000
    assert options["keepalives_idle"] + 2 * options["keepalives_interval"] <= 30


@pytest.mark.parametrize("url", ["mysql://db/site", "postgresql://db", "postgresql://db:x/site"])
def test_an_invalid_database_url_stops_the_start_with_a_message(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        database(tmp_path / "database-url")


def test_without_a_database_the_message_explains_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with pytest.raises(ImproperlyConfigured, match="make demo"):
        database(tmp_path / "database-url")


def test_the_database_url_of_a_running_demo_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    (tmp_path / "database-url").write_text("postgresql://leaderboard@%2Ftmp%2Fsocket:5432/site\n")
    assert database(tmp_path / "database-url")["HOST"] == "/tmp/socket"


def test_a_secret_has_to_be_set_outside_the_demo(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY")
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        secret_key(tmp_path / "key", may_make=False)


def test_the_demo_s_secret_key_is_stable_and_private(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY")
    file = tmp_path / "state" / "key"
    first = secret_key(file, may_make=True)
    assert len(first) > 50
    assert secret_key(file, may_make=True) == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["key"]


def test_a_variable_is_read_from_the_file_that_its_other_name_gives(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY")
    (tmp_path / "secret").write_text("from a file\n")
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "secret"))
    assert secret_key(tmp_path / "key", may_make=False) == "from a file"


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_file_that_cannot_be_read_stops_the_start_with_one_message(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "secret"
    if content:
        file.write_bytes(content)
    done = manage(tmp_path, "check", **PRODUCTION, SECRET_KEY_FILE=str(file))
    assert done.returncode == 1
    assert "SECRET_KEY_FILE" in done.stderr
    assert done.stderr.count("\n") == 1


def manage(tmp_path: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A Django command, in a process that has these variables and no others."""
    return subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *command],
        env={"PATH": os.environ["PATH"], "STATE_DIR": str(tmp_path), **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_settings_of_production_pass_the_checks_for_it(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert (done.returncode, done.stdout.strip()) == (
        0,
        "System check identified no issues (0 silenced).",
    ), done.stderr


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
def test_a_duration_is_a_number_above_zero(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASE_SECONDS", value)
    with pytest.raises(EnvError, match="LEASE_SECONDS"):
        env.float("LEASE_SECONDS", 60, validate=DURATION)


@pytest.mark.parametrize("name", WRONG)
def test_an_invalid_value_stops_the_start_with_one_message(tmp_path: Path, name: str) -> None:
    value, message = WRONG[name]
    done = manage(tmp_path, "check", **PRODUCTION | {name: value})
    assert done.returncode == 1
    assert name in done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_debugging_is_not_for_production(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION, DEBUG="1")
    assert done.returncode == 1
    assert "security.W018" in done.stderr


def test_the_demo_serves_plain_http_to_this_machine_only(tmp_path: Path) -> None:
    done = manage(tmp_path, "diffsettings", "--all", DEMO="1", DATABASE_URL="postgresql:///x")
    assert done.returncode == 0, done.stderr
    settings = dict(line.removeprefix("### ").split(" = ") for line in done.stdout.splitlines())
    assert "'127.0.0.1'" in settings["ALLOWED_HOSTS"]
    assert settings["SESSION_COOKIE_NAME"].startswith("'session'")
    for name in ("SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SESSION_COOKIE_SECURE"):
        assert settings[name].split()[0] in ("False", "0")


@pytest.mark.parametrize(
    ("name", "site"), [("GITHUB", "github.com"), ("HUGGINGFACE", "huggingface.co")]
)
def test_forms_lead_only_to_other_sites_that_are_configured(
    tmp_path: Path, name: str, site: str
) -> None:
    demo = {"DEMO": "1", "DATABASE_URL": "postgresql:///x"}
    without = manage(tmp_path, "diffsettings", **demo).stdout
    both = {f"{name}_ID": "an-id", f"{name}_SECRET": "a-secret"}
    done = manage(tmp_path, "diffsettings", **demo, **both).stdout
    assert f"https://{site}'" in policy_of(done)
    assert site not in policy_of(without)
    half = manage(tmp_path, "check", **demo, **{f"{name}_ID": "an-id"})
    assert half.returncode != 0
    assert f"{name}_SECRET" in half.stderr


def policy_of(settings: str) -> str:
    (policy,) = re.findall(r"^CONTENT_SECURITY_POLICY = (.+?)(?: +###)?$", settings, re.MULTILINE)
    return str(policy)


def test_every_variable_is_documented() -> None:
    files = (ROOT / "portal/settings.py", ROOT / "portal/env.py")
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    calls = re.findall(r"\b(?:env\.\w+|(?<!def )secrets_of)\([^)]", source)
    read = re.findall(r"\b(?:env\.\w+|secrets_of)\(\s*[\"'](\w+)[\"']", source)
    within = 1  # secrets_of reads whatever it is given
    assert len(read) == len(calls) - within > 20
    page = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(documented) == sorted(set(read))


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("", ""),
        ("https://example.org/contact", "https://example.org/contact"),
        ("board@example.org", "mailto:board@example.org"),
        ("mailto:board@example.org", "mailto:board@example.org"),
    ],
)
def test_a_link_is_of_a_page_or_of_email(value: str, address: str) -> None:
    web_or_mail_address(value)
    assert as_link(value) == address


@pytest.mark.parametrize("value", ["javascript:alert(1)", "ask us", "https://", "x@"])
def test_other_links_are_refused(value: str) -> None:
    with pytest.raises(ValidationError):
        web_or_mail_address(value)


@pytest.mark.django_db
def test_createsuperuser_makes_an_admin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "long enough to be one")
    call_command(
        "createsuperuser", username="ada", email="ada@board.example", interactive=False, verbosity=0
    )
    ada = User.objects.get()
    assert (ada.role, ada.is_staff, ada.check_password("long enough to be one")) == (
        Role.ADMIN,
        True,
        True,
    )


def test_behind_pgbouncer_no_cursor_outlives_its_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@db.example/site?pool_mode=transaction")
    entry = database(tmp_path / "database-url")
    assert entry["DISABLE_SERVER_SIDE_CURSORS"]
    assert "pool_mode" not in entry["OPTIONS"]
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@db.example/site?pool_mode=statement")
    with pytest.raises(ImproperlyConfigured, match="pool_mode"):
        database(tmp_path / "database-url")


_SOCKET_OF_A_WORKER = """
import socket
from portal.celery import app
with socket.create_server(("127.0.0.1", 0)) as server:
    app.conf.broker_url = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
    options = app.connection_for_read().transport_options
    with socket.create_connection(server.getsockname()) as ours:
        for option, value in options["socket_keepalive_options"].items():
            ours.setsockopt(socket.IPPROTO_TCP, option, value)
        names = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
        idle, interval, count = (
            ours.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in names
        )
print(options["socket_keepalive"], idle + interval * count)
"""


def test_a_worker_does_not_wait_for_ever_for_a_broker_that_is_gone(tmp_path: Path) -> None:
    """It kept sleeping after its network had been cut and rejoined at another address."""
    code = ("shell", "--verbosity", "0", "-c", _SOCKET_OF_A_WORKER)
    variables = {**PRODUCTION, "CELERY_BROKER_URL": "redis://127.0.0.1:6379/0"}
    done = manage(tmp_path, *code, **variables)
    alive, seconds = done.stdout.split()
    assert alive == "True"
    assert 0 < int(seconds) <= 30
