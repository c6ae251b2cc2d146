"""The description of the API in OpenAPI 3.1, made from the views.

A view describes what it takes and answers with ``extend_schema``, and its own errors with
``problems``. What all have in common is added here: tokens and their scopes, errors, headers.
"""

import json
from functools import cache
from http import HTTPStatus
from threading import Lock
from typing import Any

from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from portal.api.authentication import TokenAuthentication, TokenView
from portal.web.problems import PROBLEM, InvalidFieldsSerializer, ProblemSerializer, problem_schema
from portal.web.public_api import PublicView, conditional

Document = dict[str, Any]

DESCRIPTION = """\
Every number on the leaderboards, and with a token your submissions. Means and intervals are in
percent, differences in percentage points. Times are in UTC. Answers are in English."""
TAGS = {  # in the order of the documentation
    "Leaderboards": "Ranked entries of a release.",
    "Entries": "Single entries: their scores, where they fail, two of them compared.",
    "Language models": "What is ranked.",
    "Releases": "The data: sizes, lengths, hashes, files.",
    "Tasks": "What is asked, how answers are judged, what guessing is worth.",
    "Examples": "Single questions with all answers, and their long contexts.",
    "Ledger": "Every scoring and every decision, chained so that nothing changes unnoticed.",
    "Submissions": "With a token: submit predictions, follow them, request publication.",
    "Runs": "With a token: have the site ask your endpoint the questions itself.",
    "Disputes": "With a token: doubts about labels, and what became of them.",
    "Reviews": "With a token of a reviewer or an admin: look at what waits, and decide.",
    "Description": "What programs read first.",
}
_PATH_PARAMETERS = {  # by their names in the addresses of views
    "submission_id": "Id of the submission.",
    "run_id": "Id of the run.",
    "entry_id": "Id of the entry.",
    "release": "The ID of the release, as in its URL: `id` in the list of releases.",
    "model": "The ID of the language model, as in its URL: `id` in the list of models.",
    "task": "The task: `id` in the list of tasks.",
    "number": "Number of the dispute.",
    "note_id": "Number of the note.",
    "key": "The key of the example, percent-encoded.",
}
_MAKING = Lock()
_TEXT = {"type": "string"}
_ETAG = {"description": "Names this very answer: send it as If-None-Match.", "schema": _TEXT}
_RATE_LIMIT = {
    "RateLimit-Policy": {
        "description": "How many requests that have to be computed an address may make, and in how "
        "many seconds: `q` and `w`. What is cached costs nothing.",
        "schema": _TEXT,
    },
    "RateLimit": {
        "description": "What is left of it (`r`) and in how many seconds it starts again (`t`), "
        "where this request counted.",
        "schema": _TEXT,
    },
}
_RETRY_AFTER = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
}
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an earlier answer: if it is the same still, 304 without a body.",
    "schema": _TEXT,
}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its __init_subclass__
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> Document:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of yours, from your profile (`/profile/tokens/`). It may do "
            "what its scopes name: each address below names the one that it needs.",
        }

    def get_security_requirement(self, auto_schema: AutoSchema) -> Document:
        view: Any = auto_schema.view
        needed = view.scopes.get(auto_schema.method)
        return {self.name: [str(needed)] if needed else []}


class ApiSchema(AutoSchema):
    """The description of one view."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Document | None:
        operation: Document | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        for serializer in (ProblemSerializer, InvalidFieldsSerializer):
            self.resolve_serializer(serializer, "response")
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                parameter["description"] = _PATH_PARAMETERS[parameter["name"]]
        responses: Document = operation["responses"]
        if isinstance(self.view, TokenView):
            self._add_problems(responses, 401, "not_authenticated", "bad_token")
            self._add_problems(responses, 403, "missing_scope")
        else:
            operation.setdefault("parameters", []).append(_IF_NONE_MATCH)
            responses["200"]["headers"] = {"ETag": _ETAG, **_RATE_LIMIT}
            responses["304"] = {
                "description": "Unchanged: without a body.",
                "headers": {"ETag": _ETAG, **_RATE_LIMIT},
            }
        if "{" in self.path:
            self._add_problems(responses, 404, "not_found")
        self._add_problems(responses, 400, "unknown_parameter")
        self._add_problems(responses, 400, "parse_error")  # text that is not UTF-8, or has a NUL
        self._add_problems(responses, 406, "not_acceptable")
        if self.method in ("POST", "PUT", "PATCH"):
            self._add_problems(responses, 411, "no_length")
            self._add_problems(responses, 413, "too_long")
            self._add_problems(responses, 415, "unsupported_media_type")
        self._add_problems(responses, 429, "throttled")
        responses["429"]["headers"] = {**_RATE_LIMIT, **_RETRY_AFTER}
        operation["responses"] = dict(sorted(responses.items()))
        return operation

    def _add_problems(self, responses: Document, status: int, *codes: str) -> None:
        """Adds the codes to those that the view itself has named for the status."""
        content = {PROBLEM: {"schema": problem_schema(status, codes)}}
        new = {"description": HTTPStatus(status).phrase, "content": content}
        found = responses.setdefault(str(status), new)["content"][PROBLEM]["schema"]
        if "properties" in found:
            known: list[str] = found["properties"]["code"]["enum"]
            known.extend(code for code in codes if code not in known)


def read_schema() -> Document:
    """In English. It depends only on the code, so each process makes it once, and under a lock:
    drf-spectacular cannot load its extensions in several threads at once."""
    with _MAKING:
        return _kept_schema()


def make_schema() -> Document:
    generator: Any = SchemaGenerator
    schema: Document = generator().get_schema(public=True)
    schema["info"]["description"] = DESCRIPTION
    schema["servers"] = [{"url": settings.SITE_URL}]
    schema["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    for component in schema["components"]["schemas"].values():
        for one in component.get("properties", {}).values():
            one.pop("readOnly", None)  # requests have schemas of their own
    return schema


_kept_schema = cache(make_schema)


class SchemaView(PublicView):
    @extend_schema(
        operation_id="get_schema",
        summary="This description",
        description="Of the whole API, in OpenAPI 3.1.",
        tags=["Description"],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> HttpResponseBase:
        return conditional(request, _schema_text())


@cache
def _schema_text() -> bytes:
    return json.dumps(read_schema(), ensure_ascii=False).encode()
