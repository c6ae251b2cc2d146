"""The fixtures of the portal's tests."""

from tests.support.fixtures import (
    adam,
    alice,
    bob,
    counting_server,
    error_pages_once,
    messages,
    no_database,
    no_kept_regions,
    release,
    rita,
    storage,
    world,
)

__all__ = [
    "adam",
    "alice",
    "bob",
    "counting_server",
    "error_pages_once",
    "messages",
    "no_database",
    "no_kept_regions",
    "release",
    "rita",
    "storage",
    "world",
]
