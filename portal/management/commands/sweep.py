"""``manage.py sweep``: look after evaluations that workers have left lying, for ever or once."""

import logging
import signal
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from portal.jobs import sweep

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Give evaluations of lost workers to others; send lost messages again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one turn, then end")

    def handle(self, *_: Any, **options: Any) -> None:  # noqa: ANN401 - as in Django
        if options["once"]:
            self.stdout.write(str(sweep()))
            return
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            _turn()
            stop.wait(settings.SWEEP)


def _turn() -> None:
    """One turn; a database that is down now may be up the next time."""
    close_old_connections()
    try:
        found = sweep()
    except (DatabaseError, InterfaceError) as error:
        log.warning("nothing could be swept: %s", error)
        connection.close()
    else:
        if any(found):
            log.info("%s", found)
