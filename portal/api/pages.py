"""Pagination of long lists."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

_NO_CURSOR = "cursor is from next or previous of an answer."
CURSOR = OpenApiParameter("cursor", description="From `next` or `previous` of an answer.")


class Pages(CursorPagination):
    """``name``: of the list in the response."""

    def __init__(
        self, name: str, *, ordering: Sequence[str] = ("-created", "pk"), page_size: int = 50
    ) -> None:
        super().__init__()
        self.name, self.ordering, self.page_size = name, tuple(ordering), page_size

    def get_paginated_response(self, data: Any) -> Response:  # noqa: ANN401 - as in the framework
        links = {"next": self.get_next_link(), "previous": self.get_previous_link()}
        return Response({**links, self.name: data})

    def paginate_queryset(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - likewise
        """Raises ``ParseError`` for a cursor that is not from a response."""
        try:
            return super().paginate_queryset(*args, **kwargs)
        except (NotFound, ValidationError) as error:  # the latter for a position that is not a time
            raise ParseError(_NO_CURSOR, "bad_cursor") from error

    def decode_cursor(self, request: Request) -> Any:  # noqa: ANN401 - likewise
        cursor = super().decode_cursor(request)
        if cursor and ("\0" in str(cursor.position) or not (cursor.position or cursor.offset)):
            raise ParseError(_NO_CURSOR, "bad_cursor")
        return cursor
