"""Errors for programs as problem documents (RFC 9457): a sentence, and a code that stays when the
sentence is reworded."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from portal.logs.request_ids import current_request_id

PROBLEM = "application/problem+json"
API = "/api/"  # below it errors are for programs


class ProblemSerializer(serializers.Serializer[Mapping[str, object]]):
    """What went wrong, for programs and for people."""

    type = serializers.CharField(help_text="Always “about:blank”: the status says what kind it is.")
    title = serializers.CharField(help_text="The name of the status.")
    status = serializers.IntegerField(help_text="The status of the response.")
    code = serializers.CharField(
        help_text="What went wrong, in a word that stays the same when the sentence is reworded."
    )
    detail = serializers.CharField(help_text="The same as a sentence, with what to do about it.")
    request = serializers.CharField(
        help_text="The number of this request: say it when you report a problem."
    )


class FieldErrorSerializer(serializers.Serializer[Mapping[str, object]]):
    """What is wrong with one field."""

    field = serializers.CharField(
        allow_null=True, help_text="Its name; null: several do not fit together."
    )
    code = serializers.CharField(help_text="What is wrong, in a word.")
    detail = serializers.CharField(help_text="The same as a sentence.")


class InvalidFieldsSerializer(ProblemSerializer):
    """Fields are missing or wrong."""

    errors = FieldErrorSerializer(  # type: ignore[assignment]  # a field all the same
        many=True, help_text="Each field that is missing or wrong."
    )


def problem_document(status: int, code: str, detail: str) -> dict[str, Any]:
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "request": current_request_id(),
    }


def problem_response(status: int, code: str, detail: str) -> HttpResponse:
    document = problem_document(status, code, detail)
    return JsonResponse(document, status=status, content_type=PROBLEM)


def is_for_programs(request: HttpRequest) -> bool:
    return request.path_info.startswith(API)


def problems(
    codes: Mapping[int, Sequence[str]], *, of_fields: Sequence[str] = ()
) -> dict[tuple[int, str], OpenApiResponse]:
    """For ``responses`` of ``extend_schema``: by status, the codes that an address answers with, or
    none where services have many. ``of_fields``: its own codes for single fields."""
    return {
        (status, PROBLEM): OpenApiResponse(
            problem_schema(status, found, of_fields), description=HTTPStatus(status).phrase
        )
        for status, found in codes.items()
    }


def problem_schema(
    status: int, codes: Sequence[str], of_fields: Sequence[str] = ()
) -> dict[str, Any]:
    """Without ``codes``: any code."""
    has_fields = status == HTTPStatus.UNPROCESSABLE_ENTITY
    name = "InvalidFields" if has_fields else "Problem"
    schema: dict[str, Any] = {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}
    if codes:
        schema["properties"] = {"code": {"type": "string", "enum": list(codes)}}
    if has_fields and of_fields:  # examples, no enum: any field may have other codes
        code = {"type": "string", "examples": list(of_fields)}
        errors = {"type": "array", "items": {"type": "object", "properties": {"code": code}}}
        schema.setdefault("properties", {})["errors"] = errors
    return schema
