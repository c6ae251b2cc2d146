"""Endpoint runs: configure, test, estimate, start, pause, resume, stop. Only their owner may."""

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.actions import ActionView, action
from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.creation import answer_made, described_answers, headers_of
from portal.api.errors import InvalidFields, valid
from portal.api.idempotency import check_same, id_of_key, one_after_the_other, remember
from portal.api.pages import CURSOR, Pages
from portal.api.runs.sent import SentResumeSerializer, SentRunChangeSerializer, SentRunSerializer
from portal.api.runs.serializers import RunDetailSerializer, RunPageSerializer, RunSerializer
from portal.endpoint_runs.configuration.base_forms import (
    ConfigurationForms,
    SettingsDocumentForm,
    releases_to_ask,
)
from portal.endpoint_runs.configuration.controls import prepare_controls
from portal.endpoint_runs.configuration.drafts import (
    delete_draft,
    get_run,
    save_draft,
    start_connection_test,
    start_estimate,
)
from portal.endpoint_runs.progress.forms import ResumeForm
from portal.endpoint_runs.services import pause_run, resume_run, start_run, stop_run
from portal.models import EndpointRun, Scope, User
from portal.web.problems import problems

_TAGS = ["Runs"]


class RunsView(TokenView):
    """GET: your own, the newest first. POST: a new draft."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.RUN}

    @extend_schema(
        operation_id="list_runs",
        summary="Your endpoint runs",
        description="The newest first, 50 at a time.",
        tags=_TAGS,
        parameters=[CURSOR],
        responses={200: RunPageSerializer, **problems({400: ["bad_cursor"]})},
    )
    def get(self, request: Request) -> Response:
        own = EndpointRun.objects.owned_by(owner_of(request))
        pages = Pages("runs")
        found: Any = pages.paginate_queryset(
            own.select_related("release", "language_model"), request
        )
        return pages.get_paginated_response(RunSerializer(found, many=True).data)

    @extend_schema(
        operation_id="create_run",
        summary="Configure an endpoint run",
        description="Nothing is sent to the endpoint before it is tested or started. Its estimate "
        "is computed at once, which may take a while.",
        tags=_TAGS,
        parameters=headers_of("run", HTTPStatus.CREATED),
        request=SentRunSerializer,
        responses={
            **described_answers(RunDetailSerializer, HTTPStatus.CREATED),
            **problems(
                {
                    400: ["no_object", "long_key"],
                    422: ["invalid_fields", "idempotency_key_reused"],
                    429: ["too_many_drafts"],
                },
            ),
        },
    )
    def post(self, request: Request) -> Response:
        owner = owner_of(request)
        made = id_of_key(request, "run")
        sent = fields_of(request, SentRunSerializer)
        own = EndpointRun.objects.owned_by(owner).filter(pk__in=[made] if made else [])
        with one_after_the_other(made):
            if first := own.first():
                check_same(first.pk, sent)
                return _created(request, first, HTTPStatus.OK)
            slugs = list(releases_to_ask().values_list("slug", flat=True)[:2])
            release = slugs[0] if len(slugs) == 1 else ""  # the default, if there is only one
            forms = _forms(owner, {"release": release, **sent})
            run = save_draft(forms.configuration, owner=owner, run_id=made)
            remember(owner, made, sent)
        return _created(request, run, HTTPStatus.CREATED)


def _forms(owner: User, document: Mapping[str, Any]) -> ConfigurationForms:
    """The valid forms. Raises ``InvalidFields``."""
    forms = ConfigurationForms(owner, document, SettingsDocumentForm(document, user=owner))
    if not forms.is_valid():
        raise InvalidFields(forms.bound)
    return forms


def _created(request: Request, run: EndpointRun, status: HTTPStatus) -> Response:
    document = _document(owner_of(request), run.pk)
    return answer_made(request, document, reverse("api-run", args=[run.pk]), status)


def _document(owner: User, run_id: UUID) -> dict[str, Any]:
    return dict(RunDetailSerializer(get_run(owner, run_id), context={"user": owner}).data)


class RunView(TokenView):
    """GET: its settings and how far it has come. DELETE: while it is a draft."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "DELETE": Scope.RUN}

    @extend_schema(
        operation_id="get_run",
        summary="One endpoint run",
        description="Its settings; before it starts the estimate and the test of the connection, "
        "then progress, use against the caps, failures, and the score so far, as on its page. "
        "While it runs ask again every few seconds.",
        tags=_TAGS,
        responses=RunDetailSerializer,
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        return Response(_document(owner_of(request), run_id))

    @extend_schema(
        operation_id="delete_run",
        summary="Delete a draft",
        description="With its key. A run that has started stays.",
        tags=_TAGS,
        responses={204: None, **problems({409: ["already_started"]})},
    )
    def delete(self, request: Request, run_id: UUID) -> Response:
        delete_draft(get_run(owner_of(request), run_id))
        return Response(status=HTTPStatus.NO_CONTENT)


_action = partial(action, tag="Runs", answer=RunDetailSerializer)


class _RunActionView(ActionView[EndpointRun]):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.RUN}

    def find(self, user: User, record_id: UUID) -> EndpointRun:
        return get_run(user, record_id)

    def document(self, user: User, record_id: UUID) -> dict[str, Any]:
        return _document(user, record_id)


@_action(
    "configure_run",
    "Change a draft",
    "What is not sent stays as it is, of `settings` each by its name. With another host the stored "
    "key is deleted: send it again.",
    SentRunChangeSerializer,
    conflicts=["already_started"],
)
class ConfigureView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        known = {
            "language_model": run.language_model.slug,
            "release": run.release.slug,
            "method": run.method,
            "note": run.note,
            "same_questions_as": run.same_questions_as_id and str(run.same_questions_as_id),
        }
        changed = fields.get("settings", {})
        settings = {**run.settings, **changed} if isinstance(changed, dict) else changed
        forms = _forms(owner, {**known, **fields, "settings": settings})
        save_draft(forms.configuration, owner=owner, run=run)


@_action(
    "test_connection",
    "Test the connection of a draft",
    "A worker asks the endpoint a few questions: its report is in `connection` some seconds to "
    "five minutes later.",
    refusals={429: ["too_many_tests"]},
    conflicts=["already_started", "under_test"],
)
class TestConnectionView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        start_connection_test(run)


@_action(
    "estimate_run",
    "Estimate a draft",
    "Again, where the estimate has failed or its message was lost.",
    conflicts=["already_started"],
)
class EstimateView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        start_estimate(run)


@_action(
    "start_run",
    "Start a run",
    "It asks the endpoint all questions, which costs you what the endpoint charges, until it is "
    "done or a cap is reached. Then its answers become a private submission.",
    refusals={429: ["too_many_runs", "too_many_runs_today", "quota"]},
    conflicts=[
        "wrong_state",
        "release_closed",
        "hidden_evidence",
        "no_questions",
        "key_deleted",
        "settings",
    ],
)
class StartView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        start_run(run, owner)


@_action(
    "prepare_controls",
    "Prepare the controls of a run",
    "Drafts that ask the same questions without their texts, and with nothing but the evidence, as "
    "far as there are none yet: see `controls`. Nothing is sent until they are started, each with "
    "its key.",
    refusals={429: ["too_many_drafts"]},
    conflicts=["wrong_state", "no_controls"],
)
class ControlsView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        prepare_controls(run, owner)


@_action(
    "pause_run",
    "Pause a run",
    "What is in flight is still answered, and kept.",
    conflicts=["wrong_state"],
)
class PauseView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        pause_run(run, owner)


@_action(
    "resume_run",
    "Resume a run",
    "With another key or concurrency, if they are sent. What was answered is not asked again; what "
    "has failed is.",
    SentResumeSerializer,
    refusals={429: ["too_many_runs"]},
    conflicts=["wrong_state", "key_deleted", "settings"],
)
class ResumeView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        form = ResumeForm(fields)
        form.describe_key(run, same=True)
        values = valid(form).cleaned_data
        resume_run(run, owner, key=values["key"] or None, concurrency=values["concurrency"])


@_action(
    "stop_run",
    "Stop a run",
    "For good. What was answered by then becomes a submission.",
    conflicts=["wrong_state"],
)
class StopView(_RunActionView):
    def act(self, run: EndpointRun, owner: User, fields: dict[str, Any]) -> None:
        stop_run(run, owner)
