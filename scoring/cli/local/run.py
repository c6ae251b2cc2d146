"""``infinitebench run``: ask an endpoint the questions of a release."""

import asyncio
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from scoring.cli.local.endpoint_options import add_settings_arguments, questions_from, settings_from
from scoring.cli.terminal import Progress, add_json_argument, write_json
from scoring.cli.unusable import UnusableError
from scoring.endpoint.budget import Budget
from scoring.endpoint.questions import ReleaseQuestion, questions_hash
from scoring.endpoint.run.book import FileBook
from scoring.endpoint.run.folder import (
    OtherRunError,
    opened_folder,
    with_limits_of_run,
    write_predictions,
)
from scoring.endpoint.run.records import (
    DamagedRunError,
    History,
    JsonLines,
    RunInUseError,
    Started,
    history_of,
)
from scoring.endpoint.run.runner import End, Run, RunEnd, RunState
from scoring.endpoint.settings import RunSettings, SettingsError
from scoring.endpoint.transport.client import Endpoint
from scoring.endpoint.transport.hosts import check_key_is_safe, is_encrypted_or_loopback

KEY_VARIABLE = "ENDPOINT_API_KEY"

_DESCRIPTION = """\
Ask an OpenAI-compatible endpoint the questions of a release, and write official prediction files.
The same command again goes on where it was stopped or killed; nothing is asked twice.
"""

_EPILOG = f"""\
examples:
  infinitebench run --endpoint http://localhost:8000/v1 --model my-model \\
    --gold release/ --out run/ --limit 200
  {KEY_VARIABLE}=… infinitebench run --settings run.yaml --gold release/ --out run/
  infinitebench score run/ --gold release/

The key is read from the variable {KEY_VARIABLE} and stored nowhere.

exit codes: 0 all questions were asked and answered; 1 some were not, or the run has paused; 2 the
settings, the folder or a file cannot be used; 3 a cap was reached.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_settings_arguments(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a new folder, or that of the run"
    )
    add_json_argument(parser, "how the run ended")


def run(arguments: Namespace) -> int:
    try:
        settings = with_limits_of_run(settings_from(arguments), arguments.out)
        key = _key()
        check_key_is_safe(settings.url, key, is_local_allowed=True)
        if key and not is_encrypted_or_loopback(settings.url):
            print("warning: the key is sent without encryption", file=sys.stderr)
        every, questions = questions_from(arguments, settings)
        with opened_folder(arguments.out, settings) as store:
            return _run(arguments, settings, key, store, every=every, questions=questions)
    except (DamagedRunError, OtherRunError, RunInUseError, SettingsError) as error:
        raise UnusableError(str(error)) from error


def _key() -> str:
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(f"{KEY_VARIABLE} must be one line of plain characters.")
    return key


def _run(
    arguments: Namespace,
    settings: RunSettings,
    key: str,
    store: JsonLines,
    *,
    every: Sequence[ReleaseQuestion],
    questions: Sequence[ReleaseQuestion],
) -> int:
    folder: Path = arguments.out
    before, release = history_of(store.read()), questions_hash(every)
    if before.questions not in ("", release):
        raise OtherRunError(f"{folder} holds a run with the questions of other data.")
    store.append(Started(release, time.time()))
    left = [one for one in questions if not before.is_settled(one.task, one.key)]
    budget = Budget(settings.caps, settings.prices, before.spent, before.ratio)
    state = RunState(len(questions), len(questions) - len(left))
    book = FileBook(store, budget, left)
    try:
        end = asyncio.run(_ask(settings, key, book, budget, state))
    except BaseException:
        with suppress(OSError, DamagedRunError):  # what has gone wrong first is what counts
            write_predictions(folder, every, history_of(store.read()))
        raise
    after = history_of(store.read())
    write_predictions(folder, every, after)
    print(_summary(settings, budget, after, questions), file=sys.stderr)
    if arguments.json:
        write_json(arguments.json, _document(settings, budget, after, questions, end))
    if end.kind is not End.FINISHED:
        print(f"{end.kind}: {end.sentence}", file=sys.stderr)
        return 3 if end.kind is End.CAP else 1
    return 0 if all(after.is_settled(one.task, one.key) for one in questions) else 1


async def _ask(
    settings: RunSettings,
    key: str,
    book: FileBook,
    budget: Budget,
    state: RunState,
) -> RunEnd:
    async with Endpoint(settings, key, is_local_allowed=True) as endpoint:
        with Progress() as show:
            run = Run(
                settings, endpoint, book, state, progress=lambda state: show(_line(state, budget))
            )
            return await run.ask_all()


def _line(state: RunState, budget: Budget) -> str:
    failures = f", {state.failures.total()} failed attempts" if state.failures else ""
    spent = budget.spent
    return f"{state.settled} of {state.questions} questions, {spent.tokens:,} tokens{failures}"


def _outcomes(history: History, questions: Sequence[ReleaseQuestion]) -> Counter[str]:
    ends = (history.ended.get((one.task, one.key)) for one in questions)
    return Counter(end.outcome.value if end else "not asked" for end in ends)


def _document(
    settings: RunSettings,
    budget: Budget,
    history: History,
    questions: Sequence[ReleaseQuestion],
    end: RunEnd,
) -> dict[str, object]:
    spent = budget.spent
    return {
        "end": end.kind,
        "why": end.sentence,
        "questions": len(questions),
        "outcomes": _outcomes(history, questions),
        "requests": spent.requests,
        "input_tokens": spent.input,
        "cached_tokens": spent.cached,
        "output_tokens": spent.output,
        "cost": spent.cost(settings.prices),
    }


def _summary(
    settings: RunSettings,
    budget: Budget,
    history: History,
    questions: Sequence[ReleaseQuestion],
) -> str:
    counts = _outcomes(history, questions)
    spent = budget.spent
    lines = [", ".join(f"{count:,} {name}" for name, count in counts.items())]
    lines.append(
        f"{spent.requests:,} requests, {spent.input:,} tokens of input "
        f"({spent.cached:,} cached), {spent.output:,} of output"
    )
    if cost := spent.cost(settings.prices):
        lines.append(f"cost: {cost:,.2f}")
    return "\n".join(lines)
