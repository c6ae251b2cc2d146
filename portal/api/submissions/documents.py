"""The document of a submission, and the response that carries it, shared by several addresses."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import owner_of
from portal.api.creation import answer_made
from portal.api.submissions.serializers import SubmissionDetailSerializer
from portal.hub.services import submission_to_come
from portal.models import Submission, User
from portal.permissions.access import get_fetch, get_submission, owns


def submission_document(user: User, submission_id: UUID) -> dict[str, Any]:
    """Raises ``Http404``."""
    try:
        submission = get_submission(user, submission_id)
    except Http404:
        submission = submission_to_come(get_fetch(user, submission_id))
    return dict(SubmissionDetailSerializer(submission, context={"user": user}).data)


def own_submission(user: User, submission_id: UUID) -> Submission:
    """A submission that the user may act on as its author; a reviewer or an admin may not with
    others'. Raises ``Http404``."""
    submission = get_submission(user, submission_id)
    if not owns(user, submission):
        raise Http404
    return submission


def answer_submission(request: Request, submission_id: UUID, status: HTTPStatus) -> Response:
    """The response to a request that creates it, or has created it before."""
    document = submission_document(owner_of(request), submission_id)
    return answer_made(request, document, reverse("api-submission", args=[submission_id]), status)
