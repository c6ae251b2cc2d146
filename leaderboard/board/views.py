"""The first page, the boards, and their files."""

from collections.abc import Callable
from typing import TypeVar

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.board import Board, domains_in, read_board
from leaderboard.board.cells import axis_of, rows_of
from leaderboard.board.controls import controls_of, head_of_models, heads_of
from leaderboard.board.exports import board_csv, board_json
from leaderboard.board.filters import Filters
from leaderboard.cache import Region, kept
from leaderboard.caveats import SIGN
from leaderboard.conditional import or_unchanged
from leaderboard.pages.tasks import sizes_of
from leaderboard.queries import (
    REPORTED_UNDER,
    BoardRelease,
    front_release,
    releases_with_boards,
)
from portal.scores.titles import DOMAIN_TITLES
from portal.web.file_responses import as_attachment

_Kept = TypeVar("_Kept")
_AT_ONCE = 12  # rows that are laid out at once, so that they are there sooner; the others after


@require_safe
@gzip_page
def home(request: HttpRequest) -> HttpResponse:
    """A board below a line of introduction; where nothing is published, how to begin."""
    slug = front_release()
    if slug is None:
        still_open = [release for release in releases_with_boards() if release.is_open]
        return render(request, "board/welcome.html", sizes_of(still_open)._asdict())
    return _board_page(request, slug, "board/home.html")


@require_safe
@gzip_page
def board(request: HttpRequest, slug: str) -> HttpResponse:
    return _board_page(request, slug, "cached_page.html")


def _board_page(request: HttpRequest, slug: str, template: str) -> HttpResponse:
    """One address for what is shown: a form also sends what nobody has chosen."""
    filters = _filters(request)
    if not filters.are_said_by(dict(request.GET.lists())):
        return HttpResponseRedirect(f"{request.path}{filters}")
    region = _kept(f"board/{slug}", filters, lambda: _board_region(slug, filters))
    return or_unchanged(request, render(request, template, region._asdict()))


@require_safe
@gzip_page
def board_as_csv(request: HttpRequest, slug: str) -> HttpResponse:
    return _as_file(request, slug, board_csv, "csv", "text/csv; charset=utf-8")


@require_safe
@gzip_page
def board_as_json(request: HttpRequest, slug: str) -> HttpResponse:
    return _as_file(request, slug, board_json, "json", "application/json")


def _as_file(
    request: HttpRequest, slug: str, write: Callable[[Board], str], ending: str, content_type: str
) -> HttpResponse:
    filters = _filters(request)
    text = _kept(f"{ending}/{slug}", filters, lambda: write(_board(slug, filters)))
    response = HttpResponse(text, content_type=content_type)
    name = f"board-{slug}-{filters.metric_set}.{ending}"
    return or_unchanged(request, as_attachment(response, name))


def _filters(request: HttpRequest) -> Filters:
    return Filters.read(dict(request.GET.lists()))


def _kept(name: str, filters: Filters, make: Callable[[], _Kept]) -> _Kept:
    """Except for a search: there is no end of what can be searched for."""
    return make() if filters.search else kept(f"{name}{filters}", make)


def _board(slug: str, filters: Filters) -> Board:
    return read_board(_release(slug, releases_with_boards()), filters)


def _release(slug: str, releases: list[BoardRelease]) -> BoardRelease:
    """Raises ``Http404``."""
    release = next((release for release in releases if release.slug == slug), None)
    if release is None:
        raise Http404
    return release


def _board_region(slug: str, filters: Filters) -> Region:
    releases = releases_with_boards()
    found = read_board(_release(slug, releases), filters)
    axis = axis_of(found)
    rows = rows_of(found, axis)
    controls = controls_of(found, releases)
    context = {
        "board": found,
        "filters": found.filters,
        "rows": rows,
        "at_once": _AT_ONCE,
        "axis": axis,
        "has_entries": bool(found.marks),  # whether or not any of them is shown
        "controls": controls,
        "doubtful": SIGN if any(line.entry.doubts for line in found.lines) else "",
        "model_head": head_of_models(found.filters),
        "heads": heads_of(found),
        "groups": [
            (domain, DOMAIN_TITLES[domain], len(tasks))
            for domain, tasks in domains_in(found.columns)
        ],
        "reported_under": found.filters.but(metric_set=REPORTED_UNDER),
        "reported_are_left_out": found.release.official
        and found.filters.metric_set != REPORTED_UNDER,
    }
    html = render_to_string("board/board.html", context)
    return Region(f"{controls.said} · {found.release.title}", html)
