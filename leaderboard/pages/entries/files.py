"""Downloads of an entry for everybody: predictions, examples with their scores, breakdowns as
figures and pictures, the report.

Only for releases with public labels, and only while the entry is public.
"""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.charts.breakdowns import figure_from
from leaderboard.charts.files import Picture, notes_of, svg_response
from leaderboard.pages.entries.breakdowns import (
    NoBreakdownError,
    QueryError,
    Wanted,
    breakdown_csv,
    read_breakdown,
)
from leaderboard.pages.entries.entry import scorer_note
from leaderboard.queries import public_submissions
from portal.models import Evaluation, with_method
from portal.releases.titles import task_title
from portal.scores.documents.reports import (
    csv_lines,
    example_rows,
    jsonl_lines,
    prediction_files,
    public_report,
    report_bytes,
)
from portal.scores.titles import settings_line
from portal.web.file_responses import as_attachment, stream_attachment
from portal.web.throttle import count_expensive, throttled
from portal.web.zip_writer import stream_zip
from scoring.breakdowns.breakdown import Breakdown

_CACHE = "private, no-cache"  # revalidated each time: it may be withdrawn


@require_safe
@throttled
def predictions(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    """As they were scored, one file for each task, ready to be scored again."""
    evaluation = evaluation_with_answers(request, entry_id)
    body = stream_zip(prediction_files(evaluation))
    return stream_file(request, evaluation, body, "predictions.zip", "application/zip")


@require_safe
@throttled
def examples_csv(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    evaluation = public_evaluation(request, entry_id)
    body = csv_lines(example_rows(evaluation))
    return stream_file(request, evaluation, body, "examples.csv", "text/csv; charset=utf-8")


@require_safe
@throttled
def examples_jsonl(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    evaluation = public_evaluation(request, entry_id)
    body = jsonl_lines(example_rows(evaluation))
    return stream_file(request, evaluation, body, "examples.jsonl", "application/jsonl")


@require_safe
@throttled
def report(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    evaluation = public_evaluation(request, entry_id)
    body = report_bytes(public_report(evaluation))
    response = HttpResponse(body, content_type="application/json")
    return as_attachment(response, _name(evaluation, "report.json"), cache=_CACHE)


@require_safe
@throttled
def breakdowns_csv(request: HttpRequest, entry_id: str) -> HttpResponse:
    evaluation = public_evaluation(request, entry_id)
    wanted, found = _wanted_breakdown(request, evaluation)
    text = breakdown_csv(entry_id, found, wanted.metric_set)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    attachment = as_attachment(response, _name(evaluation, f"{wanted.name}.csv"), cache=_CACHE)
    return conditional_response(request, attachment)


@require_safe
@throttled
def figure_svg(request: HttpRequest, entry_id: str) -> HttpResponse:
    """A picture of the page, in the reader's language."""
    evaluation = public_evaluation(request, entry_id)
    wanted, found = _wanted_breakdown(request, evaluation)
    submission = evaluation.submission
    model = submission.language_model
    figure = figure_from(found, model.context_window, settings_line(submission))
    if figure is None:
        raise Http404
    plot = figure.plot
    title = f"{task_title(wanted.task, submission.release)} {figure.title}: {figure.finding}"
    data = (submission.release.slug, wanted.metric_set, f"n = {found.n:,}")
    name = with_method(model.name, submission.method)
    notes = notes_of(name, (*data, scorer_note(evaluation)), reverse("entry", args=[entry_id]))
    context = {"figure": figure, "plot": plot}
    picture = Picture("charts/_plot.html", context, plot.width, plot.height, title, notes)
    return svg_response(request, picture, _name(evaluation, f"{wanted.name}.svg"))


def _wanted_breakdown(request: HttpRequest, evaluation: Evaluation) -> tuple[Wanted, Breakdown]:
    """Raises ``BadRequest`` and ``Http404``."""
    try:
        wanted = Wanted.from_query(request.GET.dict())
        return wanted, read_breakdown(evaluation.pk, wanted)
    except QueryError as error:
        raise BadRequest(str(error)) from error
    except NoBreakdownError as error:
        raise Http404(str(error)) from error


def public_evaluation(request: HttpRequest, entry_id: str) -> Evaluation:
    """The evaluation with the public scores. Raises ``Http404``, also if the labels are hidden."""
    entry: Any = public_submissions().at(entry_id).filter(release__hidden=False).first()
    if entry is None:
        raise Http404
    count_expensive(request)
    related = ("submission__language_model", "submission__release")
    with_models = Evaluation.objects.select_related(*related)
    return get_object_or_404(with_models, pk=entry.current_evaluation)


def evaluation_with_answers(request: HttpRequest, entry_id: str) -> Evaluation:
    """The same. Raises ``Http404`` also where only figures are here."""
    evaluation = public_evaluation(request, entry_id)
    if evaluation.figures_only:
        raise Http404
    return evaluation


def _name(evaluation: Evaluation, suffix: str) -> str:
    return f"{evaluation.submission.entry_id}-{suffix}"


def stream_file(
    request: HttpRequest,
    evaluation: Evaluation,
    body: Iterator[bytes],
    suffix: str,
    content_type: str,
) -> HttpResponseBase:
    name = _name(evaluation, suffix)
    return stream_attachment(request, body, name, content_type=content_type, cache=_CACHE)
