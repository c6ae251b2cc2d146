"""Runs of the site that really ask, and what has become of them."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from pytest_django import Settings

from portal.endpoint_runs.questions import release_questions
from portal.models import EndpointRun, Release, User
from portal.releases.importer import import_release
from scoring.endpoint.prompts import prompt_for
from scoring.endpoint.settings import RunSettings, settings_text
from tests.support.endpoint_runs import passkey_release
from tests.support.factories import model_of
from tests.support.reference_endpoint import Endpoint, served_here

KEY = "canary-5f8c21d07e"


def passkeys(folder: Path, count: int, texts: int = 0) -> Release:
    """A release of the site."""
    files = passkey_release(folder / "passkeys", count, texts)
    return import_release(files, slug="passkeys", title="Pass keys", processes=1)


def drafted(owner: User, release: Release, url: str, model: str, **settings: Any) -> EndpointRun:
    """A run that was not started."""
    chosen = RunSettings(url, model, window=8_000, tasks=("passkey",), **settings)
    return EndpointRun.objects.create(
        owner=owner,
        language_model=model_of(owner),
        release=release,
        settings=yaml.safe_load(settings_text(chosen)),
    )


@contextmanager
def reachable(settings: Settings, *behaviour: str) -> Iterator[Endpoint]:
    """The reference endpoint, which this site may ask."""
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
