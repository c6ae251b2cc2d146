"""Options that ``run`` and ``estimate`` share: the settings of a run, from a file and options."""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scoring.catalog import TASKS
from scoring.cli.arguments import SHORT, at_least_one, several_names, tokens
from scoring.endpoint.order import in_order
from scoring.endpoint.questions import ReleaseQuestion, read_questions
from scoring.endpoint.settings import (
    NoRoomError,
    RunSettings,
    SettingsError,
    check_money_cap,
    settings_of,
)
from scoring.endpoint.settings_file import LARGEST_FILE, split_document, yaml_document
from scoring.endpoint.subsets import precision, subset_of
from scoring.endpoint.templates import Strategy
from scoring.releases.gold import GoldError, release_files

_CAPS = {"max_requests": "requests", "max_tokens": "tokens", "max_cost": "money",
         "max_seconds": "seconds"}  # fmt: skip
_PRICES = {"price_input": "input", "price_output": "output"}
_PLAIN = (
    "model",
    "api",
    "window",
    "strategy",
    "truncation",
    "subset",
    "limit",
    "concurrency",
    "order",
)


def add_settings_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--gold", type=Path, required=True, metavar="DIR", help="the release whose questions to ask"
    )
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="settings as YAML, as in the run.yaml of another run or from the site; options come "
        "before them",
    )
    parser.add_argument("--endpoint", metavar="URL", help="as for OpenAI's clients: …/v1")
    parser.add_argument("--model", metavar="NAME")
    parser.add_argument(
        "--api", choices=("chat", "completions"), help="completions is for base models"
    )
    parser.add_argument(
        "--window",
        type=tokens,
        metavar="N",
        help=f"tokens of prompt and answer together; {SHORT} (default: 128K)",
    )
    parser.add_argument(
        "--output-tokens",
        type=_output_tokens,
        default={},
        metavar="TASK=N,…",
        help="tokens that an answer may have (default: 256; En.Sum 1,200, Math.Calc 30,000; "
        "at most half of the window)",
    )
    parser.add_argument(
        "--strategy", choices=[each.value for each in Strategy], help="default: direct"
    )
    parser.add_argument(
        "--truncation",
        choices=("middle", "skip"),
        help="of prompts that do not fit: cut out their middle (the default), or skip them",
    )
    parser.add_argument(
        "--concurrency", type=at_least_one, metavar="N", help="requests at once (default: 8)"
    )
    _add_questions(parser)
    _add_caps(parser)


def _add_questions(parser: ArgumentParser) -> None:
    """Which of the release are asked, and in which order."""
    parser.add_argument(
        "--tasks",
        type=several_names,
        metavar="A,B",
        help=f"some of {', '.join(TASKS)} (default: all that the release has)",
    )
    parser.add_argument(
        "--subset",
        type=_subset,
        metavar="all|smoke|N",
        help="smoke: the shortest questions, one of each task; N: a sample that tells most about "
        "the mean over tasks (default: all)",
    )
    parser.add_argument(
        "--limit", type=at_least_one, metavar="N", help="questions: a fair sample of that size"
    )
    parser.add_argument(
        "--order", type=int, metavar="SEED", help="of the random order (default: 1)"
    )


def _add_caps(parser: ArgumentParser) -> None:
    parser.add_argument("--max-requests", type=at_least_one, metavar="N")
    parser.add_argument("--max-tokens", type=tokens, metavar="N", help="input and output together")
    parser.add_argument("--max-cost", type=float, metavar="X", help="in the currency of the prices")
    parser.add_argument("--max-seconds", type=at_least_one, metavar="N")
    parser.add_argument(
        "--price-input", type=float, metavar="X", help="of a million tokens (default: 0)"
    )
    parser.add_argument("--price-output", type=float, metavar="X")


def settings_from(arguments: Namespace) -> RunSettings:
    """Raises ``SettingsError``, ``GoldError`` without a release, ``OSError`` without the file."""
    document = _file_of(arguments) if arguments.settings else {}
    if arguments.endpoint is not None:
        document["url"] = arguments.endpoint
    if arguments.tasks is not None:
        document["tasks"] = list(arguments.tasks)
    document.setdefault("tasks", list(release_files(arguments.gold)))
    for name in _PLAIN:
        if (value := getattr(arguments, name)) is not None:
            document[name] = value
    parts = {"output_tokens": dict(arguments.output_tokens)}
    for part, names in (("caps", _CAPS), ("prices", _PRICES)):
        given = {to: getattr(arguments, name) for name, to in names.items()}
        parts[part] = {name: value for name, value in given.items() if value is not None}
    for part, values in parts.items():
        old = document.get(part, {})
        if values and isinstance(old, dict):
            document[part] = {**old, **values}
    return _checked(document)


def _file_of(arguments: Namespace) -> dict[str, object]:
    """Without what only the page of a run asks for. Raises ``SettingsError``, ``OSError``."""
    with arguments.settings.open(encoding="utf-8", errors="replace") as file:
        page, document = split_document(yaml_document(file.read(LARGEST_FILE + 1)))
    if not isinstance(document, dict):
        raise SettingsError(f"{arguments.settings} has no settings.")
    if page.same_questions_as:
        print(
            "note: “same_questions_as” names a run of the site, which only the site can look up. "
            "Here the questions follow from “subset” and “order”.",
            file=sys.stderr,
        )
    return document


def _checked(document: object) -> RunSettings:
    """Raises ``SettingsError``, which names the option that helps."""
    try:
        settings = settings_of(document)
    except NoRoomError as error:
        raise SettingsError(f"{error} The option: --output-tokens {error.task}=N") from error
    check_money_cap(settings)
    return settings


def _output_tokens(text: str) -> dict[str, int]:
    """``math_calc=4000,passkey=32``."""
    pairs = [part.partition("=") for part in several_names(text)]
    return {name: tokens(value) for name, _, value in pairs}


def _subset(text: str) -> str | int:
    return text if text in ("all", "smoke") else at_least_one(text)


def questions_from(
    arguments: Namespace, settings: RunSettings
) -> tuple[list[ReleaseQuestion], list[ReleaseQuestion]]:
    """All questions in the order of the release, and those to be asked in their own order.

    Raises ``GoldError``.
    """
    every = read_questions(arguments.gold, settings.tasks)
    empty = next((question for question in every if not question.characters), None)
    if empty and settings.strategy is not Strategy.CLOSED_BOOK:
        file = release_files(arguments.gold)[empty.task]
        raise GoldError(
            f"{file} has labels without contexts: there is nothing to read. Give the release with "
            "its texts, or ask without them (--strategy closed-book)."
        )
    chosen = subset_of(every, settings.subset, settings.order)
    if isinstance(settings.subset, int):
        print(_precision_sentence(chosen), file=sys.stderr)
    return every, in_order(chosen, settings.order)[: settings.limit]


def _precision_sentence(chosen: Sequence[ReleaseQuestion]) -> str:
    told = precision(Counter(question.task for question in chosen))
    return (
        f"{len(chosen):,} questions: expect an interval of ±{told.half_width:.1f} percentage "
        f"points for the mean; models that differ by {told.difference:.1f} or more on them are "
        "told apart"
    )
