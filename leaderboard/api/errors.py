"""Errors as JSON: a sentence, and a code that stays when the sentence is reworded."""

from http import HTTPStatus
from typing import Any

from rest_framework.exceptions import APIException, Throttled
from rest_framework.response import Response
from rest_framework.views import exception_handler

from portal.web.throttle import TooManyRequestsError, seconds_until_next_window


class Gone(APIException):
    """What was asked for was public once."""

    status_code = HTTPStatus.GONE
    default_detail = "An entry was withdrawn or hidden."
    default_code = "entry_gone"


def answer_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """For ``EXCEPTION_HANDLER``. None: a failure of our own, which Django answers."""
    if isinstance(error, TooManyRequestsError):
        error = Throttled(seconds_until_next_window())
    response = exception_handler(error, context)
    if response is not None and isinstance(error, APIException):
        response.data = {"detail": str(error.detail), "code": error.get_codes()}
    return response
