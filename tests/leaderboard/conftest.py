"""The cast of the site, and no page left over from another test."""

import pytest
from django.core.cache import caches

from leaderboard.board import standings
from portal.models import Release
from tests.support.factories import release_of_all_tasks
from tests.support.fixtures import adam, alice, bob, counting_server, release, rita, storage, world

__all__ = [
    "adam", "alice", "bob", "counting_server", "no_kept_regions", "official", "release", "rita",
    "storage", "world",
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_kept_regions() -> None:
    """Numbers of versions come again here, since each test's changes are rolled back."""
    caches["regions"].clear()
    standings.forget()


@pytest.fixture
def official(db: None) -> Release:
    """A release of all twelve tasks, of the official data."""
    return release_of_all_tasks()
