"""The page of the ledger, its head, and the whole ledger as files."""

import csv
import io
from collections.abc import Iterable, Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page, conditional_response
from leaderboard.ledger.feed import ledger_feed
from leaderboard.ledger.filters import LedgerFilter, number_of
from leaderboard.ledger.queries import LedgerRow, all_rows, read_page
from portal.ledger.chain import head_document, ledger_lines
from portal.models import Decision, LedgerEntry, Release
from portal.web.csv_files import BYTE_ORDER_MARK, escape_csv_formula
from portal.web.file_responses import stream_attachment
from portal.web.throttle import count_expensive, throttled

_CACHE = "private, no-cache"  # revalidated each time: more of it may be open
_CONTENT = (  # columns of an open entry
    *("decision", "role", "reason", "entry", "task", "example", "outcome"),
    *("group", "model", "number_of_model", "number_of_group", "in_part", "predictions"),
)
_COLUMNS = ("number", "day", "kind", "release", *_CONTENT, "commitment", "reconstructed", "hash")
_LINES = 500  # sent at once


@require_safe
@throttled
@gzip_page
def ledger(request: HttpRequest) -> HttpResponse:
    """The newest entries, or those before or after a number."""
    query = request.GET.dict()
    numbers = {name: query.get(name, "") for name in ("before", "after")}
    try:
        chosen = LedgerFilter.from_query(query)
        before, after = (number_of(text) if text else None for text in numbers.values())
    except ValueError:
        return HttpResponseRedirect(request.path)
    page = read_page(chosen, before=before, after=after)
    releases = Release.objects.public().order_by("title", "slug")
    titles = {release.slug: release.title for release in releases}
    context = {
        "page": page,
        "rows": [
            (row, titles.get(row.public["release"], row.public["release"])) for row in page.rows
        ],
        "chosen": chosen,
        "head": head_document(),
        "kinds": [*LedgerEntry.Kind.choices[:1], *Decision.Kind.choices],
        "releases": releases,
    }
    return conditional_page(request, "ledger/page.html", context)


@require_safe
def head(request: HttpRequest) -> HttpResponse:
    """The newest entry, to be noted: whoever keeps it can detect any later change to the entries
    before it."""
    response = JsonResponse(head_document())
    response["Access-Control-Allow-Origin"] = "*"
    return conditional_response(request, response)


@require_safe
@throttled
def ledger_jsonl(request: HttpRequest) -> HttpResponseBase:
    """The whole ledger, as ``infinitebench verify-ledger`` reads it; with ``after``, only what is
    newer."""
    try:
        after = number_of(request.GET.get("after") or "0")
    except ValueError:
        return HttpResponseRedirect(request.path)
    count_expensive(request)
    body = _in_chunks(ledger_lines(after))
    return stream_attachment(
        request, body, "ledger.jsonl", content_type="application/jsonl", cache=_CACHE
    )


@require_safe
@throttled
def ledger_csv(request: HttpRequest) -> HttpResponseBase:
    """The entries that the filters of the address accept, oldest first."""
    try:
        chosen = LedgerFilter.from_query(request.GET.dict())
    except ValueError:
        return HttpResponseRedirect(request.path)
    count_expensive(request)
    body = _in_chunks(_csv_lines(chosen))
    return stream_attachment(
        request, body, "ledger.csv", content_type="text/csv; charset=utf-8", cache=_CACHE
    )


def _csv_lines(chosen: LedgerFilter) -> Iterator[str]:
    yield BYTE_ORDER_MARK + _csv_line(_COLUMNS)
    for row in all_rows(chosen):
        yield _csv_line(_cells(row))


def _cells(row: LedgerRow) -> Iterator[object]:
    found = {**row.content, **row.public}
    for name in _COLUMNS:
        cell = found.get(name, "")
        yield escape_csv_formula(cell) if isinstance(cell, str) else cell


def _csv_line(cells: Iterable[object]) -> str:
    file = io.StringIO()
    csv.writer(file).writerow(cells)
    return file.getvalue()


def _in_chunks(lines: Iterator[str]) -> Iterator[bytes]:
    held: list[str] = []
    for line in lines:
        held.append(line)
        if len(held) == _LINES:
            yield "".join(held).encode()
            held.clear()
    yield "".join(held).encode()


@require_safe
@throttled
@gzip_page
def feed(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(ledger_feed(), content_type="application/atom+xml; charset=utf-8")
    return conditional_response(request, response)
