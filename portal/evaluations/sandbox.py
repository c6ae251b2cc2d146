"""The sandbox as it is on this machine, measured once for each process and its children."""

import logging
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import connection

from scoring.sandbox.preflight import Preflight, preflight
from scoring.sandbox.run import Level

log = logging.getLogger(__name__)


def sandbox() -> Preflight:
    """Which level holds, found by trying to break out, and to the database's socket and our key.

    Takes about 0.3 s the first time. Where it cannot be tried now, on a full disk, none holds.
    """
    try:
        return measured()
    except OSError as error:  # with a path of ours, and everybody may read the reason
        log.exception("the sandbox could not be tried")
        return Preflight(Level.NONE, f"The sandbox could not be tried: {error.strerror}.", ())


@cache
def measured() -> Preflight:
    return preflight(sockets=_database_sockets(), files=[settings.SECRET_KEY_FILE])


def may_score() -> bool:
    """Whether files of the public may be scored here. There is no silent step down."""
    return settings.SCORE_WITHOUT_SANDBOX or sandbox().level is not Level.NONE


def _database_sockets() -> list[Path]:
    host = str(connection.settings_dict["HOST"])
    port = connection.settings_dict["PORT"] or 5432
    return [Path(host) / f".s.PGSQL.{port}"] if host.startswith("/") else []
