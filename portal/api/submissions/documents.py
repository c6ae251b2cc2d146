"""The document of a submission, and what the addresses that answer with it have in common."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import owner_of
from portal.api.idempotency import IDEMPOTENCY_KEY, IS_REPLAYED, REPLAYED
from portal.api.submissions.serializers import SubmissionDetailSerializer
from portal.hub.services import submission_to_come
from portal.models import Action, User
from portal.permissions.access import get_fetch, get_own_submission
from portal.permissions.actions import ACTIONS


def submission_document(user: User, submission_id: UUID) -> dict[str, Any]:
    """Of a submission that the user acts for, also while its files have not arrived; a reviewer
    sees others' on the pages. Raises ``Http404``."""
    try:
        submission = get_own_submission(user, submission_id)
    except Http404:
        submission = submission_to_come(get_fetch(user, submission_id))
    return dict(SubmissionDetailSerializer(submission, context={"user": user}).data)


def answer_submission(request: Request, submission_id: UUID, status: HTTPStatus) -> Response:
    """The response to a request that creates it. ``status`` 200: an earlier one with the same key
    has created it."""
    response = Response(submission_document(owner_of(request), submission_id), status)
    path = reverse("api-submission", args=[submission_id])
    response["Location"] = request.build_absolute_uri(path)
    if status == HTTPStatus.OK:
        response[REPLAYED] = "true"
    return response


def creation_headers(status: int) -> list[OpenApiParameter]:
    """Of a request that creates a submission, and of its responses."""
    location = OpenApiParameter(
        "Location",
        location=OpenApiParameter.HEADER,
        response=[HTTPStatus.OK, status],
        description="The address of the submission.",
    )
    return [IDEMPOTENCY_KEY, IS_REPLAYED, location]


def creation_responses(
    status: int,
) -> Mapping[int, type[SubmissionDetailSerializer] | OpenApiResponse]:
    again = OpenApiResponse(
        SubmissionDetailSerializer, description="An earlier request with this key has made it."
    )
    return {int(status): SubmissionDetailSerializer, int(HTTPStatus.OK): again}


def conflicts_of(*actions: Action) -> list[str]:
    """The codes of 409 of these actions, from the table of actions."""
    codes = {"wrong_state": True}
    for rule in map(ACTIONS.__getitem__, actions):
        codes |= {condition.code: True for condition in rule.conditions}
    return list(codes)
