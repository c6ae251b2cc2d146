"""The curves of a ladder as a page and as files."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.ranking.ladders import (
    MOST_CURVES,
    SHARES,
    Curves,
    EntryCurve,
    LadderChoice,
    read_curves,
)
from leaderboard.cache import cached_region, conditional_page, conditional_response
from leaderboard.charts.decay import DecayPlot, Series, Subject, decay_plot
from leaderboard.charts.files import Picture, notes_of, svg_response
from leaderboard.charts.findings import effective_context_figures, ladder_finding
from leaderboard.charts.interactive import Named, decay_figure
from leaderboard.entries import Entry
from leaderboard.kept_pages import kept_page
from leaderboard.queries import find_release, newest_change, releases_with_boards
from portal.scores.comparison.differences import PLACES
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.csv_files import csv_of_records
from portal.web.file_responses import as_attachment
from portal.web.plotly import plotly_style_ids
from portal.web.throttle import count_expensive, throttled
from scoring.breakdowns.ladder import Curve, Step
from scoring.text.amounts import short_amount

_MOST_OFFERED = 60  # entries to choose from, out of those that a search finds
_Figures = dict[str, object]


class LadderPage(NamedTuple):
    """The content of the page, for ``ladders/page.html``."""

    title: str
    html: SafeString
    interactive: bool  # whether it has a chart for Plotly


class Drawn(NamedTuple):
    """An entry with its curve."""

    entry: Entry
    curve: Curve
    series: Series
    effective: tuple[str, str] | None  # the effective context, and its interval
    claimed: str
    configured: str
    without: str  # the address of the page without this entry; empty: it is the only one


class _Drawing(NamedTuple):
    plot: DecayPlot
    drawn: Sequence[Drawn]
    finding: str


@require_safe
@throttled
@gzip_page
@kept_page
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """One address for each choice, although forms also send their defaults."""
    query = dict(request.GET.lists())
    choice = LadderChoice.from_query(query).with_current_ids()
    if not choice.matches_query(query):
        return HttpResponseRedirect(f"{request.path}{choice}")

    def make() -> LadderPage:
        count_expensive(request)
        return _page(_curves_or_404(slug, choice), choice)

    page = make() if choice.search else cached_region(f"ladder/{slug}{choice}", make)
    return conditional_page(request, "ladders/page.html", page._asdict())


def _file_view(
    write: Callable[[Curves, LadderChoice], str], ending: str, content_type: str
) -> Callable[[HttpRequest, str], HttpResponseBase]:
    @require_safe
    @throttled
    @gzip_page
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        choice = LadderChoice.from_query(dict(request.GET.lists())).with_current_ids().for_files

        def make() -> str:
            count_expensive(request)
            return write(_curves_or_404(slug, choice), choice)

        text = cached_region(f"ladder.{ending}/{slug}{choice}", make)
        response = HttpResponse(text, content_type=content_type)
        name = f"{slug}-{choice.column}-by-length.{ending}"
        return conditional_response(request, as_attachment(response, name))

    return view


@require_safe
@throttled
@gzip_page
def ladder_svg(request: HttpRequest, slug: str) -> HttpResponse:
    """The picture of the page."""
    choice = LadderChoice.from_query(dict(request.GET.lists())).with_current_ids().for_files
    count_expensive(request)
    curves = _curves_or_404(slug, choice)
    drawing = _drawing(curves, choice)
    plot, updated = drawing.plot, newest_change(curves.release)
    facts = (
        str(curves.column.title),
        choice.metric_set,
        f"n = {curves.ladder.n:,}",
        f"{updated:%Y-%m-%d}" if updated else "",
    )
    path = f"{reverse('ladder', args=[slug])}{choice}"
    picture = Picture(
        "ladders/_curves.html",
        drawing._asdict(),
        plot.width,
        plot.height,
        f"{_title(curves)}. {capfirst(drawing.finding)}",
        notes_of(curves.release.title, facts, path),
        css="plot decay",
    )
    return svg_response(request, picture, f"{slug}-{choice.column}-by-length.svg")


def _curves_or_404(slug: str, choice: LadderChoice) -> Curves:
    release = find_release(releases_with_boards(), slug)
    curves = read_curves(release, choice) if release else None
    if curves is None:
        raise Http404
    return curves


def _page(curves: Curves, choice: LadderChoice) -> LadderPage:
    chosen_ids = [one.entry.id for one in curves.chosen]
    found = [one for one in curves.offered if one.matches(choice.search)]
    lengths = curves.ladder.lengths
    context = {
        **_drawing(curves, choice)._asdict(),
        "curves": curves,
        "choice": choice,
        "lengths": [short_amount(one) for one in lengths],
        "options": [(one, one.id in chosen_ids) for one in _offered(found, curves.chosen)],
        "found": len(found),
        "most": MOST_CURVES,
        "shares": SHARES,
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "metric_set": METRIC_SET_TITLES[choice.metric_set],
    }
    title = _title(curves)
    named = [(one.entry.title, one.curve) for one in curves.chosen]
    style_ids = plotly_style_ids()
    if choice.interactive and style_ids is not None and context["drawn"]:
        context["interactive"] = {
            "title": title,
            "entries": [name for name, _curve in named],
            "figure": decay_figure(lengths, [_read_out(*one) for one in named], curves.others),
            "style_ids": style_ids,
        }
    context |= {"title": title, "has_plotly": style_ids is not None}
    html = render_to_string("ladders/ladder.html", context)
    return LadderPage(title, html, "interactive" in context)


def _read_out(name: str, curve: Curve) -> Named:
    """With the title of each point of the picture."""
    points = [(step, short_amount(step.length)) for step in curve.steps]
    texts = [
        render_to_string("ladders/_title.html", {"point": {"step": step, "label": label}})
        for step, label in points
    ]
    return Named(name, curve, [f"{name}, {' '.join(text.split())}" for text in texts])


def _title(curves: Curves) -> str:
    return f"{curves.release.title}: scores by length"


def _drawing(curves: Curves, choice: LadderChoice) -> _Drawing:
    subjects = [Subject(one.curve, one.claimed, one.configured, one.cut) for one in curves.chosen]
    plot = decay_plot(curves.ladder.lengths, subjects, curves.others)
    named = [(one.entry.title, one.curve) for one in curves.chosen]
    finding = ladder_finding(named, choice.share) if named else ""
    return _Drawing(plot, _drawn(curves.chosen, plot, choice), finding)


def _drawn(chosen: Sequence[EntryCurve], plot: DecayPlot, choice: LadderChoice) -> list[Drawn]:
    ids = [one.entry.id for one in chosen]
    return [
        Drawn(
            one.entry,
            one.curve,
            series,
            effective_context_figures(one.curve.effective) if one.curve.effective else None,
            short_amount(one.claimed) if one.claimed else "",
            short_amount(one.configured) if one.configured else "",
            str(replace(choice, ids=tuple(other for other in ids if other != one.entry.id)))
            if len(ids) > 1
            else "",
        )
        for one, series in zip(chosen, plot.series, strict=True)
    ]


def _offered(found: Sequence[Entry], chosen: Sequence[EntryCurve]) -> list[Entry]:
    """The chosen ones, and the best of those that the search finds."""
    ids = {one.entry.id for one in chosen}
    others = [one for one in found if one.id not in ids]
    return [*(one.entry for one in chosen), *others[:_MOST_OFFERED]]


def _ladder_json(curves: Curves, choice: LadderChoice) -> str:
    others = curves.others
    document: _Figures = {
        "release": curves.release.slug,
        "task": choice.column,
        "tasks": list(curves.column.tasks),
        "metric_set": choice.metric_set,
        "share": choice.share / 100,
        "n": curves.ladder.n,
        "entries": [
            {
                **_about(one),
                "points": [_figures(step) for step in one.curve.steps],
                "effective_context": one.curve.effective and one.curve.effective._asdict(),
            }
            for one in curves.chosen
        ],
        "others": others
        and {
            "entries": others.entries,
            "quantiles": [0.1, 0.9],
            "points": [
                {"tokens": length, "low": _rounded(low), "high": _rounded(high)}
                for length, low, high in zip(
                    curves.ladder.lengths, others.low, others.high, strict=True
                )
            ],
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _ladder_csv(curves: Curves, choice: LadderChoice) -> str:
    """A row for each entry and length."""
    rows: list[_Figures] = []
    for one in curves.chosen:
        effective = one.curve.effective
        context = {
            f"effective_{name}": getattr(effective, name, None)
            for name in ("tokens", "low", "high")
        }
        about = {
            "release": curves.release.slug,
            "task": choice.column,
            "metric_set": choice.metric_set,
            **_about(one),
        }
        ends = {**context, "share": choice.share / 100}
        rows += [{**about, **_figures(step), **ends} for step in one.curve.steps]
    return csv_of_records(rows)


def _about(one: EntryCurve) -> _Figures:
    return {
        "entry": one.entry.id,
        "model": one.entry.model.name,
        "method": one.entry.method,
        "claimed": one.claimed,
        "input_limit": one.configured,
    }


def _figures(step: Step) -> _Figures:
    """In percent, or percentage points; differences are to the same questions at the shortest
    length."""
    paired = step.paired
    return {
        "tokens": step.length,
        "n": step.n,
        "mean": _rounded(step.mean),
        "difference": _rounded(paired and paired.difference),
        "difference_low": _rounded(paired and paired.low),
        "difference_high": _rounded(paired and paired.high),
        "difference_p": paired and float(f"{paired.p:.{PLACES}g}"),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)


ladder_csv = _file_view(_ladder_csv, "csv", "text/csv; charset=utf-8")
ladder_json = _file_view(_ladder_json, "json", "application/json")
