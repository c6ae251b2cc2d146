"""The settings of a run as people read them."""

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from portal.models import EndpointRun, RunState
from scoring.catalog import TASKS
from scoring.endpoint.settings import RunSettings, settings_of
from scoring.endpoint.settings_file import PageFields, settings_text
from scoring.text.amounts import full_amount


class SettingRow(NamedTuple):
    name: str  # in the file
    title: str | Promise
    value: str
    is_literal: bool = False  # as it was typed


def settings_rows(run: EndpointRun) -> list[SettingRow]:
    """All but the texts of own templates, which the file has, and before the start the order, which
    is drawn then."""
    rows = rows_of(settings_of(run.settings))
    return [row for row in rows if row.name != "order" or run.state != RunState.DRAFT]


def rows_of(settings: RunSettings) -> list[SettingRow]:
    return [row for row in _rows(settings) if row.value]


def settings_file(run: EndpointRun) -> str:
    """YAML, which fills in the whole page of another run, or starts the command. The key is
    nowhere. ``run`` with its release, language model and team."""
    page = PageFields(
        release=run.release.slug,
        team=run.team.slug if run.team else "",
        language_model=run.language_model.slug,
        method=run.method,
        note=run.note,
        same_questions_as=str(run.same_questions_as_id or ""),
    )
    return settings_text(settings_of(run.settings), page)


def _rows(settings: RunSettings) -> Iterator[SettingRow]:
    yield SettingRow("model", _("Model at the endpoint"), settings.model, True)
    yield SettingRow("url", _("Endpoint"), settings.url, True)
    yield SettingRow("api", _("Interface"), settings.api, True)
    yield SettingRow("provider", _("Provider"), settings.provider, True)
    yield SettingRow("quantization", _("Quantisation"), settings.quantization, True)
    yield SettingRow("strategy", _("Prompt strategy"), settings.strategy.value, True)
    if settings.templates:
        titles = _(", ").join(TASKS[task].title for task in settings.templates)
        yield SettingRow("templates", _("Own templates"), titles)
    yield SettingRow("window", _("Context window used"), _tokens(settings.window))
    if settings.claimed_window:
        claimed = _tokens(settings.claimed_window)
        yield SettingRow("claimed_window", _("Context window claimed"), claimed)
    cuts = {
        "middle": _("middle removed, both ends kept"),
        "skip": _("what does not fit is skipped"),
    }
    yield SettingRow("truncation", _("Truncation"), cuts[settings.truncation])
    limits = [settings.answer_limit(task) for task in settings.tasks]
    usual = max(set(limits), key=limits.count)
    others = [
        f"{TASKS[task].title} {limit:,}"
        for task, limit in zip(settings.tasks, limits, strict=True)
        if limit != usual
    ]
    text = _(", ").join([_tokens(usual), *others])
    yield SettingRow("output_tokens", _("Output limit"), text)
    if settings.reasoning_tokens:
        tokens = _tokens(settings.reasoning_tokens)
        yield SettingRow("reasoning_tokens", _("Reasoning besides"), tokens)
    if settings.temperature is not None:
        yield SettingRow("temperature", _("Temperature"), f"{settings.temperature:g}")
    if settings.seed is not None:
        yield SettingRow("seed", _("Seed"), str(settings.seed))
    yield SettingRow("tokenizer", _("Counted with"), settings.tokenizer, True)
    yield SettingRow("concurrency", _("Requests at once"), f"{settings.concurrency:,}")
    yield SettingRow("order", _("Seed of the order"), str(settings.order))


def _tokens(number: int) -> str:
    return _("%(tokens)s tokens") % {"tokens": full_amount(number)}
