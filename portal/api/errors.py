"""Errors as problem documents (RFC 9457): a sentence, and a code that stays the same when the
sentence is reworded."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from math import ceil
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    ObjectDoesNotExist,
    PermissionDenied,
    SuspiciousOperation,
    ValidationError,
)
from django.forms import BaseForm, Field
from django.http import Http404
from django.urls import reverse
from django.utils.timezone import now
from rest_framework.exceptions import (
    APIException,
    MethodNotAllowed,
    NotAcceptable,
    NotAuthenticated,
    NotFound,
    ParseError,
    Throttled,
    UnsupportedMediaType,
)
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from portal.errors import NotAllowedError, QuotaError, StateError, UserError
from portal.submissions.files.uploads import RETRY_AFTER_SECONDS, Refusal, RefusedUploadError
from portal.submissions.submit.page import QUEUE_RETRY_AFTER_SECONDS
from portal.submissions.submit.views import REFUSED_UPLOADS
from portal.web.problems import PROBLEM, problem_document
from portal.web.throttle import TooManyRequestsError, seconds_until_next_window

MULTIPART = "multipart/form-data"
_Form = TypeVar("_Form", bound=BaseForm)

_SENTENCES: Mapping[type[APIException], str] = {  # where the framework's own say too little
    NotFound: "There is nothing at this address, or nothing that you may see.",
    Forbidden: "You do not have permission to do this.",
    ParseError: "The request cannot be read: its text has to be UTF-8 without NUL characters, and "
    "its body complete.",
}
_MOST_CHOICES = 30  # that an error message lists


class Refused(APIException):
    """A refusal by a service or of an upload, with the same code as on the pages."""

    def __init__(
        self, status: int, detail: str, code: str, retry_after: float | None = None
    ) -> None:
        super().__init__(detail, code)
        self.status_code = status
        if retry_after is not None:
            self.wait = max(1, ceil(retry_after))  # the handler's name for Retry-After


class FieldError(NamedTuple):
    field: str | None  # None: several fields do not fit together
    code: str
    detail: str


class InvalidFields(APIException):
    """Lists what is wrong in each field of forms, or of the body itself."""

    status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    default_detail = "Some fields are missing or wrong."
    default_code = "invalid_fields"

    def __init__(
        self, forms: Iterable[BaseForm] = (), *, errors: Iterable[FieldError] = ()
    ) -> None:
        super().__init__()
        self.errors = [*errors, *_errors_in(forms)]


def _errors_in(forms: Iterable[BaseForm]) -> Iterator[FieldError]:
    for form in forms:
        for name, errors in form.errors.as_data().items():
            field = form.add_prefix(name) if name != "__all__" else None
            for error in errors:
                choices = _choices(form.fields.get(name), error)
                for message in [choices] if choices else error.messages:
                    yield FieldError(field, error.code or "invalid", message)


def _choices(field: Field | None, error: ValidationError) -> str:
    """The possible choices, which a page shows in a menu but a client must be told. The value sent
    is not repeated: it may be long, or unfit for a terminal. Empty if the field has an error
    message of its own."""
    standard = getattr(field, "default_error_messages", {}).get("invalid_choice")
    if error.code != "invalid_choice" or str(error.message) != str(standard):
        return ""
    values = [str(value) for value, _title in getattr(field, "choices", ()) if str(value)]
    if not 0 < len(values) <= _MOST_CHOICES:
        return "There is no such choice."
    return "Choose one of: {choices}.".format(choices=", ".join(values))


@contextmanager
def errors_of_fields(fields: Mapping[str, str]) -> Iterator[None]:
    """Turn a service's refusal of a field's value into an error of that field, as if its form had
    found it. ``fields``: by the code of the refusal."""
    try:
        yield
    except StateError as error:
        if error.code not in fields:
            raise
        raise InvalidFields(
            errors=[FieldError(fields[error.code], error.code, str(error))]
        ) from error


def valid(form: _Form) -> _Form:
    """The form. Raises ``InvalidFields``."""
    if not form.is_valid():
        raise InvalidFields([form])
    return form


def answer_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """The framework's ``EXCEPTION_HANDLER``. None: a failure of our own, which Django answers."""
    known = error if isinstance(error, APIException) else _as_api_exception(error)
    response = exception_handler(known, context) if known else None
    if known is None or response is None:
        return None
    detail = _sentence(known, context["view"])
    response.data = problem_document(response.status_code, str(known.get_codes()), detail)
    if isinstance(known, InvalidFields):
        response.data["errors"] = [one._asdict() for one in known.errors]
    response.content_type = PROBLEM
    return response


def _sentence(error: APIException, view: APIView) -> str:
    """A sentence of ours, also for the framework's own errors, which says what to do about it."""
    match error:
        case NotAuthenticated():
            tokens = f"{settings.SITE_URL}{reverse('tokens')}"
            sentence = (
                "This needs a token, sent as “Authorization: Bearer TOKEN”. You can make one on "
                f"your profile: {tokens}"
            )
        case MethodNotAllowed():
            sentence = f"This address takes {', '.join(view.allowed_methods)}."
        case NotAcceptable():
            sentence = "Answers are in application/json, which Accept has to allow."
        case UnsupportedMediaType():
            taken = [parser.media_type for parser in view.parser_classes] or [MULTIPART]
            sentence = f"Send the body as {' or '.join(taken)}, and say so in Content-Type."
        case Throttled():
            wait = max(1, ceil(getattr(error, "wait", None) or 0))
            unit = "second" if wait == 1 else "seconds"
            sentence = f"Too many requests. Ask again in {wait} {unit}."
        case _ if error.detail == error.default_detail:
            sentence = _SENTENCES.get(type(error), str(error.detail))
        case _:
            sentence = str(error.detail)
    return sentence


def _as_api_exception(error: Exception) -> APIException | None:
    found: APIException | None = None
    match error:
        case TooManyRequestsError():
            found = Throttled(seconds_until_next_window())
        case Http404() | ObjectDoesNotExist():  # deleted meanwhile
            found = NotFound()
        case PermissionDenied():
            found = Forbidden()
        case BadRequest() | SuspiciousOperation():
            found = ParseError()
        case RefusedUploadError():
            found = _refused_upload(error.reason)
        case QuotaError():
            opens = error.opens
            wait = (opens - now()).total_seconds() if opens else QUEUE_RETRY_AFTER_SECONDS
            found = Refused(HTTPStatus.TOO_MANY_REQUESTS, str(error), error.code, wait)
        case NotAllowedError():
            found = Refused(HTTPStatus.FORBIDDEN, str(error), error.code)
        case UserError():
            found = Refused(HTTPStatus.CONFLICT, str(error), error.code)
    return found


def _refused_upload(reason: Refusal) -> Refused:
    answer = REFUSED_UPLOADS[reason]
    wait = RETRY_AFTER_SECONDS if reason is Refusal.BUSY else None
    detail = f"{answer.title}. {answer.fix}"
    if reason is Refusal.UNREADABLE:  # the page's advice, to reload it, would not help here
        detail = (
            "The upload could not be read. It has to be multipart/form-data with the boundary that "
            "its Content-Type names: each file in a part called “predictions”, with a file name, "
            "each field in a part of its own."
        )
    return Refused(answer.status, detail, reason.value.replace(" ", "_"), wait)
