"""Submissions: list and submit; follow and delete one."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from django.http import Http404, QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, django_request, owner_of
from portal.api.errors import MULTIPART, Refused
from portal.api.idempotency import check_same, id_of_key, one_after_the_other, remember
from portal.api.pages import CURSOR, Pages
from portal.api.submissions.documents import (
    answer_submission,
    conflicts_of,
    creation_headers,
    creation_responses,
    submission_document,
)
from portal.api.submissions.forms import as_page_form, check_form_names, check_forms
from portal.api.submissions.sent import SentSubmissionSerializer
from portal.api.submissions.serializers import (
    SubmissionDetailSerializer,
    SubmissionPageSerializer,
    SubmissionSerializer,
)
from portal.evaluations.sandbox import may_score, sandbox
from portal.hub.services import cancel_fetch
from portal.models import Action, Scope, Submission, User
from portal.permissions.access import get_fetch, get_own_submission
from portal.submissions.files.originals import Upload
from portal.submissions.files.uploads import FORM_ROOM, Incoming, check_length, check_room, receive
from portal.submissions.quotas import quota_of
from portal.submissions.services import (
    check_not_deleted,
    delete_submission,
    submit_predictions,
)
from portal.submissions.submit.forms import SubmitForms
from portal.web.middleware import refuse_broken_form
from portal.web.problems import problems

_TAGS = ["Submissions"]
OF_FIELDS = ["unknown_submission", "not_held", "name_taken"]
# Codes of 409: what may have changed while the files were arriving.
WHILE_SUBMITTED = ["release_closed", "not_own", "out_of_date", "model_deleted"]


def check_may_score() -> None:
    """Raises ``Refused``."""
    if not may_score():
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, sandbox().reason, "no_sandbox")


class SubmissionsView(TokenView):
    """GET: your own, the newest first. POST: submit prediction files, as multipart/form-data with
    the fields of the page."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.SUBMIT}
    parser_classes = ()  # our own upload handlers read the body

    @extend_schema(
        operation_id="list_submissions",
        summary="Your submissions",
        description="The newest first, 50 at a time.",
        tags=_TAGS,
        parameters=[CURSOR],
        responses={200: SubmissionPageSerializer, **problems({400: ["bad_cursor"]})},
    )
    def get(self, request: Request) -> Response:
        own = Submission.objects.owned_by(owner_of(request))
        pages = Pages("submissions")
        found: Any = pages.paginate_queryset(
            own.select_related("release", "language_model"), request
        )
        return pages.get_paginated_response(SubmissionSerializer(found, many=True).data)

    @extend_schema(
        operation_id="submit_predictions",
        summary="Submit prediction files",
        description="Scoring begins at once and takes seconds: follow `evaluation.state` of the "
        "submission. It stays private until you request publication and a reviewer agrees.",
        tags=_TAGS,
        parameters=creation_headers(HTTPStatus.CREATED),
        request={"multipart/form-data": SentSubmissionSerializer},
        responses={
            **creation_responses(HTTPStatus.CREATED),
            **problems(
                {
                    400: ["cut", "unreadable", "long_key"],
                    409: [*WHILE_SUBMITTED, "deleted", "files_gone", "too_large_with_kept"],
                    411: ["no_length"],
                    413: ["too_large", "too_many_files"],
                    422: ["invalid_fields", "idempotency_key_reused"],
                    429: ["quota", "queue_full"],
                    503: ["no_sandbox", "busy"],
                    507: ["no_room"],
                },
                of_fields=OF_FIELDS,
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Every reason to refuse an upload is checked before its body is read."""
        owner = owner_of(request)
        check_may_score()
        made = id_of_key(request)
        plain = django_request(request)  # its body goes through our own upload handlers
        check_length(plain)
        if plain.content_type != MULTIPART:
            raise UnsupportedMediaType(plain.content_type or "none")
        own = Submission.objects.filter(owner=owner, pk__in=[made] if made else [])
        files = max(0, int(plain.META["CONTENT_LENGTH"]) - FORM_ROOM)
        # Looked up again: a first request that was stored meanwhile is already in the quota.
        if not own.exists() and (refusal := quota_of(owner).refusal(files)) and not own.exists():
            raise refusal
        check_room(plain)
        with receive(plain) as incoming:
            refuse_broken_form(plain)
            check_form_names(plain.POST, incoming.fields)
            sent = [dict(plain.POST.lists()), incoming.digests()] if made else None
            with one_after_the_other(made):
                if first := own.first():
                    check_same(first.pk, sent)
                    return answer_submission(request, first.pk, HTTPStatus.OK)
                if made:  # before the form refuses its new model, whose name is taken by then
                    check_not_deleted(made)
                submission = _submit(owner, plain.POST, incoming, made)
                remember(owner, made, sent)
        return answer_submission(request, submission.pk, HTTPStatus.CREATED)


def _submit(
    owner: User, sent: QueryDict, incoming: Incoming, submission_id: UUID | None
) -> Submission:
    """Raises ``InvalidFields`` and what ``submit_predictions`` raises."""
    forms = SubmitForms(owner, as_page_form(owner, sent), sent=len(incoming.files))
    check_forms(forms, sent)
    upload = None
    if incoming.files:
        content, name = incoming.as_one_file()
        upload = Upload(content, name, forms.form.cleaned_data["task"], forms.form.file_tasks)
    return submit_predictions(
        owner=owner,
        language_model=forms.language_model,
        release=forms.form.cleaned_data["release"],
        settings=forms.form.settings,
        upload=upload,
        kept=forms.form.kept,
        submission_id=submission_id,
        previous=forms.previous,
    )


class SubmissionView(TokenView):
    """GET: its state and what was found. DELETE: as on its page."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "DELETE": Scope.SUBMIT}

    @extend_schema(
        operation_id="get_submission",
        summary="One submission",
        description="Its settings and state, its newest scoring with all problems found in the "
        "files, the question that has to be answered, what a reviewer asks or gives as a reason, "
        "and what you may do now. While it is queued or running ask again every second.",
        tags=_TAGS,
        responses=SubmissionDetailSerializer,
    )
    def get(self, request: Request, submission_id: UUID) -> Response:
        return Response(submission_document(owner_of(request), submission_id))

    @extend_schema(
        operation_id="delete_submission",
        summary="Delete a submission",
        description="While nobody else has seen it. After that it can be withdrawn. What is being "
        "fetched from the Hub is cancelled.",
        tags=_TAGS,
        responses={204: None, **problems({403: ["not_allowed"], 409: conflicts_of(Action.DELETE)})},
    )
    def delete(self, request: Request, submission_id: UUID) -> Response:
        user = owner_of(request)
        try:
            delete_submission(get_own_submission(user, submission_id), by=user)
        except Http404:
            cancel_fetch(get_fetch(user, submission_id))
        return Response(status=HTTPStatus.NO_CONTENT)
