"""The settings of a run as one immutable value, from names and plain values and to them again.

The key of the endpoint is not among them: settings are shown, downloaded and kept with an entry.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from scoring.catalog import TASKS
from scoring.endpoint.templates import Strategy, TemplateError, template_of
from scoring.text.amounts import read_amount
from scoring.text.tokens import ENCODING

LARGEST_CONCURRENCY = 256
_LARGEST = 1 << 40

Subset = (
    Literal["all", "smoke"] | int
)  # of the questions: all, a fixed handful, a sample of so many

# Room for a short sentence around the answer; lists and summaries need what they need.
OUTPUT_TOKENS: dict[str, int] = {
    **dict.fromkeys(TASKS, 256),
    "longbook_sum_eng": 1_200,
    "math_calc": 30_000,
}


class SettingsError(ValueError):
    """The settings cannot be used; the message is a sentence for their author."""


class NoRoomError(SettingsError):
    """The answers of a task leave no room for its prompts."""

    def __init__(self, message: str, task: str) -> None:
        super().__init__(message)
        self.task = task


@dataclass(frozen=True, slots=True)
class Prices:
    """For a million tokens, in any currency."""

    input: float = 0.0
    cached_input: float | None = None  # None: as other input
    output: float = 0.0


@dataclass(frozen=True, slots=True)
class Caps:
    """Where a run ends, whatever is left to do. None: no cap."""

    requests: int | None = None
    tokens: int | None = None  # input and output together
    money: float | None = None
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class RunSettings:
    url: str  # as for OpenAI's clients: https://…/v1
    model: str
    api: Literal["chat", "completions"] = "chat"
    window: int = 128_000  # tokens of prompt and answer together
    claimed_window: int | None = None
    output_tokens: Mapping[str, int] = field(default_factory=dict)  # by task; others: the default
    output_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning_tokens: int = 0  # that a model may use besides its answer
    temperature: float | None = 0.0
    seed: int | None = None
    stream: bool = True
    provider: str = ""
    quantization: str = ""
    concurrency: int = 8
    requests_per_minute: int | None = None
    timeout: int = 600  # seconds for a whole answer
    attempts: int = 6  # of one question, at most
    tokenizer: str = ENCODING
    truncation: Literal["middle", "skip"] = "middle"  # of prompts that do not fit
    strategy: Strategy = Strategy.DIRECT
    templates: Mapping[str, str] = field(default_factory=dict)  # one's own, by task
    tasks: tuple[str, ...] = tuple(TASKS)
    subset: Subset = "all"
    limit: int | None = None  # questions of the subset; None: all
    order: int = 1  # the seed of the order, and of the sample
    prices: Prices = Prices()
    caps: Caps = Caps()

    def answer_limit(self, task: str) -> int:
        """Tokens that an answer may have: by default at most half of the window."""
        return self.output_tokens.get(task, min(OUTPUT_TOKENS[task], self.window // 2))

    def output_limit(self, task: str) -> int:
        """Including the tokens of the reasoning before the answer."""
        return self.answer_limit(task) + self.reasoning_tokens

    def is_crowded(self, task: str) -> bool:
        """Whether the answer may take more of the window than it leaves for the prompt."""
        return self.output_limit(task) > self.window // 2

    def with_limits(self) -> "RunSettings":
        """With the limit of every task spelled out, so that new defaults do not change the run."""
        return replace(self, output_tokens={task: self.answer_limit(task) for task in TASKS})

    def prompt_limit(self, task: str) -> int:
        """Tokens that a prompt may have."""
        return self.window - self.output_limit(task) - _OVERHEAD

    def what_decides(self) -> "RunSettings":
        """What prompts and answers depend on: a run can only continue with settings that agree in
        this."""
        return replace(self.with_limits(), **{name: _DEFAULTS[name] for name in _CHANGEABLE})


_CHANGEABLE = (
    "attempts", "caps", "concurrency", "limit", "prices", "requests_per_minute", "stream", "timeout"
)  # fmt: skip
_DEFAULTS = {name: getattr(RunSettings("", ""), name) for name in _CHANGEABLE}


def settings_document(settings: RunSettings) -> dict[str, Any]:
    """The settings as names and plain values; ``settings_of`` gives the same settings again."""
    document = asdict(settings)
    document["tasks"] = list(settings.tasks)
    document["strategy"] = settings.strategy.value
    document["output_tokens"] = dict(settings.output_tokens)
    document["templates"] = dict(settings.templates)
    return document


def settings_of(document: object) -> RunSettings:
    """Settings from names and values as they come from a file or a form. Raises
    ``SettingsError``."""
    if not isinstance(document, dict):
        raise SettingsError("The settings must be a list of names, each with a value.")
    for name in document:
        if name in _SECRETS:
            raise SettingsError(f"“{name}” does not belong here: the key is never in the settings.")
        if name in PAGE_FIELDS:
            raise SettingsError(f"“{name}” is no setting: it stands beside the settings.")
        if name not in _READERS:
            raise SettingsError(f"There is no setting called “{short_name(name)}”.")
    for name in ("url", "model"):
        if name not in document:
            raise SettingsError(f"“{name}” is missing.")
    values = {}
    for name, value in document.items():
        try:
            values[name] = _READERS[name](value)
        except ValueError as error:
            raise SettingsError(f"“{name}” {error}.") from error
    return check_settings(RunSettings(**values))


def check_settings(settings: RunSettings) -> RunSettings:
    """The settings, if they fit together. Raises ``SettingsError``."""
    for task in settings.tasks:
        if settings.prompt_limit(task) < _SMALLEST_PROMPT:
            room = settings.output_limit(task)
            raise NoRoomError(
                f"The window of {settings.window:,} tokens has no room for a prompt of "
                f"{TASKS[task].title} besides an answer of up to {room:,}: lower “output_tokens” "
                "for it, or leave the task out.",
                task,
            )
        try:
            template_of(settings.strategy, task, settings.templates)
        except TemplateError as error:
            raise SettingsError(str(error)) from error
    return settings


def check_money_cap(settings: RunSettings) -> None:
    """Raises ``SettingsError`` if the cap could never be reached. Runs that have already started
    may have such settings."""
    prices = settings.prices
    if settings.caps.money is not None and not (
        prices.input or prices.cached_input or prices.output
    ):
        raise SettingsError("The cap on money needs prices: without them nothing costs anything.")


_OVERHEAD = 64  # tokens that endpoints add around a message, and that truncation may be off by
_SMALLEST_PROMPT = 256  # tokens: below, a question alone may be too long
# What the page of a run asks for besides, with the most characters of each.
PAGE_FIELDS: Mapping[str, int] = {
    "release": 200, "language_model": 200, "method": 80, "note": 300,
    "same_questions_as": 36,
}  # fmt: skip
_SECRETS = frozenset({"key", "api_key", "apikey", "token", "authorization", "password", "secret"})


# Halves of characters, which “\ud800” in quotes stands for: no page and no file can have them.
HALVES = re.compile("[\ud800-\udfff]")
_LONGEST_NAME = 40  # that is shown


def short_name(name: object) -> str:
    """For display: in a file anything may be a name, even a number too long to be printed."""
    text = name if isinstance(name, str) else type(name).__name__
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


# Readers of single values: each raises ``ValueError`` with an unfinished sentence.

Reader = Callable[[object], Any]


def text_reader(longest: int) -> Reader:
    def read(value: object) -> str:
        if not isinstance(value, str) or len(value) > longest or not value.isprintable():
            raise ValueError(f"must be a line of text with at most {longest} characters")
        return value

    return read


def _name(value: object) -> str:
    name: str = text_reader(200)(value)
    if not name.strip():
        raise ValueError("must not be empty")
    return name


_NO_URL = "must be an address such as https://example.org/v1"


def _url(value: object) -> str:
    url: str = text_reader(2_000)(value)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(_NO_URL)
    try:
        is_reachable = parts.port != 0
        parts.hostname.encode("idna")  # no empty labels, and none that is too long
    except ValueError as error:
        raise ValueError(_NO_URL) from error
    if not is_reachable:
        raise ValueError(_NO_URL)
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not have a user name or a password in it")
    return url.rstrip("/")


def _whole(least: int, most: int = _LARGEST) -> Reader:
    def read(value: object) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least:,} to {most:,}")
        return value

    return read


def _tokens(least: int, most: int = _LARGEST) -> Reader:
    """A whole number, or one as people write it: 128K."""
    read_number = _whole(least, most)

    def read(value: object) -> int:
        amount = read_amount(value) if isinstance(value, str) else value
        number: int = read_number(amount)
        return number

    return read


def _number(least: float, most: float) -> Reader:
    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("must be a number")
        if not least <= value <= most:  # nor is “nan” between them
            raise ValueError(f"must be a number from {least:g} to {most:g}")
        return float(value)

    return read


def _or_none(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


def _choice(*names: str) -> Reader:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return value

    return read


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _by_task(read: Reader) -> Reader:
    def read_all(value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError("must have a value for each task that it names")
        if unknown := [name for name in value if name not in TASKS]:
            raise ValueError(f"names {short_name(unknown[0])!r}, which is no task")
        return {task: read(each) for task, each in value.items()}

    return read_all


def _template(value: object) -> str:
    if not isinstance(value, str) or len(value) > 20_000 or "\0" in value or HALVES.search(value):
        raise ValueError("must have texts with at most 20,000 characters")
    return value


def _tasks(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError("must be a list of tasks")
    if unknown := [name for name in value if not isinstance(name, str) or name not in TASKS]:
        raise ValueError(f"names {short_name(unknown[0])!r}, which is no task")
    return tuple(task for task in TASKS if task in value)


def _subset(value: object) -> Subset:
    if value == "all" or value == "smoke":  # noqa: PLR1714 - so that its type is known
        return value
    try:
        number: int = _whole(1)(value)
    except ValueError as error:
        raise ValueError("must be “all”, “smoke” or a number of questions") from error
    return number


def _parts(kind: type, readers: Mapping[str, Reader]) -> Reader:
    def read(value: object) -> Any:  # noqa: ANN401 - of that type
        if not isinstance(value, dict):
            raise ValueError(f"must have values for some of {', '.join(readers)}")
        if unknown := [name for name in value if name not in readers]:
            raise ValueError(f"has no part called {short_name(unknown[0])!r}")
        return kind(**{name: readers[name](each) for name, each in value.items()})

    return read


_AMOUNT = _or_none(_tokens(1))
_MONEY = _number(0, 1e9)

_READERS: dict[str, Reader] = {
    "url": _url,
    "model": _name,
    "api": _choice("chat", "completions"),
    "window": _tokens(512),
    "claimed_window": _AMOUNT,
    "output_tokens": _by_task(_tokens(1, 1_000_000)),
    "output_field": _choice("max_tokens", "max_completion_tokens"),
    "reasoning_tokens": _tokens(0, 1_000_000),
    "temperature": _or_none(_number(0, 2)),
    "seed": _or_none(_whole(0, (1 << 63) - 1)),
    "stream": _flag,
    "provider": text_reader(200),
    "quantization": text_reader(200),
    "concurrency": _whole(1, LARGEST_CONCURRENCY),
    "requests_per_minute": _or_none(_whole(1, 1_000_000)),
    "timeout": _whole(1, 86_400),
    "attempts": _whole(1, 20),
    "tokenizer": _choice(ENCODING, "o200k_base"),
    "truncation": _choice("middle", "skip"),
    "strategy": lambda value: Strategy(_choice(*Strategy)(value)),
    "templates": _by_task(_template),
    "tasks": _tasks,
    "subset": _subset,
    "limit": _AMOUNT,
    "order": _whole(0, (1 << 63) - 1),
    "prices": _parts(Prices, {"input": _MONEY, "cached_input": _or_none(_MONEY), "output": _MONEY}),
    "caps": _parts(
        Caps,
        {"requests": _AMOUNT, "tokens": _AMOUNT, "money": _or_none(_MONEY), "seconds": _AMOUNT},
    ),
}
assert set(_READERS) == {each.name for each in fields(RunSettings)}  # noqa: S101 - a table that is complete
