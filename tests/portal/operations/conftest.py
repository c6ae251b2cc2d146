"""Sites to back up, and empty ones to restore them to."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.db import connection, connections
from psycopg import sql
from pytest_django import Settings

from leaderboard.board import standings

Elsewhere = Callable[[], None]


def use_storage(settings: Settings, folder: Path) -> None:
    entry = settings.STORAGES["default"]
    options = {**entry["OPTIONS"], "location": folder}
    settings.STORAGES = {**settings.STORAGES, "default": {**entry, "OPTIONS": options}}


@pytest.fixture
def elsewhere(transactional_db: None, settings: Settings, tmp_path: Path) -> Iterator[Elsewhere]:
    """Call it to be on another machine: with an empty database and an empty storage."""
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
        _execute("DROP DATABASE {} WITH (FORCE)", name)


def _execute(statement: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(sql.Identifier(name)))


def _connect_to(name: str) -> None:
    connections.close_all()
    connection.settings_dict["NAME"] = name
    caches["regions"].clear()
    standings.forget()
