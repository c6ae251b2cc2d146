"""``manage.py reference_endpoint``: the reference reader, to be asked like a model."""

import signal
from argparse import ArgumentTypeError
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.demo.openai_server import Model, ReferenceServer
from scoring.baseline.release import SMALLEST_WINDOW
from scoring.cli.arguments import SHORT, tokens
from scoring.text.tokens import count_tokens

_LONGEST_DELAY = 3_600.0  # seconds


class Command(BaseCommand):
    help = "Serve the reference reader on this machine as an OpenAI-compatible endpoint."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--window",
            type=_window,
            required=True,
            metavar="N",
            help=f"prompt tokens that it reads: {SHORT}",
        )
        parser.add_argument("--port", type=int, default=8100, metavar="P", help="0: any free port")
        parser.add_argument("--host", default="127.0.0.1", help="default: only this machine")
        parser.add_argument("--name", default="", help="the name of the model")
        parser.add_argument("--key", default="", help="require this API key")
        parser.add_argument(
            "--over",
            choices=("cut", "refuse"),
            default="cut",
            help="what happens to a longer prompt: its middle is cut (cut, the default), or it is "
            "an error (refuse)",
        )
        parser.add_argument(
            "--delay", type=_delay, default=0.0, metavar="S", help="seconds before each answer"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        window = options["window"]
        model = Model(
            options["name"] or name_of(window),
            window,
            options["over"],
            options["key"],
            options["delay"],
        )
        try:
            server = ReferenceServer((options["host"], options["port"]), model)
        except (OSError, OverflowError) as error:
            address = f"{options['host']}, port {options['port']}"
            raise CommandError(f"Cannot listen at {address}: {error}") from error
        for number in (signal.SIGTERM, signal.SIGINT):
            # Not from the thread that serves, which would wait for itself.
            signal.signal(number, lambda *_: Thread(target=server.shutdown).start())
        host, port = server.server_address[:2]
        count_tokens("")  # loads the vocabulary before the first request
        self.stdout.write(f"{model.name} listens at http://{host!s}:{port}/v1")
        self.stdout.flush()
        server.serve_forever()
        server.finish()


def name_of(window: int) -> str:
    """The default name of a reader with this window: reference-reader-8k."""
    size = f"{window // 1_000}k" if window % 1_000 == 0 else str(window)
    return f"reference-reader-{size}"


def _window(text: str) -> int:
    window = tokens(text)
    if window < SMALLEST_WINDOW:
        raise ArgumentTypeError(f"{SMALLEST_WINDOW} tokens at least")
    return window


def _delay(text: str) -> float:
    try:
        delay = float(text)
    except ValueError:
        delay = -1.0
    if not 0 <= delay <= _LONGEST_DELAY:  # nor is “nan” between them
        raise ArgumentTypeError(f"write seconds from 0 to {_LONGEST_DELAY:.0f}, as in 1.5")
    return delay
