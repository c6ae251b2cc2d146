"""Sites to back up, and empty ones to restore them to."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from django.db import ProgrammingError, connection, connections
from psycopg import sql
from pytest_django import Settings

from leaderboard.board.ranking import standings
from portal.endpoint_runs.keys import encrypt_key, idle_key_end
from portal.evaluations.tasks import score_evaluation
from portal.models import EndpointRun, Release, Submission, User
from portal.releases.importer import import_release
from portal.review.services import hide_entry, publish_submission
from tests.support.factories import endpoint_run, make_submission, packed, requested
from tests.support.kept_pages import forget_kept_pages
from tests.support.worlds import write_rows

Elsewhere = Callable[[], None]
KEY = "sk-canary-0123456789"


def use_storage(settings: Settings, folder: Path) -> None:
    entry = settings.STORAGES["default"]
    options = {**entry["OPTIONS"], "location": folder}
    settings.STORAGES = {**settings.STORAGES, "default": {**entry, "OPTIONS": options}}


@pytest.fixture
def elsewhere(transactional_db: None, settings: Settings, tmp_path: Path) -> Iterator[Elsewhere]:
    """Call it to move to another machine, with an empty database and an empty storage."""
    here = str(connection.settings_dict["NAME"])
    made: list[str] = []

    def go() -> None:
        made.append(f"elsewhere_{uuid4().hex[:8]}")
        _execute("CREATE DATABASE {}", made[-1])
        _connect_to(made[-1])
        use_storage(settings, tmp_path / made[-1])

    yield go
    _connect_to(here)
    for name in made:
        _drop(name)


def _drop(name: str) -> None:
    """Drop the database along with its connections; only PostgreSQL's own cleanup is waited for."""
    try:
        _execute("DROP DATABASE {} WITH (FORCE)", name)
    except ProgrammingError:
        _execute("DROP DATABASE {}", name)


def another_connection() -> "psycopg.Connection[tuple[object, ...]]":
    """A second connection to the same database, besides Django's."""
    found = connection.get_connection_params()
    keys = ("host", "port", "user", "dbname")
    return psycopg.connect(**{key: found[key] for key in keys if key in found})


def _execute(statement: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(sql.Identifier(name)))


def _connect_to(name: str) -> None:
    connections.close_all()
    connection.settings_dict["NAME"] = name
    forget_kept_pages()
    standings.forget()


def imported(folder: Path, slug: str, *, hidden: bool = False) -> Release:
    rows = [
        {"id": number, "context": f"{slug} {number} " * 50, "input": "?", "answer": [str(number)]}
        for number in range(4)
    ]
    write_rows(folder / slug / "passkey.jsonl", rows)
    return import_release(folder / slug, slug=slug, title=slug.title(), hidden=hidden)


def scored(owner: User, release: Release, right: Iterable[int]) -> Submission:
    rows = [
        {"id": number, "prediction": str(number if number in right else "x")} for number in range(4)
    ]
    upload = packed({"preds_passkey.jsonl": "\n".join(map(json.dumps, rows)).encode()})
    submission = make_submission(owner, release, upload)
    submission.evaluations.update(align="id", release_confirmed=True)
    score_evaluation(0)
    assert submission.evaluations.get().state == "scored", submission.evaluations.get().problems
    return submission


@pytest.fixture
def site(tmp_path: Path, alice: User, bob: User, rita: User, adam: User) -> Submission:
    """A site with entries of every kind, published, hidden, private and on a hidden release, and a
    run."""
    public, secret = imported(tmp_path, "public"), imported(tmp_path, "secret", hidden=True)
    entry = scored(alice, public, range(4))
    publish_submission(requested(entry, by=alice), by=rita, reason="Fine.")
    hidden = scored(bob, public, range(2))
    publish_submission(requested(hidden, by=bob), by=rita, reason="Fine.")
    hide_entry(hidden, by=adam, reason="A mistake in it.")
    scored(bob, public, range(1))
    scored(alice, secret, range(3))
    run = endpoint_run(alice, public)
    sealed = encrypt_key(KEY, run_id=run.pk, host="endpoint.example")
    EndpointRun.objects.filter(pk=run.pk).update(key=sealed, key_until=idle_key_end())
    return entry
