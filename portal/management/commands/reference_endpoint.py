"""``manage.py reference_endpoint``: the reference reader as an endpoint, like that of a model."""

import signal
from argparse import ArgumentTypeError
from pathlib import Path
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.demo.openai_behaviour import Behaviour, Latency, read_canned
from portal.demo.openai_server import FAULTS, Model, ReferenceServer
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
        self._add_behaviour(parser)

    def _add_behaviour(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--latency",
            type=_latency,
            metavar="MEAN[,SIGMA]",
            help="seconds before each answer, drawn from a log-normal distribution with this mean "
            "and this deviation of the logarithm (default: 0.5)",
        )
        parser.add_argument(
            "--canned",
            type=_canned,
            metavar="FILE",
            help="answer without reading: JSON Lines with question (a hash as in the log, or empty "
            "for all others) and answer; tokens are a quarter of the characters",
        )
        parser.add_argument(
            "--faults",
            type=_faults,
            default={},
            metavar="KIND=SHARE,…",
            help=f"let these shares of the requests fail: {', '.join(FAULTS)}",
        )
        parser.add_argument(
            "--log", type=Path, metavar="FILE", help="a line for each request, by question hash"
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
            behaviour = Behaviour(
                canned=options["canned"],
                latency=options["latency"],
                faults=options["faults"],
                log=options["log"],
            )
            server = ReferenceServer((options["host"], options["port"]), model, behaviour)
        except (OSError, OverflowError) as error:
            address = f"{options['host']}, port {options['port']}"
            raise CommandError(f"Cannot listen at {address}: {error}") from error
        for number in (signal.SIGTERM, signal.SIGINT):
            # In another thread: the one that serves would wait for itself.
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
    if not 0 <= delay <= _LONGEST_DELAY:  # refuses “nan” too
        raise ArgumentTypeError(f"write seconds from 0 to {_LONGEST_DELAY:.0f}, as in 1.5")
    return delay


def _latency(text: str) -> Latency:
    parts = text.split(",")
    try:
        mean, sigma = float(parts[0]), float(parts[1]) if len(parts) > 1 else 0.5
    except ValueError:
        mean, sigma = -1.0, 0.0
    if len(parts) > 2 or not (0 < mean <= _LONGEST_DELAY and 0 <= sigma <= 3):
        raise ArgumentTypeError("write a mean in seconds and a deviation up to 3, as in 1,0.5")
    return Latency(mean, sigma)


def _canned(text: str) -> dict[str, str]:
    try:
        return read_canned(Path(text))
    except (OSError, ValueError) as error:
        raise ArgumentTypeError(str(error)) from error


def _faults(text: str) -> dict[str, float]:
    faults = {}
    for part in text.split(","):
        kind, _, share = part.strip().partition("=")
        try:
            faults[kind] = float(share)
        except ValueError:
            faults[kind] = -1.0
        if kind not in FAULTS or not 0 < faults[kind] <= 1:
            raise ArgumentTypeError(f"{part.strip()!r}: write a kind and a share, as in 429=0.1")
    if sum(faults.values()) > 1 + 1e-9:
        raise ArgumentTypeError("the shares are more than 1 together")
    return faults
