"""Regions of pages that one process has made, for all processes of the site.

A row without content is a claim: one process is making the region, and the others wait for it. None
waits longer than ``PATIENCE``, in case that process is killed.
"""

import logging
import time
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from uuid import uuid4

import orjson
from django.conf import settings
from django.db import DatabaseError, connection

PATIENCE = 5.0  # seconds
_POLL = 0.02  # seconds
_MOST = 3_000  # rows of the same version
FOREVER = 1 << 62  # the version of what depends on nothing but its name and the code
_MAX_AGE = 3_600  # seconds, of all other regions
_CODE = ("leaderboard", "portal", "scoring", "templates")  # folders
# Shared by the processes of one server, which are forked after this is loaded: after a start with
# other settings, styles or code, nothing is found that was made before.
_START = uuid4().hex
_CLAIM = """
INSERT INTO portal_keptregion AS kept (key, version, claimed) VALUES (%s, %s, clock_timestamp())
ON CONFLICT (key) DO UPDATE SET claimed = clock_timestamp(), content = NULL
WHERE kept.claimed < clock_timestamp() - make_interval(
    secs => CASE WHEN kept.content IS NULL THEN %s ELSE %s END
)
RETURNING true
"""
# Two processes that clear away the same rows must not wait for each other.
_KEEP = """
WITH cleared AS (
    DELETE FROM portal_keptregion WHERE key IN (
        SELECT key FROM portal_keptregion WHERE version < %s OR key IN (
            SELECT key FROM portal_keptregion WHERE version = %s ORDER BY claimed DESC OFFSET %s
        ) FOR UPDATE SKIP LOCKED
    )
)
UPDATE portal_keptregion SET content = %s WHERE key = %s
"""

Texts = Mapping[str, str]
log = logging.getLogger(__name__)


def kept_region(name: str, version: int, make: Callable[[], Texts]) -> Texts:
    """The texts of the region of this name at this version of the boards, or ``FOREVER``: as
    another process has made them, or made now.

    Within a transaction they are always made, since other processes would not see the claim before
    its end; and also where the database cannot write, since its disk is full or it is a replica.
    """
    if connection.in_atomic_block:
        return make()
    maker = _code_version() if version == FOREVER else _START
    key = sha256(f"{version}/{maker}/{name}".encode()).hexdigest()
    try:
        known = _claim(key, version)
    except DatabaseError:
        log.warning("the region cannot be kept", exc_info=True)
        return make()
    if known is not None:
        return known
    try:
        texts = make()
    except BaseException:
        _write("DELETE FROM portal_keptregion WHERE key = %s", [key])
        raise
    content = orjson.dumps({name: str(text) for name, text in texts.items()}).decode()
    older_than = 0 if version == FOREVER else version
    _write(_KEEP, [older_than, version, _MOST, content, key])
    return texts


@cache
def _code_version() -> str:
    """Changes with the code; the same for all processes that run the same image, on any machine."""
    files = sorted(
        path
        for folder in _CODE
        for path in (settings.BASE_DIR / folder).rglob("*")
        if path.suffix in (".html", ".mo", ".py", ".svg")
    )
    found = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return sha256(repr(found).encode()).hexdigest()


def _claim(key: str, version: int) -> Texts | None:
    """The texts as another process has made them; None: this process is to make them."""
    deadline = time.monotonic() + PATIENCE
    max_age = 10**9 if version == FOREVER else _MAX_AGE
    with connection.cursor() as cursor:
        while not cursor.execute(_CLAIM, [key, version, PATIENCE, max_age]).fetchone():
            cursor.execute("SELECT content FROM portal_keptregion WHERE key = %s", [key])
            [content] = cursor.fetchone() or [None]
            if content is not None:
                found: Texts = orjson.loads(content)
                return found
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL)
    return None


def _write(statement: str, values: list[str | int]) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
    except DatabaseError:
        log.warning("the region cannot be kept", exc_info=True)
