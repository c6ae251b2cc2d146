"""The level of sandbox on this machine, measured once for each process and its children."""

import logging
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import connection

from scoring.sandbox.preflight import Preflight, preflight
from scoring.sandbox.run import Level

log = logging.getLogger(__name__)


def sandbox() -> Preflight:
    """Which level holds, tested by trying to break out, and to reach the database's socket and the
    secret key. Takes about 0.3 s the first time. If it cannot be tested, as on a full disk, no
    level holds."""
    try:
        return measured()
    except OSError as error:  # only its reason is public, not its path
        log.exception("the sandbox could not be tested")
        return Preflight(Level.NONE, f"The sandbox could not be tested: {error.strerror}.", ())


@cache
def measured() -> Preflight:
    host = str(connection.settings_dict["HOST"])
    port = connection.settings_dict["PORT"] or 5432
    sockets = [Path(host) / f".s.PGSQL.{port}"] if host.startswith("/") else []
    return preflight(sockets=sockets, files=[settings.SECRET_KEY_FILE])


def may_score() -> bool:
    """Whether uploaded files may be scored here. There is no silent fallback to no sandbox."""
    return settings.SCORE_WITHOUT_SANDBOX or sandbox().level is not Level.NONE
