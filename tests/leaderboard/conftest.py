"""The cast of the site, and a release of all tasks."""

import pytest

from portal.models import Release
from tests.support.factories import release_of_all_tasks
from tests.support.fixtures import (
    adam,
    alice,
    bob,
    counting_server,
    no_kept_regions,
    release,
    rita,
    storage,
    world,
)

__all__ = [
    "adam", "alice", "bob", "counting_server", "no_kept_regions", "official", "release", "rita",
    "storage", "world",
]  # fmt: skip


@pytest.fixture
def official(db: None) -> Release:
    """An official release of all twelve tasks."""
    return release_of_all_tasks()
