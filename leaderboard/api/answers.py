"""What the API's views share: cached documents, cursor pages and checked parameters."""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from leaderboard.cache import cached_region
from portal.web.public_api import conditional
from portal.web.throttle import count_expensive
from scoring.metrics import METRIC_SETS, PAPER_SET

MOST_ROWS, ROWS = 100, 50  # on a page: at most, and by default
METRIC_SET = OpenApiParameter(
    "metric_set", enum=list(METRIC_SETS), default=PAPER_SET, description="The rules of scoring."
)
CURSOR = OpenApiParameter(
    "cursor", description="Where the page starts: from `next` or `previous` of an answer."
)
LIMIT = OpenApiParameter(
    "limit",
    {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": ROWS},
    description="Rows of the page.",
)


def answer(request: Request, key: str, make: Callable[[], object]) -> HttpResponseBase:
    """The document as JSON, or 304. Computing a document counts towards the throttle."""

    def render() -> bytes:
        count_expensive(request)
        return rendered(make())

    return conditional(request, cached_region(f"api/{key}", render))


def rendered(document: object) -> bytes:
    text: bytes = JSONRenderer().render(document)
    return text


def sent(request: Request, *names: str) -> dict[str, str]:
    """The query parameters that matter; empty strings for those that were not sent."""
    return {name: request.query_params.get(name, "") for name in names}


def checked_metric_set(query: Mapping[str, str]) -> str:
    """The default if none was sent. Raises ``ParseError`` for an unknown one."""
    if query["metric_set"] not in ("", *METRIC_SETS):
        raise ParseError(f"metric_set is one of: {', '.join(METRIC_SETS)}.", "unknown_metric_set")
    return query["metric_set"] or PAPER_SET


def rows_of(
    serializer: type[serializers.BaseSerializer[Any]], rows: Iterable[Any], **context: object
) -> list[dict[str, Any]]:
    found: Any = rows  # the stubs know no lists
    return list(serializer(found, many=True, context=context).data)


class PageSerializer(serializers.Serializer[Any]):
    """Some rows of a list, and the addresses of the next and previous ones."""

    count = serializers.IntegerField(help_text="Number of all rows.")
    next = serializers.URLField(allow_null=True, help_text="Address of the next page, or null.")
    previous = serializers.URLField(
        allow_null=True, help_text="Address of the previous page, or null."
    )


class Page(NamedTuple):
    rows: Sequence[Any]
    about: Mapping[str, object]  # the fields of ``PageSerializer``


def page_of(
    rows: Sequence[Any],
    name_of: Callable[[Any], str],
    query: Mapping[str, str | Sequence[str]],
    address: str,
    default: int = ROWS,
) -> Page:
    """One page of an ordered list. A cursor names the row that a page starts with or ends before,
    so that adjacent pages stay adjacent when rows are added. Raises ``ParseError``."""
    text, place = str(query["limit"]), str(query["cursor"])
    limit = int(text or default) if not text or (text.isascii() and text.isdecimal()) else 0
    if len(text) > 3 or not 1 <= limit <= MOST_ROWS:
        raise ParseError(f"limit is a whole number from 1 to {MOST_ROWS}.", "bad_limit")
    start = 0
    if place:
        direction, name = _read_cursor(place)
        found = next((at for at, row in enumerate(rows) if name_of(row) == name), None)
        if found is None:
            raise ParseError("The cursor leads nowhere any more: start again.", "bad_cursor")
        start = found if direction == "from" else max(0, found - limit)
    end = start + limit

    def address_of(direction: str, row: int) -> str:
        cursor = base64.urlsafe_b64encode(f"{direction}/{name_of(rows[row])}".encode()).decode()
        chosen = {name: value for name, value in query.items() if value}
        return f"{address}?{urlencode({**chosen, 'cursor': cursor.rstrip('=')}, doseq=True)}"

    return Page(
        rows[start:end],
        {
            "count": len(rows),
            "next": address_of("from", end) if end < len(rows) else None,
            "previous": address_of("before", start) if start else None,
        },
    )


def _read_cursor(cursor: str) -> tuple[str, str]:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        text = ""
    direction, slash, name = text.partition("/")
    if direction not in ("from", "before") or not slash:
        raise ParseError("cursor is from next or previous of an answer.", "bad_cursor")
    return direction, name
