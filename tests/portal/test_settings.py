"""Settings from the environment: right, or a sentence."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from portal import environment

URLS = {
    "postgresql://u:p%40ss@db.example:5433/site?sslmode=require": (
        "site", "u", "p@ss", "db.example", "5433", {"sslmode": "require"}
    ),
    "postgres://u@%2Ftmp%2FMixed-Case:5432/site": ("site", "u", "", "/tmp/Mixed-Case", "5432", {}),
    "postgresql://[::1]:5432/site": ("site", "", "", "::1", "5432", {}),
    "postgresql:///site": ("site", "", "", "", "", {}),
}  # fmt: skip


@pytest.mark.parametrize("url", URLS)
def test_the_address_of_a_database_is_taken_apart(url: str) -> None:
    entry = environment.database_entry("DATABASE_URL", url)
    keys = ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")
    assert tuple(entry[key] for key in keys) == URLS[url]


@pytest.mark.parametrize("url", ["mysql://db/site", "postgresql://db", "postgresql://db:x/site"])
def test_another_address_stops_the_start_with_a_sentence(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        environment.database_entry("DATABASE_URL", url)


def test_without_an_address_and_a_running_database_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with pytest.raises(ImproperlyConfigured, match="make demo"):
        environment.database("DATABASE_URL", tmp_path)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
def test_a_length_of_time_is_a_number_above_zero(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEASE_SECONDS", value)
    with pytest.raises(ImproperlyConfigured, match="LEASE_SECONDS"):
        environment.seconds("LEASE_SECONDS", 60)


def test_a_flag_is_one_or_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO", "maybe")
    with pytest.raises(ImproperlyConfigured, match="DEMO"):
        environment.flag("DEMO", False)


def test_a_secret_has_to_be_set_outside_the_demo(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY")
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        environment.secret("SECRET_KEY", tmp_path / "key", may_make=False)


def test_the_demo_makes_a_secret_that_stays_and_is_ours_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY")
    file = tmp_path / "state" / "key"
    first = environment.secret("SECRET_KEY", file, may_make=True)
    assert len(first) > 50
    assert environment.secret("SECRET_KEY", file, may_make=True) == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["key"]


@pytest.mark.django_db
def test_the_migrations_make_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", "--check", "--dry-run")
    assert "No changes detected" in capsys.readouterr().out
