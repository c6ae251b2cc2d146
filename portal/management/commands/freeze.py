"""``manage.py freeze``: the public site as static files that do not need it."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.frozen_site.fetching import FreezeError
from portal.frozen_site.freeze import freeze_site
from portal.logs.json_lines import log


class Command(BaseCommand):
    help = (
        "Write all that everybody may read on the site into a folder: pages with relative "
        "links, feeds, exports, documents of the API, and the hash of every file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("out", type=Path, help="a new folder, or that of an earlier copy")
        parser.add_argument(
            "--base",
            default="",
            metavar="URL",
            help="where the copy will be served, for search engines and previews of links",
        )
        parser.add_argument(
            "--examples",
            type=int,
            default=5,
            metavar="N",
            help="of each task and release, how many get a page (5)",
        )
        parser.add_argument(
            "--without-answers",
            action="store_true",
            help="leave out predictions, answers and verdicts of every question, which are most of "
            "the size",
        )
        parser.add_argument(
            "--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="at once"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        base, out = options["base"], options["out"]
        if base and not base.startswith(("https://", "http://")):
            raise CommandError("--base is a web address, such as https://example.org/frozen")
        if options["processes"] < 1 or options["examples"] < 0:
            raise CommandError("--processes is 1 or more, --examples 0 or more")
        begun = perf_counter()
        try:
            with _without_request_log():
                frozen = freeze_site(
                    out,
                    base=base,
                    samples=options["examples"],
                    with_answers=not options["without_answers"],
                    processes=options["processes"],
                )
        except (FreezeError, OSError) as error:
            raise CommandError(f"Nothing was frozen. {error}") from error
        if options["verbosity"] > 1:
            for name, used in frozen.seconds.most_common():
                self.stdout.write(f"{used:8.2f} s {frozen.counts[name]:6} {name}")
        seconds = perf_counter() - begun
        size = f"{frozen.files:,} files, {frozen.size / 1e6:,.1f} MB"
        self.stdout.write(f"{size} in {seconds:.1f} s: {out}")


@contextmanager
def _without_request_log() -> Iterator[None]:
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)
