"""Boards and comparisons as JSON, and the page that documents them."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.api.errors import Gone
from leaderboard.api.serializers import (
    BinSerializer,
    BreakdownSerializer,
    DifferenceSerializer,
    EntrySerializer,
    ScoreSerializer,
)
from leaderboard.board.board import PAGE_ROWS, read_board
from leaderboard.board.facets import OWN_LABELS
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.cache import cached_region, conditional_page
from leaderboard.columns import columns_of
from leaderboard.comparison.claims import claim_of, column_of, common_board
from leaderboard.comparison.queries import read_chosen
from leaderboard.pages.breakdowns import (
    PARAMETERS,
    NoBreakdownError,
    QueryError,
    Wanted,
    read_breakdown,
)
from leaderboard.pages.entry import parsed_uuid
from leaderboard.pages.tombstones import entry_tombstone
from leaderboard.queries import (
    BoardRelease,
    boards_of_versions,
    front_release,
    public_submissions,
    releases_with_boards,
    reported_id,
)
from portal.models import ReportedEntry
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.throttle import count_expensive
from scoring.breakdowns.breakdown import FEWEST_PARTS, MOST_PARTS, PARTS, By
from scoring.catalog import OVERALL
from scoring.metrics import METRIC_SETS, PAPER_SET

_PARAMETERS = ("release", "metric_set", "labels", "entries", "page")
_COMPARED = ("a", "b", "task", "metric_set")


class PublicView(APIView):
    """For everybody and from any site; in English whoever asks, so that one answer serves all."""

    http_method_names = ["get", "head"]  # noqa: RUF012 - as in Django

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        translation.activate(settings.LANGUAGE_CODE)
        super().initial(request, *args, **kwargs)

    @method_decorator(gzip_page)
    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        response["Cache-Control"] = "public, no-cache"  # kept, but never shown without asking us
        return response

    def answer(self, request: Request, key: str, make: Callable[[], object]) -> HttpResponseBase:
        """The document as JSON, or 304. What is made counts for the throttle."""

        def render() -> bytes:
            count_expensive(request)
            text: bytes = JSONRenderer().render(make())
            return text

        text = cached_region(f"api/{key}", render)
        response = HttpResponse(text, content_type="application/json")
        response["ETag"] = f'"{sha256(text).hexdigest()[:32]}"'
        found = get_conditional_response(request, etag=response["ETag"], response=response)
        return found or response


class EntriesView(PublicView):
    def get(self, request: Request) -> HttpResponseBase:
        query = {name: request.query_params.get(name, "") for name in _PARAMETERS}
        address = request.build_absolute_uri(request.path)
        key = f"entries/{address}?{urlencode(query)}"
        return self.answer(request, key, lambda: entries_document(query, address))


def entries_document(query: Mapping[str, str], address: str) -> dict[str, Any]:
    """A page of a board. Raises what ``wanted_board`` raises, and ``NotFound`` for a page that it
    does not have."""
    release, filters = wanted_board(query)
    page = query["page"] or "1"
    number = int(page) if page.isdecimal() and len(page) < 5 else 0
    board = read_board(release, filters.replace(page=max(1, number)))
    if board.filters.page != number:
        raise NotFound("There is no such page.", "unknown_page")
    chosen = {
        "release": release.slug,
        "metric_set": filters.metric_set,
        "labels": "".join(filters.labels),
        "entries": filters.entries,
    }

    def address_of(number: int) -> str:
        return f"{address}?{urlencode({**chosen, 'page': number})}"

    shown = with_ranges(board.with_details())
    entry = EntrySerializer(context={"board": shown})
    return {
        "count": len(board.lines),
        "next": address_of(number + 1) if number < board.pages else None,
        "previous": address_of(number - 1) if number > 1 else None,
        "release": release.slug,
        "metric_set": filters.metric_set,
        "labels": chosen["labels"] or None,
        "entries": [entry.to_representation(line) for line in shown.page_lines],
    }


def wanted_board(query: Mapping[str, str]) -> tuple[BoardRelease, Filters]:
    """What is asked for; without a release, the board of the first page.

    The slug of a label version is understood as a release too: it means those labels on the board
    of the release that it is part of. Raises ``NotFound`` and ``ParseError``.
    """
    releases = {one.slug: one for one in releases_with_boards()}
    slug, labels = query["release"] or front_release() or next(iter(releases), ""), query["labels"]
    board = boards_of_versions().get(slug)
    if board:
        if labels not in ("", slug):
            raise ParseError("This release has other labels.", "unknown_labels")
        slug, labels = board, slug
    release = releases.get(slug)
    if release is None:
        raise NotFound("There is no leaderboard of this release.", "unknown_release")
    if labels and (not release.versions or labels not in (*release.versions, OWN_LABELS)):
        known = ", ".join([*release.versions, OWN_LABELS]) if release.versions else "none"
        raise ParseError(f"labels is one of: {known}.", "unknown_labels")
    if query["entries"] not in ("", "best", "all"):
        raise ParseError("entries is one of: best, all.", "unknown_entries")
    entries = query["entries"] or Filters().entries
    metric_set = checked_metric_set(query)
    chosen = (labels,) if labels else ()
    return release, Filters().replace(metric_set=metric_set, entries=entries, labels=chosen)


def checked_metric_set(query: Mapping[str, str]) -> str:
    """Raises ``ParseError`` for one that does not exist; without any, the default."""
    if query["metric_set"] not in ("", *METRIC_SETS):
        raise ParseError(f"metric_set is one of: {', '.join(METRIC_SETS)}.", "unknown_metric_set")
    return query["metric_set"] or PAPER_SET


class CompareView(PublicView):
    def get(self, request: Request) -> HttpResponseBase:
        query = {name: request.query_params.get(name, "") for name in _COMPARED}
        return self.answer(request, f"compare?{urlencode(query)}", lambda: compare_document(query))


def compare_document(query: Mapping[str, str]) -> dict[str, Any]:
    """The difference of two entries in a task or a mean: only what the page of their claim shows.

    Raises ``ParseError``, ``NotFound`` and ``Gone``.
    """
    metric_set = checked_metric_set(query)
    ids = tuple(dict.fromkeys(filter(None, (query["a"], query["b"]))))
    if len(ids) < 2:
        raise ParseError("a and b are the ids of two entries.", "missing_entry")
    releases = releases_with_boards()
    try:
        chosen = read_chosen(ids, metric_set, releases)
    except Http404 as error:
        raise NotFound("There is no such public entry.", "unknown_entry") from error
    if chosen.gone:
        raise Gone
    a, b = chosen.sides
    release = common_board([a, b], releases, front_release())
    if release is None:
        raise ParseError("The entries are on different leaderboards.", "different_leaderboards")
    column = column_of(release, query["task"] or OVERALL)
    if column is None:
        known = ", ".join(one.id for one in columns_of(release.sizes))
        raise ParseError(f"task is one of: {known}.", "unknown_task")
    claim = claim_of(a, b, column, release, metric_set)
    about = {"a": ids[0], "b": ids[1], "release": release.slug, "metric_set": metric_set}
    return {**about, "task": column.id, **DifferenceSerializer().to_representation(claim)}


class BreakdownsView(PublicView):
    def get(self, request: Request, entry_id: str) -> HttpResponseBase:
        query = {name: request.query_params.get(name, "") for name in PARAMETERS}
        key = f"breakdowns/{entry_id}?{urlencode(query)}"
        return self.answer(request, key, lambda: breakdown_document(entry_id, query))


def breakdown_document(entry_id: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Raises ``NotFound``, ``Gone`` and ``ParseError``."""
    evaluation = _evaluation_with_verdicts(entry_id)
    try:
        wanted = Wanted.from_query(query)
        found = read_breakdown(evaluation, wanted)
    except QueryError as error:
        raise ParseError(str(error), error.code) from error
    except NoBreakdownError as error:
        raise NotFound(str(error), error.code) from error
    about = {"entry": entry_id, "metric_set": wanted.metric_set}
    return {**about, **BreakdownSerializer().to_representation(found)}


def _evaluation_with_verdicts(entry_id: str) -> int:
    """Of an entry whose verdicts everybody may see. Raises ``NotFound`` and ``Gone``."""
    pk = parsed_uuid(entry_id)
    public = public_submissions().select_related("release")
    found: Any = public.filter(pk=pk).first() if pk else None
    if found is None:
        if pk and entry_tombstone(pk):
            raise Gone
        number = reported_id(entry_id)
        if number is not None and ReportedEntry.objects.filter(pk=number).exists():
            raise NotFound("Its answers are not known: it was only reported.", "reported_entry")
        raise NotFound("There is no such public entry.", "unknown_entry")
    if found.release.hidden:
        raise NotFound("The labels of its release are secret.", "hidden_labels")
    return int(found.current_evaluation)


@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    context = {
        "entry_fields": EntrySerializer().fields,
        "score_fields": ScoreSerializer().fields,
        "difference_fields": DifferenceSerializer().fields,
        "breakdown_fields": BreakdownSerializer().fields,
        "bin_fields": BinSerializer().fields,
        "bys": list(By),
        "bins": {"fewest": FEWEST_PARTS, "most": MOST_PARTS, "default": PARTS},
        "releases": releases_with_boards(),
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "page_size": PAGE_ROWS,
        "here": request.build_absolute_uri(request.path),
    }
    return conditional_page(request, "api/documentation.html", context)
