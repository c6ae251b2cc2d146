"""Parsing of bodies as JSON, with our own error message."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

JSON = "application/json"


class JsonParser(JSONParser):
    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - as in the framework
        """Raises ``ParseError``, which says where but quotes nothing: the body may have a
        secret."""
        try:
            return super().parse(stream, media_type, parser_context)
        except ParseError as error:
            cause = error.__context__
            line, column = (getattr(cause, name, None) for name in ("lineno", "colno"))
            place = f": see line {line}, column {column}" if line else ""
            raise ParseError(f"The body is not JSON in UTF-8{place}.") from cause
