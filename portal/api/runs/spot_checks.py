"""Spot checks, with which authors have the answers of an entry compared with those of an
endpoint."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of, submission_of
from portal.api.bodies import fields_of
from portal.api.errors import valid
from portal.endpoint_runs.spot_checks.forms import (
    CHECKED_STRATEGIES,
    SMALLEST_WINDOW,
    SpotCheckForm,
)
from portal.endpoint_runs.spot_checks.requests import request_spot_check
from portal.models import CheckState, CheckVerdict, Scope, SpotCheck
from portal.web.problems import problems

_TAGS = ["Submissions"]


class SpotCheckSerializer(serializers.Serializer[SpotCheck]):
    """What an endpoint answers to some of the questions, beside what the files say."""

    created = serializers.DateTimeField(help_text="When it was asked for.")
    state = serializers.ChoiceField(choices=CheckState.values, help_text="How far it is.")
    verdict = serializers.ChoiceField(
        choices=["", *CheckVerdict.values], help_text="Empty while it is not known, or has failed."
    )
    reason = serializers.CharField(
        help_text="Why it has ended without a verdict, or cannot tell: a code, or empty."
    )
    asked = serializers.IntegerField(help_text="How many questions are compared.")
    agreed = serializers.IntegerField(help_text="How many of their answers agree.")
    ended = serializers.DateTimeField(allow_null=True, help_text="When; or null.")


class SpotChecksSerializer(serializers.Serializer[Any]):
    """Those of a submission."""

    spot_checks = SpotCheckSerializer(many=True, help_text="The newest first.")


class SentSpotCheckSerializer(serializers.Serializer[Any]):
    """The endpoint to ask."""

    url = serializers.CharField(max_length=2_000, help_text="As for OpenAI's clients.")
    model = serializers.CharField(max_length=200, help_text="Its name at the endpoint.")
    key = serializers.CharField(
        max_length=2_000,
        required=False,
        help_text="Kept encrypted, and deleted when the check ends. It is in no answer.",
    )
    api = serializers.ChoiceField(choices=["chat", "completions"], help_text="The interface.")
    strategy = serializers.ChoiceField(
        choices=[one.value for one in CHECKED_STRATEGIES], help_text="How questions are put."
    )
    window = serializers.IntegerField(
        min_value=SMALLEST_WINDOW, help_text="Tokens. Longer texts are cut in the middle."
    )


class SpotChecksView(TokenView):
    """GET: those of a submission. POST: another one."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.RUN}

    @extend_schema(
        operation_id="list_spot_checks",
        summary="Spot checks of a submission",
        tags=_TAGS,
        responses=SpotChecksSerializer,
    )
    def get(self, request: Request, submission_id: UUID) -> Response:
        submission = submission_of(request, submission_id)
        checks: Any = SpotCheck.objects.filter(submission=submission)
        return Response({"spot_checks": SpotCheckSerializer(checks, many=True).data})

    @extend_schema(
        operation_id="request_spot_check",
        summary="Have an entry checked",
        description="Some random questions are asked again of an endpoint, once a week at most; "
        "the result is shown with the entry. It takes minutes: look again.",
        tags=_TAGS,
        request=SentSpotCheckSerializer,
        responses={
            201: SpotCheckSerializer,
            **problems(
                {
                    400: ["no_object"],
                    403: ["not_allowed"],
                    409: ["run_by_us", "not_scored", "no_texts"],
                    422: ["invalid_fields"],
                    429: ["checked_this_week", "checks_in_vain"],
                }
            ),
        },
    )
    def post(self, request: Request, submission_id: UUID) -> Response:
        user = owner_of(request)
        submission = submission_of(request, submission_id)
        form = valid(SpotCheckForm(fields_of(request, SentSpotCheckSerializer)))
        check = request_spot_check(submission, form.run_settings, form.plain_key, user)
        made = SpotCheck.objects.get(pk=check.pk)
        return Response(SpotCheckSerializer(made).data, HTTPStatus.CREATED)
