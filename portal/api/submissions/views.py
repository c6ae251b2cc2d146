"""Submissions: create, list, follow, answer, request publication, withdraw, delete."""

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from django.forms.models import model_to_dict
from django.http import Http404, QueryDict
from django.urls import reverse
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)
from rest_framework.parsers import FormParser, JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.actions import ActionView, action, conflicts_of
from portal.api.authentication import TokenView, django_request, owner_of, submission_of
from portal.api.bodies import Fields, check_names, fields_of
from portal.api.errors import FieldError, InvalidFields, Refused, valid
from portal.api.idempotency import (
    IS_REPLAYED,
    REPLAYED,
    check_same,
    id_of_key,
    key_parameter,
    one_after_the_other,
    remember,
)
from portal.api.pages import CURSOR, Pages
from portal.api.submissions.sent import (
    SentReasonSerializer,
    SentReplySerializer,
    SentRequestSerializer,
    SentScheduleSerializer,
    SentSettingsSerializer,
    SentSourceSerializer,
    SentSubmissionSerializer,
)
from portal.api.submissions.serializers import (
    QuestionAnswerSerializer,
    SubmissionDetailSerializer,
    SubmissionPageSerializer,
    SubmissionSerializer,
)
from portal.evaluations.sandbox import may_score, sandbox
from portal.hub.forms import HubSubmitForms
from portal.hub.services import cancel_fetch, is_known, request_fetch, submission_to_come
from portal.models import Action, LanguageModel, Release, Scope, Submission, User
from portal.permissions.access import acts_for, get_fetch, get_submission
from portal.review.forms import ReasonForm, ReplyForm, RequestForm, ScheduleForm
from portal.review.schedule import reschedule, schedule_of
from portal.review.services import (
    cancel_request,
    reply_to_reviewer,
    request_publication,
    withdraw_submission,
)
from portal.submissions.detail_page import current_evaluation
from portal.submissions.forms import FILE_TASK, AnswerForm, SettingsForm, SubmitForms
from portal.submissions.model_choice import NEW
from portal.submissions.originals import Upload
from portal.submissions.quotas import quota_of
from portal.submissions.services import (
    answer_question,
    delete_submission,
    edit_settings,
    fixed_settings,
    score_again,
    submit_predictions,
    try_again,
)
from portal.submissions.uploads import (
    FORM_ROOM,
    Incoming,
    check_length,
    check_room,
    receive,
)
from portal.web.middleware import refuse_broken_form
from portal.web.problems import problems

_TAGS = ["Submissions"]
_LOCATION = OpenApiParameter(
    "Location",
    location=OpenApiParameter.HEADER,
    response=[200, 201, 202],
    description="The address of the submission.",
)


# What may have changed while files were on their way.
_WHILE_SUBMITTED = ["release_closed", "not_own", "out_of_date", "model_deleted", "not_in_team"]
_OF_THE_SCHEDULE = [
    "publish_on_past", "publish_on_too_late", "publish_on_siblings", "anonymous_until_past",
    "anonymous_until_too_late", "anonymous_until_early", "anonymous_until_known",
    "anonymous_until_siblings", "anonymous_until_pending", "anonymous_until_others",
]  # fmt: skip


class SubmissionsView(TokenView):
    """GET: your own, the newest first. POST: submit prediction files, as multipart/form-data with
    the fields of the page."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.SUBMIT}

    @extend_schema(
        operation_id="list_submissions",
        summary="Your submissions",
        description="The newest first, 50 at a time.",
        tags=_TAGS,
        parameters=[CURSOR],
        responses={200: SubmissionPageSerializer, **problems({400: ["bad_cursor"]})},
    )
    def get(self, request: Request) -> Response:
        own = Submission.objects.shared_with(owner_of(request))
        pages = Pages("submissions")
        found: Any = pages.paginate_queryset(
            own.select_related("release", "team", "language_model__stands_for"), request
        )
        revealed: Any = [submission.reveal() for submission in found]
        return pages.get_paginated_response(SubmissionSerializer(revealed, many=True).data)

    @extend_schema(
        operation_id="submit_predictions",
        summary="Submit prediction files",
        description="Scoring begins at once and takes seconds: follow `evaluation.state` of the "
        "submission. It stays private until you request publication and a reviewer agrees.",
        tags=_TAGS,
        parameters=[key_parameter("submission"), IS_REPLAYED, _LOCATION],
        request={"multipart/form-data": SentSubmissionSerializer},
        responses={
            201: SubmissionDetailSerializer,
            200: OpenApiResponse(
                SubmissionDetailSerializer, description="It was made before, with this key."
            ),
            **problems(
                {
                    400: ["cut", "unreadable", "long_key"],
                    409: [*_WHILE_SUBMITTED, "deleted", "files_gone", "too_large_with_kept"],
                    411: ["no_length"],
                    413: ["too_large", "too_many_files"],
                    422: ["invalid_fields", "idempotency_key_reused"],
                    429: ["quota", "queue_full"],
                    503: ["no_sandbox", "busy"],
                    507: ["no_room"],
                }
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Every reason to refuse an upload is checked before its body is read, but for the quota of
        a team, which the body names."""
        owner = owner_of(request)
        if not may_score():
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, sandbox().reason, "no_sandbox")
        made = id_of_key(request, "submission")
        plain = django_request(request)  # its body goes through our own upload handlers
        check_length(plain)
        own = Submission.objects.filter(owner=owner, pk__in=[made] if made else [])
        files = max(0, int(plain.META["CONTENT_LENGTH"]) - FORM_ROOM)
        # In this order: a first request that was stored meanwhile has been counted.
        if not own.exists() and (refusal := quota_of(owner).refusal(files)) and not own.exists():
            raise refusal
        check_room(plain)
        with receive(plain) as incoming:
            refuse_broken_form(plain)
            _check_names(plain.POST, incoming)
            sent = [dict(plain.POST.lists()), incoming.digests()] if made else None
            with one_after_the_other(made):
                if first := own.first():
                    check_same(first.pk, sent)
                    return _created(request, first.pk, HTTPStatus.OK)
                submission = _submit(owner, plain.POST, incoming, made)
                remember(owner, made, sent)
        return _created(request, submission.pk, HTTPStatus.CREATED)


class FromHubView(TokenView):
    """POST: have prediction files fetched from the Hub, with the fields of the page."""

    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.SUBMIT}
    parser_classes = (JSONParser, FormParser, MultiPartParser)

    @extend_schema(
        operation_id="submit_from_hub",
        summary="Submit from the Hub",
        description="A worker fetches the files of a model, dataset or Space, and submits them: "
        "follow `fetch.state` of the submission, then `evaluation.state`. The revision is resolved "
        "to a commit, which stays with the submission. Broken connections and answers 429 of the "
        "Hub are tried again.",
        tags=_TAGS,
        parameters=[key_parameter("submission"), IS_REPLAYED, _LOCATION],
        request=SentSourceSerializer,
        responses={
            202: SubmissionDetailSerializer,
            200: OpenApiResponse(
                SubmissionDetailSerializer, description="It was asked for before, with this key."
            ),
            **problems(
                {
                    400: ["no_object", "long_key"],
                    409: _WHILE_SUBMITTED,
                    422: ["invalid_fields", "idempotency_key_reused"],
                    429: ["quota", "queue_full", "too_many_fetches", "fetch_quota"],
                    503: ["no_sandbox"],
                }
            ),
        },
    )
    def post(self, request: Request) -> Response:
        owner = owner_of(request)
        if not may_score():
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, sandbox().reason, "no_sandbox")
        made = id_of_key(request, "submission")
        sent = _as_sent(request, SentSourceSerializer)
        with one_after_the_other(made):
            if made and is_known(owner, made):
                check_same(made, dict(sent.lists()))
                return _created(request, made, HTTPStatus.OK)
            forms = HubSubmitForms(owner, _as_form(owner, sent))
            _check_forms(forms, sent)
            fetch = request_fetch(
                forms.source,
                owner=owner,
                team=forms.form.cleaned_data["team"],
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
        return _created(request, fetch.pk, HTTPStatus.ACCEPTED)


def _check_names(sent: QueryDict, incoming: Incoming) -> None:
    """Raises ``InvalidFields``. The key of the request takes the place of the page's own."""
    of_page = {"submission", *(name for name in sent if name.startswith(FILE_TASK))}
    check_names({*sent, *incoming.fields} - of_page, SentSubmissionSerializer)


def _as_sent(request: Request, sends: Fields) -> QueryDict:
    """Fields of a JSON object as a form would have them. Raises what ``fields_of`` raises."""
    fields = fields_of(request, sends)
    if isinstance(request.data, QueryDict):
        return request.data
    sent = QueryDict(mutable=True)
    for name, value in fields.items():
        sent.setlist(
            name, [_as_text(one) for one in (value if isinstance(value, list) else [value])]
        )
    return sent


def _as_text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "on" if value else ""
    return str(value)


def _submit(
    owner: User, sent: QueryDict, incoming: Incoming, submission_id: UUID | None
) -> Submission:
    """Raises ``InvalidFields`` and what ``submit_predictions`` raises."""
    forms = SubmitForms(owner, _as_form(owner, sent), sent=len(incoming.files))
    _check_forms(forms, sent)
    upload = None
    if incoming.files:
        content, name = incoming.as_one_file()
        upload = Upload(content, name, forms.form.cleaned_data["task"], forms.form.file_tasks)
    return submit_predictions(
        owner=owner,
        team=forms.form.cleaned_data["team"],
        language_model=forms.language_model,
        release=forms.form.cleaned_data["release"],
        settings=forms.form.settings,
        upload=upload,
        kept=forms.form.kept,
        submission_id=submission_id,
        previous=forms.previous,
    )


def _check_forms(forms: SubmitForms, sent: QueryDict) -> None:
    """Raises ``InvalidFields``, also where the earlier version is not what a program takes it for:
    the page has just shown it, and only leaves out what is gone since."""
    if not forms.is_valid():
        raise InvalidFields(form for form in (forms.form, forms.model_form) if form.is_bound)
    if sent.get("previous") and forms.previous is None:
        detail = "You have no such submission of this language model."
        raise InvalidFields(errors=[FieldError("previous", "unknown_submission", detail)])
    held = [one.value for one, _ in forms.form.keepable]
    unknown = sorted(set(sent.getlist("keep")) - set(held))
    if unknown:
        has = f"It has: {', '.join(held)}." if held else "Name it as `previous`."
        detail = f"The previous submission has no {', '.join(unknown)}. {has}"
        raise InvalidFields(errors=[FieldError("keep", "not_held", detail)])


def _as_form(owner: User, sent: QueryDict) -> QueryDict:
    """As the page's form names things: releases and language models by their numbers, where a
    program has their names in addresses."""
    form = sent.copy()
    form.pop("submission", None)  # the key of the request takes its place
    offered = Release.objects.open_for_submissions()
    numbers = dict(offered.order_by().values_list("slug", "pk"))
    if slug := sent.get("release"):
        form["release"] = str(numbers.get(slug, slug if slug.isdecimal() else 0))
    elif len(numbers) == 1:
        [form["release"]] = map(str, numbers.values())
    model = sent.get("language_model", "")
    if model and model != NEW:
        known = LanguageModel.objects.offered_to(owner).filter(slug=model)
        form["language_model"] = str(known.values_list("pk", flat=True).first() or "")
    form.setdefault("truncation", Submission.Truncation.UNKNOWN)
    return form


def _created(request: Request, submission_id: UUID, status: HTTPStatus) -> Response:
    """200: to a request that was sent again under its key."""
    response = Response(_document(owner_of(request), submission_id), status)
    response["Location"] = request.build_absolute_uri(
        reverse("api-submission", args=[submission_id])
    )
    if status == HTTPStatus.OK:
        response[REPLAYED] = "true"
    return response


def _document(user: User, submission_id: UUID) -> dict[str, Any]:
    """Raises ``Http404``."""
    try:
        submission = get_submission(user, submission_id)
    except Http404:
        submission = submission_to_come(get_fetch(user, submission_id))
    return dict(SubmissionDetailSerializer(submission, context={"user": user}).data)


class SubmissionView(TokenView):
    """GET: its state and what was found. DELETE: as on its page."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "DELETE": Scope.SUBMIT}

    @extend_schema(
        operation_id="get_submission",
        summary="One submission",
        description="Its settings and state, its newest scoring with all problems found in the "
        "files, the question that has to be answered, what a reviewer asks or gives as a reason, "
        "and what you may do now. While it is queued or running ask again every second. Those of "
        "others need the scope `review` as well.",
        tags=_TAGS,
        responses=SubmissionDetailSerializer,
    )
    def get(self, request: Request, submission_id: UUID) -> Response:
        try:
            submission_of(request, submission_id)
        except Http404:  # unless it is one that its files have yet to arrive for
            get_fetch(owner_of(request), submission_id)
        return Response(_document(owner_of(request), submission_id))

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
            delete_submission(_own(user, submission_id), by=user)
        except Http404:
            cancel_fetch(get_fetch(user, submission_id))
        return Response(status=HTTPStatus.NO_CONTENT)


_action = partial(
    action,
    tag="Submissions",
    answer=SubmissionDetailSerializer,
    refusals={403: ["not_allowed"]},
)


class _ActionView(ActionView[Submission]):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.SUBMIT}

    def find(self, user: User, record_id: UUID) -> Submission:
        return _own(user, record_id)

    def document(self, user: User, record_id: UUID) -> dict[str, Any]:
        return _document(user, record_id)


def _own(user: User, submission_id: UUID) -> Submission:
    """What a token may act on, also that of a reviewer or an admin. Raises ``Http404``."""
    submission = get_submission(user, submission_id)
    if not acts_for(user, submission):
        raise Http404
    return submission


@_action(
    "answer_question",
    "Answer the question",
    "What has to be known before the files can be scored: one of the `answers` of the question.",
    QuestionAnswerSerializer,
    conflicts=[*conflicts_of(Action.ANSWER), "release_closed"],
)
class AnswerView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        answer = valid(AnswerForm(fields)).answer
        answer_question(current_evaluation(submission), by=user, **answer)


@_action(
    "try_again",
    "Try again",
    "A scoring that failed through a fault of the site.",
    conflicts=conflicts_of(Action.TRY_AGAIN),
    refusals={403: ["not_allowed"], 429: ["quota", "queue_full"]},
)
class TryAgainView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        try_again(current_evaluation(submission), by=user)


@_action(
    "score_again",
    "Score again",
    "With the scorer as it is now, until it is withdrawn. It counts like an upload. The scores "
    "that count stay until there are new ones.",
    conflicts=conflicts_of(Action.SCORE_AGAIN),
    refusals={403: ["not_allowed"], 429: ["quota", "queue_full"]},
)
class ScoreAgainView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        score_again(submission, by=user)


@_action(
    "edit_settings",
    "Correct the settings",
    "While it is private or rejected. What is not sent stays as it is; so do the settings of a run "
    "of this site.",
    SentSettingsSerializer,
    conflicts=[*conflicts_of(Action.EDIT_SETTINGS), "fixed_by_run"],
    refusals={403: ["not_allowed"], 429: ["too_many_edits"]},
)
class EditView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        stated = model_to_dict(submission, fields=SettingsForm.Meta.fields)
        form = SettingsForm({**stated, **fields}, instance=submission)
        form.fix(fixed_settings(submission))
        edit_settings(submission, valid(form).editable_settings, by=user)


@_action(
    "request_publication",
    "Request publication",
    "A reviewer looks at it and publishes it or says what is missing. Settings that are sent are "
    "corrected first.",
    SentRequestSerializer,
    conflicts=[
        *conflicts_of(Action.REQUEST_PUBLICATION),
        "settings_missing",
        "fixed_by_run",
        *_OF_THE_SCHEDULE,
    ],
    refusals={403: ["not_allowed"], 429: ["too_many_edits"]},
)
class RequestView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        """Settings that are not sent stay as they are."""
        stated = model_to_dict(submission, fields=RequestForm.Meta.fields)
        stated |= schedule_of(submission)._asdict()
        form = valid(RequestForm({**stated, **fields}, instance=submission))
        request_publication(
            submission,
            by=user,
            settings=form.editable_settings,
            unknown_confirmed=form.cleaned_data["unknown_confirmed"],
            schedule=form.schedule,
        )


@_action(
    "change_schedule",
    "Change when it is public",
    "While it waits for review, is sealed, or is anonymous. What is not sent stays as it is; null: "
    "at once.",
    SentScheduleSerializer,
    conflicts=[*conflicts_of(Action.RESCHEDULE), *_OF_THE_SCHEDULE],
)
class ScheduleView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        given = {**schedule_of(submission)._asdict(), **fields}
        form = valid(ScheduleForm(given, submission=submission, needs_reason=False))
        reschedule(submission, form.schedule, by=user)


@_action(
    "cancel_request",
    "Cancel the request",
    "It is private again.",
    conflicts=conflicts_of(Action.CANCEL_REQUEST),
)
class CancelRequestView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        cancel_request(submission, by=user)


@_action(
    "reply_to_reviewer",
    "Reply to a reviewer",
    "The answer to a reviewer's question.",
    SentReplySerializer,
    conflicts=conflicts_of(Action.REPLY),
)
class ReplyView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        reply = valid(ReplyForm(fields)).cleaned_data["reply"]
        reply_to_reviewer(submission, by=user, reason=reply)


@_action(
    "withdraw_submission",
    "Withdraw a submission",
    "For ever. A published entry leaves a note that it was withdrawn.",
    SentReasonSerializer,
    conflicts=conflicts_of(Action.WITHDRAW),
)
class WithdrawView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        reason = valid(ReasonForm(fields, needed=False)).cleaned_data["reason"]
        withdraw_submission(submission, by=user, reason=reason)
