"""What is done to a submission: answer, try again, correct, request publication, withdraw."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.forms.models import model_to_dict
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import Fields, fields_of
from portal.api.errors import FieldError, InvalidFields, errors_of_fields, valid
from portal.api.submissions.documents import conflicts_of, submission_document
from portal.api.submissions.questions import QuestionAnswerSerializer
from portal.api.submissions.sent import (
    SentReasonSerializer,
    SentReplySerializer,
    SentRequestSerializer,
    SentScheduleSerializer,
    SentSettingsSerializer,
)
from portal.api.submissions.serializers import SubmissionDetailSerializer
from portal.models import Action, Scope, Submission, User
from portal.permissions.access import get_own_submission
from portal.review.forms import ReasonForm, ReplyForm, RequestForm, ScheduleForm
from portal.review.schedule import reschedule
from portal.review.services import (
    cancel_request,
    reply_to_reviewer,
    request_publication,
    withdraw_submission,
)
from portal.submissions.pages.detail import current_evaluation
from portal.submissions.services import (
    answer_question,
    edit_settings,
    fixed_settings,
    score_again,
    try_again,
)
from portal.submissions.submit.forms import AnswerForm, SettingsForm
from portal.web.problems import problems

# The field of each error code.
_OF_THE_DAY = {"publish_on_past": "publish_on", "publish_on_too_late": "publish_on"}
_OF_A_REQUEST = {**_OF_THE_DAY, "settings_missing": "unknown_confirmed"}


class _ActionView(TokenView, ABC):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.SUBMIT}
    sends: ClassVar[Fields | None] = None  # set by ``_action``

    def post(self, request: Request, submission_id: UUID) -> Response:
        user = owner_of(request)
        submission = get_own_submission(user, submission_id)
        self.act(submission, user, fields_of(request, self.sends))
        return Response(submission_document(user, submission_id))

    @abstractmethod
    def act(self, submission: Submission, user: User, fields: dict[str, Any], /) -> None: ...


def _action(
    operation_id: str,
    summary: str,
    description: str,
    request: Fields | None = None,
    *,
    conflicts: Sequence[str],
    refusals: Mapping[int, Sequence[str]] | None = None,
    of_fields: Sequence[str] = (),
) -> Any:  # noqa: ANN401 - a decorator of classes
    """Describes an ``_ActionView``, and sets the fields that it takes.

    ``request``: the fields of the body; None: none. ``conflicts``: its codes of 409. ``refusals``:
    its codes of other statuses, besides those that all actions have. ``of_fields``: its own codes
    of single fields.
    """
    known: dict[int, Sequence[str]] = {
        400: ["no_object"],
        403: ["not_allowed"],
        409: conflicts,
        422: ["invalid_fields"],
        **(refusals or {}),
    }
    describe = extend_schema_view(
        post=extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            tags=["Submissions"],
            request=request,
            responses={
                200: SubmissionDetailSerializer,
                **problems(known, of_fields=of_fields),
            },
        )
    )

    def decorate(view: type[_ActionView]) -> Any:  # noqa: ANN401 - as it is described
        view.sends = request
        return describe(view)

    return decorate


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
    refusals={429: ["quota", "queue_full"]},
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
    refusals={429: ["quota", "queue_full"]},
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
    conflicts=conflicts_of(Action.EDIT_SETTINGS),
    refusals={429: ["too_many_edits"]},
    of_fields=["fixed_by_run"],
)
class EditView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        stated = model_to_dict(submission, fields=SettingsForm.Meta.fields)
        _check_fixed(submission, stated, fields)
        form = SettingsForm({**stated, **fields}, instance=submission)
        form.fix(fixed_settings(submission))
        edit_settings(submission, valid(form).editable_settings, by=user)


def _check_fixed(
    submission: Submission, stated: Mapping[str, Any], fields: Mapping[str, Any]
) -> None:
    """The page does not offer the settings of a run of this site; a client must not believe it has
    changed them. Raises ``InvalidFields``."""
    detail = "This site has asked with this setting: it cannot be changed."
    wrong = [
        FieldError(name, "fixed_by_run", detail)
        for name in sorted(fixed_settings(submission) & set(fields))
        if str(fields[name] or "") != str(stated[name] or "")
    ]
    if wrong:
        raise InvalidFields(errors=wrong)


@_action(
    "request_publication",
    "Request publication",
    "A reviewer looks at it and publishes it or says what is missing. Settings that are sent are "
    "corrected first.",
    SentRequestSerializer,
    conflicts=conflicts_of(Action.REQUEST_PUBLICATION),
    refusals={429: ["too_many_edits"]},
    of_fields=[*_OF_A_REQUEST, "fixed_by_run"],
)
class RequestView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        """Settings that are not sent stay as they are."""
        stated = model_to_dict(submission, fields=RequestForm.Meta.fields)
        _check_fixed(submission, stated, fields)
        stated |= {
            "by_maker": bool(submission.by_maker),
            "publish_on": submission.publish_on,
            "show_account": submission.show_account,
        }
        form = valid(RequestForm({**stated, **fields}, instance=submission))
        with errors_of_fields(_OF_A_REQUEST):
            request_publication(
                submission,
                by=user,
                settings=form.editable_settings,
                unknown_confirmed=form.cleaned_data.get("unknown_confirmed", False),
                by_maker=form.cleaned_data["by_maker"],
                publish_on=form.cleaned_data["publish_on"],
                show_account=form.cleaned_data["show_account"],
            )


@_action(
    "change_schedule",
    "Change when it is public",
    "While it is in review or scheduled.",
    SentScheduleSerializer,
    conflicts=conflicts_of(Action.RESCHEDULE),
    of_fields=[*_OF_THE_DAY],
)
class ScheduleView(_ActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        given = {"publish_on": submission.publish_on, **fields}
        form = valid(ScheduleForm(given, submission=submission, needs_reason=False))
        with errors_of_fields(_OF_THE_DAY):
            reschedule(submission, form.cleaned_data["publish_on"], by=user)


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
