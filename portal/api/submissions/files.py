"""Files of a submission: the report, predictions as they were scored, examples with
their scores."""

from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from portal.api.authentication import TokenView, owner_of
from portal.api.errors import Refused
from portal.api.submissions.serializers import FindingSerializer
from portal.models import Evaluation, Scope
from portal.permissions.access import get_own_submission, may_see_verdicts, scored_evaluation
from portal.scores.documents.reports import (
    example_rows,
    jsonl_lines,
    prediction_files,
    report_bytes,
    report_document,
)
from portal.web.file_responses import as_attachment
from portal.web.problems import problems
from portal.web.zip_writer import stream_zip

_View = TypeVar("_View", bound=Callable[..., object])
_EVALUATION = OpenApiParameter(
    "evaluation", description="Number of an earlier scoring. Default: the one that counts."
)


class ReportSerializer(serializers.Serializer[Any]):
    """The scores, as the command prints them: percentages, standard errors in points."""

    signature = serializers.DictField(
        help_text="Of what these are the scores: versions and hashes. Equal signatures, equal "
        "scores."
    )
    overall = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="By metric set: the mean over all tasks; null where one is missing.",
    )
    domains = serializers.DictField(
        child=serializers.DictField(child=serializers.FloatField(allow_null=True)),
        help_text="By domain and metric set: the mean; null where a task is missing.",
    )
    intervals = serializers.DictField(help_text="Of these means: low, high and method.")
    tasks = serializers.DictField(
        help_text="By task: n, answered, missing, and by metric set scores, stderr, intervals; "
        "problems; and in examples the keys and scores (0 to 1) of all examples, unless the "
        "release is hidden."
    )
    problems = FindingSerializer(many=True, help_text="What was found that is of no single task.")


def _describe(
    operation_id: str, summary: str, description: str, answer: Mapping[Any, Any], *codes: str
) -> Callable[[_View], _View]:
    """``codes``: its codes of 404, besides those that all have."""
    described: Callable[[_View], _View] = extend_schema(
        operation_id=operation_id,
        summary=summary,
        description=description,
        tags=["Submissions"],
        parameters=[_EVALUATION],
        responses={**answer, **problems({404: ["no_scores", "unknown_evaluation", *codes]})},
    )
    return described


class _FileView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ}


class ReportView(_FileView):
    """The document of ``infinitebench score … --json``."""

    @_describe(
        "get_report",
        "The scores of a submission",
        "The document that the command `score … --json` writes.",
        {200: ReportSerializer},
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        evaluation = _scored(request, submission_id)
        verdicts = may_see_verdicts(owner_of(request), evaluation.submission)
        document = report_document(evaluation, with_examples=verdicts)
        return HttpResponse(report_bytes(document), content_type="application/json")


class PredictionFilesView(_FileView):
    """A zip with one file of each task, ready to be scored again."""

    @_describe(
        "get_predictions",
        "The predictions of a submission",
        "As they were scored: a zip with a file for each task, ready to be scored again.",
        {(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponseBase:
        body = stream_zip(prediction_files(_scored(request, submission_id)))
        return _stream(request, body, "predictions.zip", "application/zip")


class ExamplesView(_FileView):
    """A line for each example: what was answered, and its scores."""

    @_describe(
        "get_examples",
        "The examples of a submission",
        "A JSON object a line: `task`, `id`, `status`, `prediction`, and `scores` by metric set, "
        "from 0 to 1.",
        {(200, "application/jsonl"): OpenApiTypes.BINARY},
        "hidden_labels",
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponseBase:
        evaluation = _scored(request, submission_id)
        if not may_see_verdicts(owner_of(request), evaluation.submission):
            detail = "Scores of single examples are secret there."
            raise Refused(HTTPStatus.NOT_FOUND, detail, "hidden_labels")
        body = jsonl_lines(example_rows(evaluation))
        return _stream(request, body, "examples.jsonl", "application/jsonl")


def _scored(request: Request, submission_id: UUID) -> Evaluation:
    """The newest scored evaluation, or the one named in the address. Raises ``Refused`` and what
    ``get_own_submission`` raises."""
    submission = get_own_submission(owner_of(request), submission_id)
    wanted = request.query_params.get("evaluation", "")
    evaluation = scored_evaluation(submission, wanted)
    if evaluation is None and wanted:
        raise Refused(
            HTTPStatus.NOT_FOUND,
            "It has no scoring of this number with scores. Without `evaluation` it is the newest.",
            "unknown_evaluation",
        )
    if evaluation is None:
        raise Refused(HTTPStatus.NOT_FOUND, "It has no scores yet.", "no_scores")
    return evaluation


def _stream(
    request: Request, body: Iterator[bytes], name: str, content_type: str
) -> HttpResponseBase:
    content = iter(()) if request.method == "HEAD" else body
    return as_attachment(StreamingHttpResponse(content, content_type=content_type), name)
