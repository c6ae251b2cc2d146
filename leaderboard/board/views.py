"""The pages of boards, and their files."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.answers import lists_of_chosen
from leaderboard.board.board import Board, read_board
from leaderboard.board.cells import board_rows
from leaderboard.board.controls import column_heads, controls_of, model_head
from leaderboard.board.exports.feed import board_feed as write_feed
from leaderboard.board.exports.paper_tables import board_latex, board_markdown
from leaderboard.board.exports.tables import board_csv, board_json
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.board.ranking.facets import OWN_LABELS
from leaderboard.board.ranking.signature import signature
from leaderboard.cache import cached_region, conditional_page, conditional_response
from leaderboard.caveats import CAVEAT_SIGN
from leaderboard.citations import PAPER, page_citation
from leaderboard.columns import Kind
from leaderboard.kept_pages import region_page
from leaderboard.queries import (
    BoardRelease,
    Edition,
    Scoring,
    boards_of_versions,
    edition_of,
    find_release,
    newest_change,
    releases_with_boards,
)
from portal.scores.scores import REPORTED_UNDER
from portal.scores.titles import DOMAIN_TITLES, METRIC_SET_TITLES
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled


class _OtherAddressError(Exception):
    """The board has no such page or column: what can be shown has another address."""

    def __init__(self, filters: Filters) -> None:
        super().__init__(str(filters))
        self.filters = filters


View = Callable[[HttpRequest, str], HttpResponse]
_FIRST_ROWS = 8  # laid out before the others, to be visible sooner


class BoardRegion(NamedTuple):
    """The content of the page of a board, for ``board/page.html``."""

    title: str  # of the page
    heading: str
    html: SafeString
    signature: SafeString  # empty but on the first page
    slug: str
    description: str
    canonical: str  # query string of the address for search engines and previews
    feed: str  # query string
    has_ranks: str  # or empty


def to_board_of_version(view: View) -> View:
    """A label version has no board of its own: redirects its old address to the board of its
    release, filtered by its labels."""

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
        try:
            return view(request, slug)
        except Http404:
            board = boards_of_versions().get(slug)
            if board is None or request.resolver_match is None:
                raise
            filters = Filters.from_query(dict(request.GET.lists())).replace(labels=(slug,))
            address = reverse(request.resolver_match.view_name, args=[board])
            return redirect(f"{address}{filters}", permanent=True)

    return wrapped


@require_safe
@throttled
@gzip_page
@to_board_of_version
def board(request: HttpRequest, slug: str) -> HttpResponse:
    return board_page(request, slug, "board/page.html")


def board_page(
    request: HttpRequest, slug: str, template: str, *, is_home: bool = False
) -> HttpResponse:
    """One address for each board, although forms also send their defaults."""
    query = dict(request.GET.lists())
    filters = _with_known_labels(slug, Filters.from_query(query).with_current_ids())
    if not filters.matches_query(query):
        return HttpResponseRedirect(f"{request.path}{filters}")

    def region() -> dict[str, str]:
        count_expensive(request)
        return _board_region(slug, filters, is_home=is_home)._asdict()

    try:
        if filters.is_one_of_many:  # not cached
            return conditional_page(request, template, region())
        name = f"{'home' if is_home else 'board'}/{slug}"
        return region_page(request, template, name, str(filters), region)
    except _OtherAddressError as other:
        return HttpResponseRedirect(f"{request.path}{other.filters}")


def _kept_text(
    request: HttpRequest, slug: str, name: str, filters: Filters, write: Callable[[Board], str]
) -> str:
    """A file written from a board, kept unless there are too many like it."""

    def make() -> str:
        count_expensive(request)
        return write(read_board(_release_or_404(slug, releases_with_boards()), filters))

    return make() if filters.is_one_of_many else cached_region(f"{name}/{slug}{filters}", make)


def _file_view(
    write: Callable[[Board, Edition], str], ending: str, content_type: str
) -> Callable[[HttpRequest, str], HttpResponseBase]:
    @require_safe
    @throttled
    @gzip_page
    @to_board_of_version
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        filters = Filters.from_query(dict(request.GET.lists())).replace(pins=(), focus="")
        filters = _with_known_labels(slug, filters.with_current_ids())  # all lines, in order

        def export(board: Board) -> str:
            shown = with_ranges(board.on_one_page().with_details())
            return write(shown, edition_of(board.release, (line.entry for line in board.lines)))

        text = _kept_text(request, slug, ending, filters, export)
        response = HttpResponse(text, content_type=content_type)
        name = f"board-{slug}-{filters.metric_set}.{ending}"
        return conditional_response(request, as_attachment(response, name))

    return view


@require_safe
@throttled
@gzip_page
@to_board_of_version
def board_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """All entries that the filters accept, including those that are not their model's best."""
    filters = _with_known_labels(slug, Filters.from_query(dict(request.GET.lists()))).for_feed()
    shown = filters.replace(entries="all")
    text = _kept_text(request, slug, "feed", shown, lambda board: write_feed(board, filters))
    response = HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
    return conditional_response(request, response)


board_as_csv = _file_view(board_csv, "csv", "text/csv; charset=utf-8")
board_as_json = _file_view(board_json, "json", "application/json")
board_as_latex = _file_view(board_latex, "tex", "application/x-tex; charset=utf-8")
board_as_markdown = _file_view(board_markdown, "md", "text/markdown; charset=utf-8")


def _with_known_labels(slug: str, filters: Filters) -> Filters:
    """Without labels that the board does not have: there are infinitely many names."""
    versions = set(filters.labels) - {OWN_LABELS}
    if not versions:
        return filters
    boards = boards_of_versions()
    unknown = {one for one in versions if boards.get(one) != slug}
    known = tuple(one for one in filters.labels if one not in unknown)
    return filters.replace(labels=known) if unknown else filters


def _release_or_404(slug: str, releases: Iterable[BoardRelease]) -> BoardRelease:
    release = find_release(releases, slug)
    if release is None:
        raise Http404
    return release


def _board_region(slug: str, filters: Filters, *, is_home: bool) -> BoardRegion:
    releases = releases_with_boards()
    board = read_board(_release_or_404(slug, releases), filters)
    if board.filters != filters:
        raise _OtherAddressError(board.filters)
    board = with_ranges(board.with_details())
    controls = controls_of(board, releases)
    edition = _edition_of_page(board)
    lists = lists_of_chosen(board)
    heads = column_heads(board)
    widths = Counter(one.column.domain for one in heads if one.column.kind is Kind.TASK)
    context = {
        "board": board,
        "filters": filters,
        "rows": board_rows(board, lists),
        "has_lists": bool(lists),
        "first_rows": _FIRST_ROWS,
        "unranked": _unranked(board),
        "unfocused": dataclasses.replace(filters, focus="").href,
        "with_baseline": dataclasses.replace(filters, baseline=filters.focus, focus="").href,
        "without_baseline": dataclasses.replace(filters, baseline="").href,
        "updated": edition.updated,
        "citation": _citation(board, edition),
        "paper": PAPER,
        "examples": sum(board.release.sizes.values()),
        "has_entries": bool(board.entry_count),  # even if none of them is shown
        "controls": controls,
        "other_data": any(line.entry.other_data for line in board.page_lines),
        "caveat_sign": CAVEAT_SIGN if any(line.entry.caveats for line in board.page_lines) else "",
        "model_head": model_head(filters),
        "heads": heads,
        "groups": [(domain, DOMAIN_TITLES[domain], width) for domain, width in widths.items()],
        "metric_set": METRIC_SET_TITLES[filters.metric_set],
        "reported_under": filters.replace(metric_set=REPORTED_UNDER),
        "reported_under_title": METRIC_SET_TITLES[REPORTED_UNDER].title,
        "omits_reported": board.release.official and filters.metric_set != REPORTED_UNDER,
    }
    html = render_to_string("board/board.html", context)
    picture = signature(releases) if is_home else SafeString()
    return BoardRegion(
        f"{controls.summary} · {board.release.title}",
        board.release.title,
        html,
        picture,
        slug,
        _description(board),
        canonical=str(filters.for_preview()),
        feed=str(filters.for_feed()),
        has_ranks="ranks" if board.ranked_count else "",
    )


def _edition_of_page(board: Board) -> Edition:
    """Of the lines on this page."""
    scorings = {
        line.entry.evaluation: Scoring(line.entry.scorer)
        for line in board.page_lines
        if line.entry.evaluation is not None
    }
    return Edition(newest_change(board.release), scorings)


def _description(board: Board) -> str:
    """For search engines and link previews."""
    values = {
        "models": board.systems,
        "metric": METRIC_SET_TITLES[board.filters.metric_set].title,
    }
    first = next((line for line in board.lines if line.rank == 1), None)
    if first is None:
        return "Scores of {models} models with 95 % intervals, metric {metric}.".format(**values)
    text = (
        "Scores of %(models)s models with 95 %% intervals, metric %(metric)s. First in %(column)s: "
        "%(first)s."
    )
    return text % {**values, "column": board.ranked_by.title, "first": first.entry.title}


def _citation(board: Board, edition: Edition) -> str:
    slug, filters, updated = board.release.slug, board.filters, edition.updated
    key = f"{slug}-{filters.metric_set}"
    parts = (
        f"Release {slug}",
        f"metric {filters.metric_set}",
        f"scorer {', '.join(edition.scorers)}" if edition.scorers else "",
        f"updated {updated:%Y-%m-%d}" if updated else "",
    )
    note = ", ".join(filter(None, parts))
    address = f"{reverse('board', args=[slug])}{filters}"
    day = updated.date() if updated else None
    return page_citation(key, f"{board.release.title} leaderboard", note, address, day)


def _unranked(board: Board) -> str:
    """The heading above the entries without a rank."""
    if board.ranked_by.kind is Kind.TASK and not board.has_estimates:
        return f"No score in {board.ranked_by.title} · not ranked"
    return "Partial results · not ranked"
