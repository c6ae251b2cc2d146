"""Boards, comparisons and breakdowns as JSON."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.request import Request

from leaderboard.api.answers import (
    CURSOR,
    METRIC_SET,
    MOST_ROWS,
    Page,
    answer,
    checked_metric_set,
    page_of,
    sent,
)
from leaderboard.api.breakdowns import BreakdownSerializer, NamedBreakdownSerializer
from leaderboard.api.comparisons import (
    ComparisonSerializer,
    DifferenceSerializer,
)
from leaderboard.api.errors import Gone
from leaderboard.api.serializers import EntryPageSerializer, EntrySerializer
from leaderboard.board.board import PAGE_ROWS, Board, read_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.board.ranking.facets import OWN_LABELS
from leaderboard.columns import columns_of
from leaderboard.comparison.claims import claim_of, column_of, common_board
from leaderboard.comparison.queries import read_chosen
from leaderboard.pages.entries.breakdowns import (
    PARAMETERS,
    NoBreakdownError,
    QueryError,
    Wanted,
    read_breakdown,
)
from leaderboard.pages.tombstones import entry_tombstone
from leaderboard.queries import (
    BoardRelease,
    boards_of_versions,
    front_release,
    public_submissions,
    releases_with_boards,
)
from portal.models import ReportedEntry
from portal.permissions.access import current_ids, with_current_ids
from portal.scores.trust import Trust
from portal.web.problems import problems
from portal.web.public_api import PublicView
from scoring.breakdowns.breakdown import FEWEST_PARTS, MOST_PARTS, PARTS, By
from scoring.catalog import DOMAINS, OVERALL, TASKS

_PARAMETERS = ("release", "metric_set", "labels", "entries", "page", "cursor", "limit")
_COMPARED = ("a", "b", "task", "metric_set")


TRUST_LEVELS = OpenApiParameter(
    "trust",
    {"type": "array", "items": {"type": "string", "enum": list(Trust)}},
    description="Only entries with this `trust`; repeated: with any of these. Default: any.",
)


class EntriesView(PublicView):
    @extend_schema(
        operation_id="list_entries",
        summary="A leaderboard",
        description="Its entries in their order, a page at a time.",
        tags=["Leaderboards"],
        parameters=[
            OpenApiParameter(
                "release",
                description="The release's ID, as in its URL. Default: that of the first page. "
                "The name of a label version means these labels on the leaderboard that they are "
                "part of.",
            ),
            METRIC_SET,
            OpenApiParameter(
                "labels",
                description="Only entries scored with the labels of this version, or with labels "
                "of their `own`. Default: any.",
            ),
            TRUST_LEVELS,
            OpenApiParameter(
                "entries",
                enum=["best", "all"],
                default="best",
                description="The best entry of each model and method, or all.",
            ),
            OpenApiParameter(
                "page",
                {"type": "integer", "minimum": 1, "maximum": 9999},
                description=f"Instead of a cursor: a number, with {PAGE_ROWS} entries each.",
            ),
            CURSOR,
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": PAGE_ROWS},
                description="Entries of the page.",
            ),
        ],
        responses={
            200: EntryPageSerializer,
            **problems(
                {
                    400: [
                        *("unknown_metric_set", "unknown_labels", "unknown_entries"),
                        "unknown_trust",
                        *("bad_cursor", "bad_limit"),
                    ],
                    404: ["unknown_release", "unknown_page"],
                }
            ),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = sent(request, *_PARAMETERS)
        trust = _checked_trust(request.query_params.getlist("trust"))
        address = request.build_absolute_uri(request.path)
        key = f"entries/{address}?{urlencode({**query, 'trust': trust}, doseq=True)}"
        return answer(request, key, lambda: entries_document(query, address, trust))


def _checked_trust(sent: Sequence[str]) -> tuple[str, ...]:
    """In a fixed order. Raises ``ParseError``."""
    if set(sent) - {"", *Trust}:
        raise ParseError(f"trust is one of: {', '.join(Trust)}.", "unknown_trust")
    return tuple(level for level in Trust if level in sent)


def entries_document(
    query: Mapping[str, str], address: str, trust: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A page of a board. Raises whatever ``wanted_board`` and ``page_of`` raise, and ``NotFound``
    for a page that does not exist."""
    release, filters = wanted_board(query)
    filters = filters.replace(trust=trust)
    chosen: dict[str, str | tuple[str, ...]] = {
        "release": release.slug,
        "metric_set": filters.metric_set,
        "labels": "".join(filters.labels),
        "trust": trust,
        "entries": filters.entries,
    }
    board = read_board(release, filters)
    if query["page"]:
        rows, about = _numbered_page(
            board, query["page"], f"{address}?{urlencode(chosen, doseq=True)}"
        )
    else:
        chosen |= {"limit": query["limit"], "cursor": query["cursor"]}
        rows, about = page_of(
            board.lines, lambda line: str(line.entry.id), chosen, address, PAGE_ROWS
        )
    shown = with_ranges(dataclasses.replace(board, page_lines=rows).with_details())
    entry = EntrySerializer(context={"board": shown})
    return {
        **about,
        "release": release.slug,
        "metric_set": filters.metric_set,
        "labels": chosen["labels"] or None,
        "trust": list(trust),
        "entries": [entry.to_representation(line) for line in shown.page_lines],
    }


def _numbered_page(board: Board, page: str, address: str) -> Page:
    """Counted from 1, as on the site. Raises ``NotFound``."""
    number = int(page) if page.isdecimal() and len(page) < 5 else 0
    if not 1 <= number <= board.pages:
        raise NotFound("There is no such page.", "unknown_page")
    start = (number - 1) * PAGE_ROWS
    about = {
        "count": len(board.lines),
        "next": f"{address}&page={number + 1}" if number < board.pages else None,
        "previous": f"{address}&page={number - 1}" if number > 1 else None,
    }
    return Page(board.lines[start : start + PAGE_ROWS], about)


def wanted_board(query: Mapping[str, str]) -> tuple[BoardRelease, Filters]:
    """The board that the query asks for; without a release, the one on the home page.

    The slug of a label version stands for those labels on the board of its release. Raises
    ``NotFound`` and ``ParseError``.
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


class CompareView(PublicView):
    @extend_schema(
        operation_id="compare_entries",
        summary="Two entries compared",
        description="Answers to the same question are compared with each other. The numbers are "
        "those of the page `/claims/` with the same parameters.",
        tags=["Entries"],
        parameters=[
            OpenApiParameter("a", required=True, description="Id of a public entry."),
            OpenApiParameter(
                "b", required=True, description="Id of another one on the same leaderboard."
            ),
            OpenApiParameter(
                "task",
                enum=[OVERALL, *DOMAINS, *TASKS],
                default=OVERALL,
                description="A task, a domain or all tasks.",
            ),
            METRIC_SET,
        ],
        responses={
            200: ComparisonSerializer,
            **problems(
                {
                    400: [
                        "unknown_metric_set",
                        "missing_entry",
                        "different_leaderboards",
                        "unknown_task",
                    ],
                    404: ["unknown_entry"],
                    410: ["entry_gone"],
                }
            ),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = sent(request, *_COMPARED)
        return answer(request, f"compare?{urlencode(query)}", lambda: compare_document(query))


def compare_document(query: Mapping[str, str]) -> dict[str, Any]:
    """The difference of two entries in a task or a mean, no more than the page of the claim shows.

    Raises ``ParseError``, ``NotFound`` and ``Gone``.
    """
    metric_set = checked_metric_set(query)
    ids = with_current_ids([*filter(None, (query["a"], query["b"]))])
    if len(ids) < 2:
        raise ParseError("a and b are the ids of two entries.", "missing_entry")
    releases = releases_with_boards()
    try:
        chosen = read_chosen(ids, metric_set, releases)
    except Http404 as error:
        raise NotFound("There is no such public entry.", "unknown_entry") from error
    if chosen.gone:
        raise Gone("One of the entries was withdrawn or hidden.")
    a, b = chosen.sides
    release = common_board([a, b], releases, front_release())
    if release is None:
        raise ParseError("The entries are on different leaderboards.", "different_leaderboards")
    column = column_of(release, query["task"] or OVERALL)
    if column is None:
        known = ", ".join(one.id for one in columns_of(release.sizes))
        raise ParseError(f"task is one of: {known}.", "unknown_task")
    claim = claim_of(a, b, column, release, metric_set)
    attempts = {"attempts_a": a.attempts, "attempts_b": b.attempts}
    about = {"a": ids[0], "b": ids[1], "release": release.slug, "metric_set": metric_set}
    difference = DifferenceSerializer().to_representation(claim)
    return {**about, **attempts, "task": column.id, **difference}


class BreakdownsView(PublicView):
    @extend_schema(
        operation_id="break_down_entry",
        summary="An entry by length, depth, hops or kind",
        description="Where an entry answers well in a task and where it does not. The same as a "
        "file: `breakdowns.csv` below the page of the entry (its `page`). There are none of "
        "reported entries, and none of hidden releases.",
        tags=["Entries"],
        parameters=[
            OpenApiParameter("task", required=True, enum=list(TASKS), description="The task."),
            OpenApiParameter("by", required=True, enum=list(By), description="The facet."),
            OpenApiParameter(
                "bins",
                {
                    "type": "integer",
                    "minimum": FEWEST_PARTS,
                    "maximum": MOST_PARTS,
                    "default": PARTS,
                },
                description="Equal parts of depth, or at most so many quantiles of length and "
                "depth. Target lengths, hops and kinds have a bin for each value.",
            ),
            METRIC_SET,
        ],
        responses={
            200: NamedBreakdownSerializer,
            **problems(
                {
                    400: ["unknown_task", "unknown_by", "unknown_bins", "unknown_metric_set"],
                    404: [
                        "unknown_entry",
                        "reported_entry",
                        "hidden_labels",
                        "missing_task",
                        "unknown_facet",
                    ],
                    410: ["entry_gone"],
                }
            ),
        },
    )
    def get(self, request: Request, entry_id: str) -> HttpResponseBase:
        query = sent(request, *PARAMETERS)
        key = f"breakdowns/{entry_id}?{urlencode(query)}"
        return answer(request, key, lambda: breakdown_document(entry_id, query))


def breakdown_document(entry_id: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Raises ``NotFound``, ``Gone`` and ``ParseError``."""
    entry_id = current_ids([entry_id]).get(entry_id, entry_id)
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
    """The evaluation of an entry with public verdicts. Raises ``NotFound`` and ``Gone``."""
    found: Any = public_submissions().at(entry_id).select_related("release").first()
    if found is None:
        if entry_tombstone(entry_id):
            raise Gone
        if ReportedEntry.objects.filter(slug=entry_id).exists():
            raise NotFound("Its answers are not known: it was only reported.", "reported_entry")
        raise NotFound("There is no such public entry.", "unknown_entry")
    if found.release.hidden:
        raise NotFound("The labels of its release are secret.", "hidden_labels")
    return int(found.current_evaluation)
