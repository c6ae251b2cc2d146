"""Submissions whose files a worker fetches from the Hub."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.idempotency import check_same, id_of_key, one_after_the_other, remember
from portal.api.parsers import JsonParser
from portal.api.submissions.documents import (
    answer_submission,
    creation_headers,
    creation_responses,
)
from portal.api.submissions.forms import as_page_form, check_forms, form_of_body
from portal.api.submissions.sent import SentSourceSerializer
from portal.api.submissions.serializers import SubmissionsToComeSerializer
from portal.api.submissions.views import OF_FIELDS, WHILE_SUBMITTED, check_may_score
from portal.hub.forms import HubSubmitForms
from portal.hub.services import is_known, request_fetch, submission_to_come
from portal.models import HubFetch, Scope
from portal.web.problems import problems


class FromHubView(TokenView):
    """GET: what has not arrived. POST: have prediction files fetched from the Hub, with the fields
    of the page."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.SUBMIT}
    parser_classes = (JsonParser, MultiPartParser)  # the latter as for uploads

    @extend_schema(
        operation_id="list_submissions_from_hub",
        summary="Your submissions whose files have not arrived",
        description="Those that are being fetched from the Hub, and those that failed in the last "
        "seven days. Each becomes a submission with the same id when its files have arrived.",
        tags=["Submissions"],
        responses=SubmissionsToComeSerializer,
    )
    def get(self, request: Request) -> Response:
        fetches = HubFetch.objects.owned_by(owner_of(request)).missing()
        to_come = [submission_to_come(fetch) for fetch in fetches]
        context = {"fetches": {fetch.pk: fetch for fetch in fetches}}
        return Response(SubmissionsToComeSerializer({"submissions": to_come}, context=context).data)

    @extend_schema(
        operation_id="submit_from_hub",
        summary="Submit from the Hub",
        description="A worker fetches the files of a model, dataset or Space, and submits them: "
        "follow `fetch.state` of the submission, then `evaluation.state`. The revision is resolved "
        "to a commit, which stays with the submission. Broken connections and answers 429 of the "
        "Hub are tried again.",
        tags=["Submissions"],
        parameters=creation_headers(HTTPStatus.ACCEPTED),
        request=SentSourceSerializer,
        responses={
            **creation_responses(HTTPStatus.ACCEPTED),
            **problems(
                {
                    400: ["no_object", "long_key"],
                    409: WHILE_SUBMITTED,
                    422: ["invalid_fields", "idempotency_key_reused"],
                    429: ["quota", "queue_full", "too_many_fetches", "fetch_quota"],
                    503: ["no_sandbox"],
                },
                of_fields=OF_FIELDS,
            ),
        },
    )
    def post(self, request: Request) -> Response:
        owner = owner_of(request)
        check_may_score()
        made = id_of_key(request)
        sent = form_of_body(request, SentSourceSerializer)
        with one_after_the_other(made):
            if made and is_known(owner, made):
                check_same(made, dict(sent.lists()))
                return answer_submission(request, made, HTTPStatus.OK)
            forms = HubSubmitForms(owner, as_page_form(owner, sent))
            check_forms(forms, sent)
            fetch = request_fetch(
                forms.source,
                owner=owner,
                language_model=forms.language_model,
                release=forms.form.cleaned_data["release"],
                settings=forms.form.settings,
                token=forms.form.cleaned_data["token"],
                task=forms.form.cleaned_data["task"],
                previous=forms.previous,
                kept=forms.form.kept,
                fetch_id=made,
            )
            remember(owner, made, dict(sent.lists()))
        return answer_submission(request, fetch.pk, HTTPStatus.ACCEPTED)
