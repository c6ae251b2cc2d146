"""Entries and releases in the formats of other projects."""

import json
from collections.abc import Callable, Iterator
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.formats import every_eval_ever, inspect_log, lm_eval
from leaderboard.formats.croissant import croissant_document
from leaderboard.formats.exported import ExportedEntry, Rows, exported_entry, exported_rows
from leaderboard.pages.entries.entry import parsed_uuid
from leaderboard.pages.entries.files import public_evaluation, stream_file
from leaderboard.releases.queries import release_tasks
from portal.models import Release
from portal.scores.documents.eval_results import (
    benchmark,
    card_name,
    eval_results,
    evaluation_for_card,
)
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled
from portal.web.zip_writer import Member, stream_zip

_CACHE = "public, no-cache"  # cached by browsers, and revalidated before each use
_YAML = "application/yaml; charset=utf-8"


@require_safe
@throttled
def entry_every_eval_ever(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    return _archive(request, entry_id, every_eval_ever.archive_members, "every-eval-ever.zip")


@require_safe
@throttled
def entry_inspect(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    return _archive(request, entry_id, inspect_log.archive_members, "inspect.zip")


@require_safe
@throttled
def entry_lm_eval(request: HttpRequest, entry_id: str) -> HttpResponseBase:
    return _archive(request, entry_id, lm_eval.archive_members, "lm-eval.zip")


def _archive(
    request: HttpRequest,
    entry_id: str,
    members: Callable[[ExportedEntry, Rows], Iterator[Member]],
    name: str,
) -> HttpResponseBase:
    """Made while it is sent."""
    evaluation = public_evaluation(request, entry_id)
    site = request.build_absolute_uri("/").rstrip("/")
    rows = partial(exported_rows, evaluation, site)
    body = stream_zip(members(exported_entry(evaluation, site), rows))
    return stream_file(request, evaluation, body, name, "application/zip")


@require_safe
@throttled
def entry_eval_results(request: HttpRequest, entry_id: str) -> HttpResponse:
    """For the model card on the Hub."""
    pk = parsed_uuid(entry_id)
    evaluation = evaluation_for_card(pk) if pk else None
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


@require_safe
@throttled
def release_croissant(request: HttpRequest, slug: str) -> HttpResponse:
    """Also for releases with hidden labels: it lists the files that everybody may download."""
    count_expensive(request)
    release = get_object_or_404(Release.objects.public(), slug=slug)
    address = request.build_absolute_uri(reverse("release", args=[release.slug]))
    document = croissant_document(release, release_tasks(release), address)
    text = json.dumps(document, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/ld+json")
    as_attachment(response, f"{release.slug}-croissant.json", cache=_CACHE)
    return conditional_response(request, response)
