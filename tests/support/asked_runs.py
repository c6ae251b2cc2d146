"""Endpoint runs of the site that really send requests, and their outcomes."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings as site
from django.core.files.storage import default_storage
from django.db import connection
from django.db.backends.utils import CursorWrapper
from pytest_django import Settings

from portal.endpoint_runs.questions import release_questions
from portal.models import EndpointRun, Release, User
from portal.releases.importer import import_release
from scoring.endpoint.prompts import prompt_for
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.settings_file import settings_text
from tests.support.endpoint_runs import passkey_release
from tests.support.factories import model_of
from tests.support.reference_endpoint import Endpoint, served_here

KEY = "canary-5f8c21d07e"


def passkeys(folder: Path, count: int, texts: int = 0) -> Release:
    """A generated release, imported into the site."""
    files = passkey_release(folder / "passkeys", count, texts)
    return import_release(files, slug="passkeys", title="Pass keys", processes=1)


def drafted(owner: User, release: Release, url: str, model: str, **settings: Any) -> EndpointRun:
    """A run that has not been started."""
    chosen = RunSettings(url, model, window=8_000, tasks=("passkey",), **settings)
    return EndpointRun.objects.create(
        owner=owner,
        language_model=model_of(owner),
        release=release,
        settings=yaml.safe_load(settings_text(chosen)),
    )


@contextmanager
def reachable(settings: Settings, *behaviour: str) -> Iterator[Endpoint]:
    """The reference endpoint, which the site is allowed to call."""
    with served_here("--window", "8K", *behaviour) as endpoint:
        settings.ENDPOINT_LOOPBACK_PORTS = frozenset({endpoint.port})
        yield endpoint


def at(endpoint: Endpoint) -> tuple[str, str]:
    return endpoint.url, endpoint.model


def rows(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def outcomes(run: EndpointRun) -> Counter[str]:
    return Counter(run.questions.ended().values_list("outcome", flat=True))


def prompts(run: EndpointRun) -> dict[str, str]:
    """What is sent for each question, by the key of its example."""
    settings = RunSettings("http://127.0.0.1/v1", "model", window=8_000)
    asked = release_questions(run.release, ["passkey"])
    return {str(one.key): prompt_for(one, settings).text for one in asked}


def keepers_of_the_key() -> list[str]:
    """Tables and files that contain ``KEY``, in plain text, within JSON or within Base64."""
    plain = {KEY.encode(), *(b64encode(b" " * n + KEY.encode())[4:-4] for n in range(3))}
    with connection.cursor() as cursor:
        tables = connection.introspection.django_table_names()
        found = [table for table in tables if _holds(cursor, table, plain)]
    folders = (Path(site.STATE_DIR), Path(default_storage.path("")), Path(site.CACHE_DIR))
    for file in (file for folder in folders for file in folder.rglob("*") if file.is_file()):
        with suppress(FileNotFoundError):  # a message that a worker has taken in the meantime
            if any(one in file.read_bytes() for one in plain):
                found.append(str(file))
    return found


def _holds(cursor: CursorWrapper, table: str, plain: set[bytes]) -> bool:
    cursor.execute(f"SELECT string_agg(t::text, ' ') FROM {table} t")
    text = (cursor.fetchone()[0] or "").encode()
    return any(one in text for one in plain)
