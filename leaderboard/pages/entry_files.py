"""Downloads of an entry, for everybody: predictions, examples with their scores, breakdowns, the
report.

Only of releases with public labels, and only as long as the entry is public.
"""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.pages.breakdowns import (
    NoBreakdownError,
    QueryError,
    Wanted,
    breakdown_csv,
    read_breakdown,
)
from leaderboard.pages.entry import parsed_uuid
from leaderboard.queries import public_submissions
from portal.models import Evaluation
from portal.scores.reports import (
    csv_lines,
    example_rows,
    jsonl_lines,
    prediction_files,
    public_report,
    report_bytes,
)
from portal.web.file_responses import as_attachment, stream_attachment
from portal.web.throttle import count_expensive, throttled
from portal.web.zip_writer import stream_zip

_CACHE = "private, no-cache"  # asked for again each time: it may be withdrawn


@require_safe
@throttled
def predictions(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    """As they were scored, one file of each task, ready to be scored again."""
    evaluation = _public_evaluation(request, entry_id)
    body = stream_zip(prediction_files(evaluation))
    return _stream(request, evaluation, body, "predictions.zip", "application/zip")


@require_safe
@throttled
def examples_csv(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    evaluation = _public_evaluation(request, entry_id)
    body = csv_lines(example_rows(evaluation))
    return _stream(request, evaluation, body, "examples.csv", "text/csv; charset=utf-8")


@require_safe
@throttled
def examples_jsonl(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    evaluation = _public_evaluation(request, entry_id)
    body = jsonl_lines(example_rows(evaluation))
    return _stream(request, evaluation, body, "examples.jsonl", "application/jsonl")


@require_safe
@throttled
def report(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    evaluation = _public_evaluation(request, entry_id)
    body = report_bytes(public_report(evaluation))
    response = HttpResponse(body, content_type="application/json")
    return as_attachment(response, _name(evaluation, "report.json"), cache=_CACHE)


@require_safe
@throttled
def breakdowns_csv(request: HttpRequest, entry_id: str) -> HttpResponse:
    evaluation = _public_evaluation(request, entry_id)
    try:
        wanted = Wanted.from_query(request.GET.dict())
        found = read_breakdown(evaluation.pk, wanted)
    except QueryError as error:
        raise BadRequest(str(error)) from error
    except NoBreakdownError as error:
        raise Http404(str(error)) from error
    text = breakdown_csv(entry_id, found, wanted.metric_set)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    name = f"{wanted.task}-by-{wanted.by.replace(',', '-')}.csv"
    attachment = as_attachment(response, _name(evaluation, name), cache=_CACHE)
    return conditional_response(request, attachment)


def _public_evaluation(request: HttpRequest, entry_id: str) -> Evaluation:
    """The one whose scores are public. Raises ``Http404``, also where the labels are hidden."""
    pk = parsed_uuid(entry_id)
    public = public_submissions().filter(release__hidden=False)
    entry: Any = public.filter(pk=pk).first() if pk else None
    if entry is None:
        raise Http404
    count_expensive(request)
    with_models = Evaluation.objects.select_related("submission__language_model")
    return get_object_or_404(with_models, pk=entry.current_evaluation)


def _name(evaluation: Evaluation, suffix: str) -> str:
    submission = evaluation.submission
    return f"{submission.language_model.slug}-{submission.pk.hex[:8]}-{suffix}"


def _stream(
    request: HttpRequest,
    evaluation: Evaluation,
    body: Iterator[bytes],
    suffix: str,
    content_type: str,
) -> HttpResponseBase:
    name = _name(evaluation, suffix)
    return stream_attachment(request, body, name, content_type=content_type, cache=_CACHE)
