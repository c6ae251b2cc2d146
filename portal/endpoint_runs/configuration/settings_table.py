"""The settings of a run as people read them."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from portal.models import EndpointRun, RunState
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.endpoint.settings import Caps, Prices, RunSettings, settings_of
from scoring.endpoint.settings_file import PageFields, settings_text
from scoring.endpoint.templates import Strategy
from scoring.text.amounts import full_amount


class SettingRow(NamedTuple):
    name: str  # in the file
    title: str
    value: str
    is_literal: bool = False  # as it was typed


def settings_rows(run: EndpointRun) -> list[SettingRow]:
    """All but the texts of the author's templates, which are in the settings file, and, before the
    start, the seed of the order, which is drawn then. With changes made while it was running."""
    rows = rows_of(settings_of(run.settings))
    if run.state == RunState.DRAFT:
        rows = [row for row in rows if row.name != "order"]
    if run.same_questions_as and run.same_questions_as.started:
        date = f"{run.same_questions_as.started:%Y-%m-%d}"
        text = f"of an earlier run, started on {date}"
        rows.append(SettingRow("same_questions_as", "The same questions", text))
    return [_with_changes(row, run) if row.name == "concurrency" else row for row in rows]


def _with_changes(row: SettingRow, run: EndpointRun) -> SettingRow:
    """The first value, and each later one with its time."""
    changes = run.concurrency_changes or []
    if not changes:
        return row
    later = [
        f"{after:,} from {datetime.fromisoformat(when):%Y-%m-%d %H:%M} UTC"
        for when, _before, after in changes
    ]
    return row._replace(value=", ".join([f"{changes[0][1]:,}", *later]))


def rows_of(settings: RunSettings) -> list[SettingRow]:
    return [row for row in _rows(settings) if row.value]


def settings_file(run: EndpointRun) -> str:
    """YAML that fills in the page of another run, or configures the command; without the key.
    ``run`` comes with its release and language model."""
    page = PageFields(
        release=run.release.slug,
        language_model=run.language_model.slug,
        method=run.method,
        note=run.note,
        same_questions_as=str(run.same_questions_as_id or ""),
    )
    return settings_text(settings_of(run.settings), page)


def _rows(settings: RunSettings) -> Iterator[SettingRow]:
    yield SettingRow("model", "Model at the endpoint", settings.model, True)
    yield SettingRow("url", "Endpoint", settings.url, True)
    yield SettingRow("api", "Interface", settings.api, True)
    yield SettingRow("provider", "Provider", settings.provider, True)
    yield SettingRow("quantization", "Quantisation", settings.quantization, True)
    yield SettingRow("strategy", "Prompt strategy", settings.strategy.value, True)
    titles = ", ".join(TASKS[task].title for task in BOARD_ORDER if task in settings.tasks)
    yield SettingRow("tasks", "Tasks", titles)
    subsets = {"all": "all", "smoke": "smoke test: the shortest of each task"}
    sample = f"a sample of {settings.subset}"
    yield SettingRow("subset", "Questions", subsets.get(str(settings.subset), sample))
    if settings.limit:
        yield SettingRow("limit", "Stop after", f"{settings.limit:,}")
    if settings.templates:
        titles = ", ".join(TASKS[task].title for task in settings.templates)
        yield SettingRow("templates", "Own templates", titles)
    yield SettingRow("window", "Context window used", _tokens(settings.window))
    if settings.claimed_window:
        claimed = _tokens(settings.claimed_window)
        yield SettingRow("claimed_window", "Context window claimed by its maker", claimed)
    cuts = {
        "middle": "middle removed, both ends kept",
        "skip": "what does not fit is skipped",
    }
    if settings.strategy is not Strategy.CLOSED_BOOK:  # which sends nothing to cut
        yield SettingRow("truncation", "Truncation", cuts[settings.truncation])
    limits = [settings.answer_limit(task) for task in settings.tasks]
    usual = max(set(limits), key=limits.count)
    others = [
        f"{TASKS[task].title} {limit:,}"
        for task, limit in zip(settings.tasks, limits, strict=True)
        if limit != usual
    ]
    text = ", ".join([_tokens(usual), *others])
    yield SettingRow("output_tokens", "Output limit", text)
    if settings.reasoning_tokens:
        tokens = _tokens(settings.reasoning_tokens)
        yield SettingRow("reasoning_tokens", "Reasoning besides", tokens)
    not_sent = "not sent"
    temperature = not_sent if settings.temperature is None else f"{settings.temperature:g}"
    yield SettingRow("temperature", "Temperature", temperature)
    yield SettingRow("seed", "Seed", not_sent if settings.seed is None else str(settings.seed))
    yield SettingRow("tokenizer", "Counted with", settings.tokenizer, True)
    yield SettingRow("output_field", "Name of the output limit", settings.output_field, True)
    yield SettingRow("stream", "Streamed", "yes" if settings.stream else "no")
    yield SettingRow("concurrency", "Requests at once", f"{settings.concurrency:,}")
    if settings.requests_per_minute:
        yield SettingRow(
            "requests_per_minute", "Requests a minute", f"{settings.requests_per_minute:,}"
        )
    yield SettingRow("timeout", "Seconds for an answer", f"{settings.timeout:,}")
    yield SettingRow("attempts", "Attempts", f"{settings.attempts:,}")
    yield SettingRow("prices", "Prices of a million tokens", _prices(settings.prices))
    yield SettingRow("caps", "Caps", _caps(settings.caps))
    yield SettingRow("order", "Seed of the order", str(settings.order))


def _prices(prices: Prices) -> str:
    """Empty: none were given."""
    if not any((prices.input, prices.cached_input, prices.output)):
        return ""
    given = {
        "input": prices.input, "cached input": prices.cached_input, "output": prices.output
    }  # fmt: skip
    return ", ".join(f"{name} {price:g}" for name, price in given.items() if price is not None)


def _caps(caps: Caps) -> str:
    """Empty: there are none."""
    found = []
    if caps.requests is not None:
        found.append(f"{caps.requests:,} requests")
    if caps.tokens is not None:
        found.append(_tokens(caps.tokens))
    if caps.money is not None:
        found.append(f"{caps.money:,.2f} in money")
    if caps.seconds is not None:
        found.append(f"{caps.seconds:,} seconds")
    return ", ".join(found)


def _tokens(number: int) -> str:
    return f"{full_amount(number)} tokens"
