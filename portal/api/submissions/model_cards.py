"""An entry on the model card of its model: the file, and pull requests with it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import valid
from portal.hub.card_page import card_page
from portal.hub.failures import sentence_of
from portal.hub.forms import CardForm
from portal.hub.model_cards import (
    cancel_pull_request,
    check_public,
    repository_on_hub,
    request_pull_request,
)
from portal.models import CardRequest, HubJobState, Scope, Submission
from portal.permissions.access import get_own_submission
from portal.web.problems import problems

_TAGS = ["Submissions"]


class PullRequestSerializer(serializers.Serializer[CardRequest]):
    """A pull request on the Hub, or the attempt to open one. The token is in no answer."""

    repository = serializers.CharField(help_text="OWNER/NAME.")
    state = serializers.ChoiceField(
        choices=HubJobState.values,
        help_text="“waiting” for a worker, or for another attempt. “done”: it is open.",
    )
    url = serializers.SerializerMethodField(help_text="Of the pull request; or null.")
    created = serializers.DateTimeField(help_text="When it was asked for.")
    ended = serializers.DateTimeField(allow_null=True, help_text="When it was opened, or failed.")
    attempts = serializers.IntegerField(help_text="How often it was begun; at most five times.")
    code = serializers.SerializerMethodField(
        help_text="Why it failed, or waits for another attempt; or null."
    )
    detail = serializers.SerializerMethodField(help_text="As a sentence; or null.")
    due = serializers.DateTimeField(help_text="When the next attempt begins, if it waits.")

    def get_url(self, request: CardRequest) -> str | None:
        return request.url or None

    def get_code(self, request: CardRequest) -> str | None:
        return request.reason or None

    def get_detail(self, request: CardRequest) -> str | None:
        return sentence_of(request.reason) if request.reason else None


class ModelCardSerializer(serializers.Serializer[Any]):
    """What goes into the repository of the model."""

    path = serializers.CharField(help_text="Of the file, in the repository.")
    content = serializers.CharField(help_text="The file: YAML, as the Hub documents it.")
    repository = serializers.CharField(
        allow_null=True, help_text="OWNER/NAME, where the links of the model say so; or null."
    )
    pull_requests = PullRequestSerializer(many=True, help_text="The newest first.")


class SentPullRequestSerializer(serializers.Serializer[Any]):
    """Where a pull request is opened."""

    repository = serializers.CharField(
        max_length=300, help_text="OWNER/NAME, or the address of the model on the Hub."
    )
    token = serializers.CharField(
        max_length=200,
        help_text="Of the Hub: one that may write discussions and pull requests there. Kept "
        "encrypted until the pull request is open, sent to the Hub alone, then deleted.",
    )


class ModelCardView(TokenView):
    """GET: the file, and how far pull requests are. POST: open one. DELETE: the one that waits."""

    scopes: ClassVar[Mapping[str, Scope]] = {
        "GET": Scope.READ,
        "POST": Scope.SUBMIT,
        "DELETE": Scope.SUBMIT,
    }

    @extend_schema(
        operation_id="get_model_card",
        summary="The file for the model card",
        description="Of a published entry: the file with its scores for the repository of the "
        "model on the Hub, and what became of pull requests with it.",
        tags=_TAGS,
        responses={200: ModelCardSerializer, **problems({409: ["not_published"]})},
    )
    def get(self, request: Request, submission_id: UUID) -> Response:
        return Response(_document(get_own_submission(owner_of(request), submission_id)))

    @extend_schema(
        operation_id="open_pull_request",
        summary="Open a pull request with it",
        description="A worker opens it: follow `state`. It is opened once for a repository, "
        "whatever is lost on the way; answers 429 of the Hub and broken connections are tried "
        "again.",
        tags=_TAGS,
        request=SentPullRequestSerializer,
        responses={
            202: ModelCardSerializer,
            **problems(
                {
                    400: ["no_object"],
                    409: ["not_published", "being_opened", "already_opened"],
                    422: ["invalid_fields"],
                    429: ["card_quota"],
                }
            ),
        },
    )
    def post(self, request: Request, submission_id: UUID) -> Response:
        user = owner_of(request)
        submission = get_own_submission(user, submission_id)
        check_public(submission)
        form = valid(CardForm(fields_of(request, SentPullRequestSerializer)))
        asked = form.cleaned_data
        request_pull_request(submission, asked["repository"], asked["token"], by=user)
        return Response(_document(submission), HTTPStatus.ACCEPTED)

    @extend_schema(
        operation_id="cancel_pull_request",
        summary="Cancel the one that waits",
        description="What a worker has begun cannot be cancelled: it takes seconds.",
        tags=_TAGS,
        responses={204: None, **problems({409: ["wrong_state"]})},
    )
    def delete(self, request: Request, submission_id: UUID) -> Response:
        user = owner_of(request)
        cancel_pull_request(get_own_submission(user, submission_id), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


def _document(submission: Submission) -> dict[str, Any]:
    """Raises ``StateError``."""
    check_public(submission)
    page = card_page(submission)
    requests: Any = submission.card_requests.all()
    return {
        "path": page.path,
        "content": page.content,
        "repository": repository_on_hub(submission) or None,
        "pull_requests": PullRequestSerializer(requests, many=True).data,
    }
