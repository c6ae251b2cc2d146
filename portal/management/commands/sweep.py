"""``manage.py sweep``: recover what workers left behind, continuously or once."""

import logging
import signal
import time
from collections.abc import Callable, MutableMapping
from threading import Event
from typing import Any, NamedTuple

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections, connection

from portal.accounts.sessions import delete_expired_sessions
from portal.endpoint_runs.sweeper import sweep_runs
from portal.evaluations.sweeper import sweep
from portal.evaluations.word_index import merge_words
from portal.heartbeats import beat, forget_old_heartbeats
from portal.hub.jobs import sweep_fetches
from portal.mail.outbox import sweep_notices
from portal.models import HeartbeatKind
from portal.operations.orphans import delete_orphaned_files
from portal.review.answers.checks import update_answer_checks
from portal.review.openings import open_due
from portal.scores.comparison.separations import update_separations

_HOUR, _DAY = 3600.0, 24 * 3600.0

log = logging.getLogger(__name__)


class Chore(NamedTuple):
    name: str
    do: Callable[[], object]  # returns what it has done, if anything
    every: float = 0.0  # seconds, at least; 0: every turn


CHORES = (
    Chore("evaluations", sweep),
    Chore("entries to open", open_due),
    Chore("endpoint runs", sweep_runs),
    Chore("jobs of the Hub", sweep_fetches),
    Chore("mail", sweep_notices),
    Chore("ranges of ranks", update_separations),
    Chore("answers to review", update_answer_checks),
    Chore("words of answers", merge_words),
    Chore("orphaned files", delete_orphaned_files, every=_HOUR),
    Chore("old heartbeats", forget_old_heartbeats, every=_HOUR),
    Chore("expired sessions", delete_expired_sessions, every=_DAY),
)


class Command(BaseCommand):
    help = "Requeue jobs of lost workers, resend lost messages, clean up."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="run once, then exit")

    def handle(self, *_: Any, **options: Any) -> None:
        due: dict[str, float] = {}
        if options["once"]:
            if failed := turn(due):
                raise CommandError(f"Failed: {', '.join(failed)}. The log says why.")
            return
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            turn(due)
            stop.wait(settings.SWEEP)


def turn(due: MutableMapping[str, float]) -> list[str]:
    """Do the chores that are due. Returns the names of those that failed.

    A failed one is tried again in the next turn: a database that is down may be up by then.
    """
    failed = []
    for chore in CHORES:
        now = time.monotonic()
        if now < due.get(chore.name, 0.0):
            continue
        if _is_done(chore):
            due[chore.name] = now + chore.every
        else:
            failed.append(chore.name)
    _is_done(Chore("heartbeat", lambda: beat(HeartbeatKind.SWEEPER, details=", ".join(failed))))
    return failed


def _is_done(chore: Chore) -> bool:
    close_old_connections()
    try:
        found = chore.do()
    except Exception:
        log.exception("%s: failed", chore.name)
        connection.close()
        return False
    if found:
        log.info("%s: %s", chore.name, found)
    return True
