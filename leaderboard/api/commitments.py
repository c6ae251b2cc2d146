"""Commitments: the hashes of entries that will become public."""

from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from leaderboard.api.answers import CURSOR, LIMIT, PageSerializer, answer, page_of, rows_of, sent
from leaderboard.api.fields import DayField
from portal.scores.documents.commitments import (
    CommitmentState,
    PublicCommitment,
    public_commitments,
)
from portal.web.problems import problems
from portal.web.public_api import PublicView


class CommitmentSerializer(serializers.Serializer[PublicCommitment]):
    """The hash of what was approved, and when; everything else once it is public."""

    hash = serializers.CharField(
        source="commitment.hash", help_text="SHA-256 of the payload, in hexadecimal."
    )
    state = serializers.ChoiceField(
        choices=list(CommitmentState),
        help_text="“sealed”: public later. “opened”: its entry is public. “taken back”: withdrawn "
        "or decided anew before. “gone”: its entry is not public any more.",
    )
    release = serializers.CharField(source="commitment.release.slug", help_text="The data.")
    sealed = DayField(source="commitment.sealed", help_text="Since which day (UTC).")
    announced_for = DayField(
        source="commitment.announced_for",
        help_text="On which day (UTC) all of it was to be public, at first.",
    )
    entry = serializers.SerializerMethodField(help_text="The entry; null while it is not public.")
    payload = serializers.SerializerMethodField(
        help_text="Path of the bytes that the hash is of; null while they are not public."
    )
    model = serializers.SerializerMethodField(
        help_text="Model and method, whose hash is `model` in the payload: of the nonce, a line "
        "feed and this; null while it is anonymous."
    )
    nonce = serializers.SerializerMethodField(help_text="Of that hash; or null.")

    def get_entry(self, one: PublicCommitment) -> str | None:
        return one.entry or None

    def get_payload(self, one: PublicCommitment) -> str | None:
        return reverse("commitment-payload", args=[one.commitment.hash]) if one.payload else None

    def get_model(self, one: PublicCommitment) -> str | None:
        return one.name or None

    def get_nonce(self, one: PublicCommitment) -> str | None:
        return one.nonce or None


class CommitmentPageSerializer(PageSerializer):
    """A page of the commitments."""

    commitments = CommitmentSerializer(many=True, help_text="The newest first.")


class CommitmentsView(PublicView):
    @extend_schema(
        operation_id="list_commitments",
        summary="Commitments",
        description="Hashes of what has been approved and is public later, and of what anonymous "
        "entries are.",
        tags=["Entries"],
        parameters=[CURSOR, LIMIT],
        responses={200: CommitmentPageSerializer, **problems({400: ["bad_cursor", "bad_limit"]})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        query, address = sent(request, "cursor", "limit"), request.build_absolute_uri(request.path)

        def document() -> dict[str, Any]:
            rows = list(public_commitments())
            page = page_of(rows, lambda one: str(one.commitment.hash), query, address)
            return {**page.about, "commitments": rows_of(CommitmentSerializer, page.rows)}

        return answer(request, f"{address}?{query}", document)
