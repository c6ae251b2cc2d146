"""The public ledger: attempts and decisions, and the newest entry."""

from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.request import Request

from leaderboard.api.answers import CURSOR, LIMIT, MOST_ROWS, ROWS, rendered, sent
from leaderboard.ledger.filters import KINDS, LedgerFilter, number_of
from leaderboard.ledger.queries import LedgerPage, LedgerRow, read_page
from portal.ledger.chain import head_document
from portal.models import LedgerEntry, Release
from portal.web.problems import problems
from portal.web.public_api import PublicView, conditional

_TAGS = ["Ledger"]


class LedgerHeadSerializer(serializers.Serializer[Any]):
    """The newest entry: whoever keeps it can detect any later change to the entries before it."""

    number = serializers.IntegerField(help_text="Its number; 0: the ledger is empty.")
    hash = serializers.CharField(allow_null=True, help_text="Its hash, or null.")
    day = serializers.DateField(allow_null=True, help_text="Its day (UTC), or null.")


class LedgerEntrySerializer(serializers.Serializer[LedgerRow]):
    """An attempt at a release, or a decision about an entry or a label."""

    number = serializers.IntegerField(help_text="1, 2, 3 …, without gaps.")
    day = serializers.DateField(help_text="Of the scoring or decision (UTC).")
    kind = serializers.ChoiceField(choices=["attempt", "decision"], help_text="What it is.")
    release = serializers.CharField(help_text="The ID of the release, as in its URL.")
    commitment = serializers.CharField(help_text="SHA-256 of `key` and `content`.")
    reconstructed = serializers.BooleanField(
        help_text="Whether it was written from older records when the ledger began."
    )
    hash = serializers.CharField(help_text="Its link in the chain, with the hash before in it.")
    key = serializers.CharField(allow_null=True, help_text="Null: the entry is closed.")
    content = serializers.CharField(
        allow_null=True,
        help_text="The text that was committed to, in JSON; null: it is closed. Of an "
        "attempt: `group`, `model`, `release`, `predictions` (a hash), `in_part`, "
        "`number_of_model`; older ones also `number_of_group`. Of a decision: `decision`, "
        "`role`, `reason`, `release`, and `entry`, or `task`, `example` and `outcome`.",
    )
    entries = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="The public entries that it is about, or that were chosen from it.",
    )


class LedgerPageSerializer(serializers.Serializer[Any]):
    """A page of the ledger, newest first."""

    head = LedgerHeadSerializer(help_text="The newest entry of all.")
    next = serializers.URLField(allow_null=True, help_text="Address of the older ones, or null.")
    previous = serializers.URLField(
        allow_null=True, help_text="Address of the newer ones, or null."
    )
    entries = LedgerEntrySerializer(many=True, help_text="The newest first.")


class LedgerView(PublicView):
    @extend_schema(
        operation_id="list_ledger",
        summary="The ledger",
        description="Every scoring and every decision, the newest first. `/ledger/ledger.jsonl` "
        "is the whole of it, as `infinitebench verify-ledger` checks it.",
        tags=_TAGS,
        parameters=[
            OpenApiParameter("kind", enum=list(KINDS), description="Default: any."),
            OpenApiParameter("release", description="Its ID, as in its URL. Default: any."),
            OpenApiParameter(
                "entry",
                {"type": "string", "format": "uuid"},
                description="Decisions about this entry, and the attempts it was chosen from.",
            ),
            CURSOR,
            LIMIT,
        ],
        responses={
            200: LedgerPageSerializer,
            **problems(
                {
                    400: ["bad_kind", "bad_entry", "bad_cursor", "bad_limit"],
                    404: ["unknown_release"],
                }
            ),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = sent(request, "kind", "release", "entry", "cursor", "limit")
        try:
            chosen = LedgerFilter.from_query(query)
        except ValueError as error:
            name = str(error)
            raise ParseError(f"{name} is none that the ledger can have.", f"bad_{name}") from error
        if chosen.release and not _is_release(chosen.release):
            raise NotFound("There is no such release.", "unknown_release")
        try:
            limit = number_of(query["limit"] or str(ROWS))
        except ValueError:
            limit = 0
        if not 1 <= limit <= MOST_ROWS:
            raise ParseError(f"limit is a whole number from 1 to {MOST_ROWS}.", "bad_limit")
        page = read_page(chosen, **_place(query["cursor"]), size=limit)
        address = request.build_absolute_uri(reverse("api-ledger"))
        return conditional(request, rendered(_document(page, chosen, limit, address)))


def _document(page: LedgerPage, chosen: LedgerFilter, limit: int, address: str) -> dict[str, Any]:
    def address_of(direction: str, number: int | None) -> str | None:
        if number is None:
            return None
        filters = f"{chosen}&" if chosen else ""
        return f"{address}?{filters}limit={limit}&cursor={direction}-{number}"

    return {
        "head": head_document(),
        "next": address_of("before", page.older),
        "previous": address_of("after", page.newer),
        "entries": [
            {"key": None, "content": None}
            | dict(row.public)
            | {"entries": [entry.id for entry in row.entries]}
            for row in page.rows
        ],
    }


def _is_release(slug: str) -> bool:
    """True for deleted releases as well: the ledger keeps what it says about them."""
    known = Release.objects.public().filter(slug=slug)
    return known.exists() or LedgerEntry.objects.filter(release=slug).exists()


def _place(cursor: str) -> dict[str, int]:
    """The cursor for ``read_page``. Raises ``ParseError``."""
    if not cursor:
        return {}
    direction, _, text = cursor.partition("-")
    try:
        if direction in ("before", "after"):
            return {direction: number_of(text)}
    except ValueError:
        pass
    raise ParseError("cursor is from next or previous of an answer.", "bad_cursor")


class LedgerHeadView(PublicView):
    @extend_schema(
        operation_id="get_ledger_head",
        summary="The newest entry of the ledger",
        description="To be noted: later, the ledger has to hold the same entry.",
        tags=_TAGS,
        responses={200: LedgerHeadSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return conditional(request, rendered(head_document()))
