"""Entries and releases in the formats of other projects."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.formats.every_eval_ever import archive_members
from leaderboard.formats.exported import exported_entry, exported_rows
from leaderboard.pages.entries.files import evaluation_with_answers, stream_file
from portal.models import Release
from portal.scores.documents.eval_results import (
    benchmark,
    card_name,
    eval_results,
    evaluation_for_card,
)
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled
from portal.web.zip_writer import stream_zip

_CACHE = "public, no-cache"  # cached by browsers, and revalidated before each use
_YAML = "application/yaml; charset=utf-8"


@require_safe
@throttled
def entry_every_eval_ever(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    """Made while it is sent."""
    evaluation = evaluation_with_answers(request, entry_id)
    site = request.build_absolute_uri("/").rstrip("/")
    rows = partial(exported_rows, evaluation, site)
    body = stream_zip(archive_members(exported_entry(evaluation, site), rows))
    return stream_file(request, evaluation, body, "every-eval-ever.zip", "application/zip")


@require_safe
@throttled
def entry_eval_results(request: HttpRequest, entry_id: str) -> HttpResponse:
    """For the model card on the Hub."""
    evaluation = evaluation_for_card(entry_id)
    if evaluation is None:
        raise Http404
    count_expensive(request)
    response = HttpResponse(eval_results(evaluation), content_type=_YAML)
    # Revalidated each time, since it may be withdrawn.
    as_attachment(response, card_name(evaluation.submission), cache="private, no-cache")
    return conditional_response(request, response)


@require_safe
def release_eval(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes a dataset on the Hub the benchmark that model cards refer to. Not for releases whose
    entries have nothing for model cards."""
    release = get_object_or_404(Release.objects.with_boards().filter(hidden=False), slug=slug)
    response = HttpResponse(benchmark(release), content_type=_YAML)
    as_attachment(response, "eval.yaml", cache=_CACHE)
    return conditional_response(request, response)
