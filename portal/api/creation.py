"""What addresses that create something have in common: their headers and responses."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from portal.api.idempotency import IS_REPLAYED, REPLAYED, key_parameter


def headers_of(made: str, status: int) -> list[OpenApiParameter]:
    """The headers of the request and of its responses. ``made``: what is created, in a word."""
    location = OpenApiParameter(
        "Location",
        location=OpenApiParameter.HEADER,
        response=[HTTPStatus.OK, status],
        description=f"The address of the {made}.",
    )
    return [key_parameter(made), IS_REPLAYED, location]


def described_answers(
    record: type[BaseSerializer[Any]], status: int
) -> Mapping[int, type[BaseSerializer[Any]] | OpenApiResponse]:
    again = OpenApiResponse(record, description="An earlier request with this key has made it.")
    return {int(status): record, int(HTTPStatus.OK): again}


def answer_made(
    request: Request, document: Mapping[str, Any], path: str, status: HTTPStatus
) -> Response:
    """``path``: of what was created. ``status`` 200: the request was sent again with its key."""
    response = Response(document, status)
    response["Location"] = request.build_absolute_uri(path)
    if status == HTTPStatus.OK:
        response[REPLAYED] = "true"
    return response
