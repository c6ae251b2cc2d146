"""``manage.py prepare_ladder``: what ``make demo`` makes while its pages are up already."""

import logging
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from portal.ladder import prepare_ladder


class Command(BaseCommand):
    help = "Make the demo's large release, and what reference readers make of it."

    def handle(self, *_: Any, **options: Any) -> None:  # noqa: ANN401 - as in Django
        if not settings.DEMO:
            raise CommandError("This publishes in the name of known accounts: only with DEMO=1.")
        logging.getLogger().setLevel(logging.WARNING)  # our own lines tell what is done
        if not prepare_ladder(self._tell):
            raise CommandError("The next start goes on with it.")

    def _tell(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
