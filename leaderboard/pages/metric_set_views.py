"""Pages and files that show an entry, or a board, under every metric set side by side."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.metric_ranks import RankedLine, metric_ranks
from leaderboard.cache import cached_region, conditional_page, conditional_response
from leaderboard.charts.files import Picture, notes_of, svg_response
from leaderboard.charts.slopes import Slopes
from leaderboard.columns import Column, columns_of
from leaderboard.example_links import pages_with_keys
from leaderboard.kept_pages import kept_page
from leaderboard.names import mark_of
from leaderboard.pages.entries.entry import EntryDetails, entry_details, scorer_note
from leaderboard.pages.entries.ranks import EntryRanks, entry_ranks
from leaderboard.pages.metric_sets import (
    board_csv,
    board_document,
    board_figure,
    entry_csv,
    entry_document,
    entry_figure,
)
from leaderboard.queries import (
    BoardRelease,
    find_release,
    newest_change,
    releases_with_boards,
)
from portal.scores.comparison.metric_sets import TaskUnderSets, read_changes
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled
from scoring.catalog import OVERALL


class _Content(NamedTuple):
    title: str
    html: SafeString


def entry_metrics_section(details: EntryDetails, ranks: EntryRanks | None) -> SafeString:
    """The picture on the page of the entry; empty without scores of single examples."""

    def render_section() -> SafeString:
        tasks = _changes(details)
        if not tasks:
            return SafeString()
        figure = entry_figure(tasks, ranks)
        context = {"entry": details.entry, "figure": figure, "ranks": ranks, **_titles()}
        return render_to_string("pages/_metric_sets.html", context)

    return cached_region(f"metric-sets/{details.entry.id}", render_section)


@require_safe
@throttled
@gzip_page
@kept_page
def entry_metrics(request: HttpRequest, entry_id: str) -> HttpResponse:
    details, tasks = _entry_or_404(request, entry_id)
    ranks = entry_ranks(details)
    lists = pages_with_keys(details.evaluation) if details.evaluation else {}
    context = {
        "entry": details.entry,
        "tasks": [(one, lists.get(one.task, "")) for one in tasks],
        "mark": mark_of(details.entry),
        "figure": entry_figure(tasks, ranks),
        "ranks": ranks,
        "has_changes": any(one.changed for one in tasks),
        **_titles(),
    }
    return conditional_page(request, "pages/entry_metrics.html", context)


@require_safe
@throttled
@gzip_page
def entry_metrics_csv(request: HttpRequest, entry_id: str) -> HttpResponse:
    details, tasks = _entry_or_404(request, entry_id)
    text = entry_csv(details.entry.id, tasks)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return conditional_response(request, as_attachment(response, "metrics.csv"))


@require_safe
@throttled
@gzip_page
def entry_metrics_json(request: HttpRequest, entry_id: str) -> HttpResponse:
    details, tasks = _entry_or_404(request, entry_id)
    document = entry_document(details.entry.id, tasks)
    text = json.dumps(document, ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    return conditional_response(request, as_attachment(response, "metrics.json"))


@require_safe
@throttled
@gzip_page
def entry_metrics_svg(request: HttpRequest, entry_id: str) -> HttpResponse:
    details, tasks = _entry_or_404(request, entry_id)
    figure, evaluation = entry_figure(tasks, entry_ranks(details)), details.evaluation
    facts = [scorer_note(evaluation)] if evaluation else []
    if details.submission:
        facts.insert(0, details.submission.release.slug)
    notes = notes_of(details.entry.title, facts, reverse("entry-metrics", args=[entry_id]))
    return _slopes_svg(request, figure.slopes, figure.finding, notes, "metrics.svg")


@require_safe
@throttled
@gzip_page
@kept_page
def board_metrics(request: HttpRequest, slug: str) -> HttpResponse:
    release, column = _board_or_404(request, slug)

    def render_page() -> _Content:
        count_expensive(request)
        lines = metric_ranks(release, column.id)
        context = {
            "release": release,
            "column": column,
            "columns": columns_of(release.sizes, release=release),
            "lines": lines,
            "figure": board_figure(lines) if lines else None,
            **_titles(),
        }
        title = f"{'Under three metrics'}: {release.title}"
        return _Content(title, render_to_string("board/metrics.html", context))

    content = cached_region(f"board-metrics/{slug}/{column.id}", render_page)
    return conditional_page(request, "board/metrics_page.html", content._asdict())


@require_safe
@throttled
@gzip_page
def board_metrics_csv(request: HttpRequest, slug: str) -> HttpResponse:
    release, column, lines = _ranked_lines(request, slug)
    text = board_csv(release.slug, column.id, lines)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return conditional_response(request, as_attachment(response, f"metrics-{slug}.csv"))


@require_safe
@throttled
@gzip_page
def board_metrics_json(request: HttpRequest, slug: str) -> HttpResponse:
    release, column, lines = _ranked_lines(request, slug)
    text = json.dumps(board_document(release.slug, column.id, lines), ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    return conditional_response(request, as_attachment(response, f"metrics-{slug}.json"))


@require_safe
@throttled
@gzip_page
def board_metrics_svg(request: HttpRequest, slug: str) -> HttpResponse:
    release, column, lines = _ranked_lines(request, slug)
    if not lines:
        raise Http404
    figure, updated = board_figure(lines), newest_change(release)
    facts = (release.slug, str(column.title), f"{updated:%Y-%m-%d}" if updated else "")
    path = f"{reverse('board-metrics', args=[slug])}?task={column.id}"
    notes = notes_of(release.title, facts, path)
    return _slopes_svg(request, figure.slopes, figure.finding, notes, f"metrics-{slug}.svg")


def _titles() -> dict[str, object]:
    return {"metric_sets": list(METRIC_SET_TITLES.values())}


def _changes(details: EntryDetails) -> list[TaskUnderSets]:
    return read_changes(details.evaluation.pk) if details.evaluation else []


def _entry_or_404(request: HttpRequest, entry_id: str) -> tuple[EntryDetails, list[TaskUnderSets]]:
    """404 also if the entry is only reported, or the labels of its release are hidden."""
    details = entry_details(entry_id)
    count_expensive(request)
    tasks = _changes(details) if details else []
    if details is None or not tasks:
        raise Http404
    return details, tasks


def _board_or_404(request: HttpRequest, slug: str) -> tuple[BoardRelease, Column]:
    """With the column to rank by; 404 also if labels are hidden, since scores are then disclosed in
    bands."""
    release = find_release(releases_with_boards(), slug)
    if release is None or release.hidden:
        raise Http404
    wanted = request.GET.get("task", OVERALL)
    columns = columns_of(release.sizes, release=release)
    column = next((one for one in columns if one.id == wanted), None)
    if column is None:
        raise Http404
    return release, column


def _ranked_lines(request: HttpRequest, slug: str) -> tuple[BoardRelease, Column, list[RankedLine]]:
    release, column = _board_or_404(request, slug)
    count_expensive(request)
    return release, column, metric_ranks(release, column.id)


def _slopes_svg(
    request: HttpRequest, slopes: Slopes, finding: str, notes: Sequence[str], name: str
) -> HttpResponse:
    title = f"{'Under three metrics'}: {finding}"
    context = {"slopes": slopes}
    picture = Picture("charts/_slopes.html", context, slopes.width, slopes.height, title, notes)
    return svg_response(request, picture, name)
