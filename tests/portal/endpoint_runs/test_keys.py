"""Stored keys of endpoints: readable only for their run and host."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from portal.endpoint_runs.keys import (
    EndpointKeyError,
    decrypt_key,
    encrypt_key,
    host_of,
    renew_ciphertext,
)
from portal.env import secrets_of
from portal.models import User
from tests.support.factories import endpoint_run, release_of_all_tasks

RUN, OTHER_RUN = UUID(int=1), UUID(int=2)
HOST = "api.example.org"
KEY = "sk-canary-0123456789-ü"
NAME = "ENDPOINT_KEY_SECRETS"
OLD, NEW = "an old secret of thirty-two letters", "a new secret of thirty-two letters"


def code(ciphertext: str, run_id: UUID = RUN, host: str = HOST) -> str:
    """The code of the error; empty if the key can be read."""
    try:
        assert decrypt_key(ciphertext, run_id=run_id, host=host) == KEY
    except EndpointKeyError as error:
        return f"{error.code}: {error}" if "canary" in f"{error}{error.__cause__}" else error.code
    return ""


def test_a_key_is_read_for_its_own_run_and_host_only() -> None:
    ciphertext = encrypt_key(KEY, run_id=RUN, host=HOST)
    assert "canary" not in ciphertext
    assert encrypt_key(KEY, run_id=RUN, host=HOST) != ciphertext
    assert code(ciphertext) == ""
    assert code(ciphertext, OTHER_RUN) == "foreign_key"
    assert code(ciphertext, host="evil.example.org") == "foreign_key"
    assert code(ciphertext, host="api.example.org:8443") == "foreign_key"
    for broken in ("", KEY, "ü", ciphertext[:-5], ciphertext.swapcase()):
        assert code(broken) == "unreadable_key"


def test_secrets_are_rotated_without_a_loss(settings: Any) -> None:
    settings.ENDPOINT_KEY_SECRETS = [OLD]
    ciphertext = encrypt_key(KEY, run_id=RUN, host=HOST)
    settings.ENDPOINT_KEY_SECRETS = [NEW, OLD]
    assert code(ciphertext) == ""
    renewed = renew_ciphertext(ciphertext)
    settings.ENDPOINT_KEY_SECRETS = [NEW]
    assert code(renewed) == ""
    assert code(ciphertext) == "unreadable_key"
    with pytest.raises(EndpointKeyError):
        renew_ciphertext(ciphertext)


def test_without_a_secret_no_key_is_kept(settings: Any) -> None:
    settings.ENDPOINT_KEY_SECRETS = []
    with pytest.raises(EndpointKeyError):
        encrypt_key(KEY, run_id=RUN, host=HOST)
    assert code("anything") == "no_secret"


def test_the_host_of_an_address_has_its_port() -> None:
    assert host_of("https://API.example.org:8443/v1") == "api.example.org:8443"


def test_the_secrets_are_those_of_the_environment_or_in_the_demo_a_private_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "state" / "secret"
    monkeypatch.setenv(NAME, f"{NEW}, {OLD}")
    assert secrets_of(NAME, file, may_make=True) == [NEW, OLD]
    monkeypatch.setenv(NAME, f"{NEW},short")
    with pytest.raises(ImproperlyConfigured, match="32 characters"):
        secrets_of(NAME, file, may_make=False)
    monkeypatch.delenv(NAME)
    assert secrets_of(NAME, file, may_make=False) == []
    [made] = secrets_of(NAME, file, may_make=True)
    assert secrets_of(NAME, file, may_make=True) == [made]
    assert len(made) > 50
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_keys_of_all_runs_are_renewed_and_those_that_are_lost_are_named(
    alice: User, settings: Any
) -> None:
    settings.ENDPOINT_KEY_SECRETS = [OLD]
    release = release_of_all_tasks("keys")
    run = endpoint_run(alice, release, state="running")
    run.key = encrypt_key(KEY, run_id=run.pk, host=HOST)
    run.save()
    nobody_has_it = "of a secret that is lost"
    lost = endpoint_run(alice, release, "Lost", key=nobody_has_it, state="running")
    endpoint_run(alice, release, "Without a key")
    settings.ENDPOINT_KEY_SECRETS = [NEW, OLD]
    with pytest.raises(CommandError, match=str(lost.pk)):
        call_command("renew_endpoint_keys")
    settings.ENDPOINT_KEY_SECRETS = [NEW]
    run.refresh_from_db()
    assert code(run.key, run.pk) == ""
