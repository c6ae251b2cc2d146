"""The API's answer for an entry that is no longer public."""

from http import HTTPStatus

from rest_framework.exceptions import APIException


class Gone(APIException):
    """It was public once."""

    status_code = HTTPStatus.GONE
    default_detail = "This entry was withdrawn or hidden."
    default_code = "entry_gone"
