"""Downloads of a release: the files of its tasks, their checksums, a manifest, figures and
pictures."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.charts.composition import Part, composition_finding, composition_of
from leaderboard.charts.coverage import Counted, coverage_finding, coverage_of
from leaderboard.charts.files import Picture, notes_of, svg_response
from leaderboard.releases.figures import (
    cell_figures,
    composition,
    composition_csv,
    coverage,
    coverage_csv,
)
from leaderboard.releases.queries import ReleaseTask, release_files, release_tasks
from portal.models import Release, ReleaseFile
from portal.permissions.access import PublicFiles
from portal.releases.titles import task_title
from portal.web.file_responses import as_attachment, send_file
from portal.web.throttle import count_expensive, throttled
from scoring.catalog import TASKS
from scoring.releases.facets import FACETS

_CACHE = "public, no-cache"  # cached by browsers, and revalidated before each use


@require_safe
def rows(request: HttpRequest, slug: str, task_id: str) -> HttpResponseBase:
    """The questions of a task with their contexts; with the answers, unless these are hidden."""
    file = _public_files(slug, task_id).rows
    return _send(request, file, f"{task_id}.jsonl")


@require_safe
def facets(request: HttpRequest, slug: str, task_id: str) -> HttpResponseBase:
    """Lengths, depths and evidence; a hidden release has none."""
    file = _public_files(slug, task_id).facets
    return _send(request, file, f"{FACETS}-{task_id}.jsonl")


def _public_files(slug: str, task_id: str) -> PublicFiles:
    release = get_object_or_404(Release.objects.public(), slug=slug)
    files = release_files(release).get(task_id)
    if files is None:
        raise Http404
    return files


def _send(request: HttpRequest, file: ReleaseFile | None, name: str) -> HttpResponseBase:
    if file is None or not file.file.storage.exists(str(file.file.name)):
        raise Http404
    response = send_file(
        request, file.file, size=file.size, sha256=file.sha256, content_type="application/jsonl"
    )
    return as_attachment(response, name, cache=_CACHE)


@require_safe
def checksums(request: HttpRequest, slug: str) -> HttpResponse:
    """For ``sha256sum --check``."""
    release = get_object_or_404(Release.objects.public(), slug=slug)
    lines = [
        f"{file.sha256}  {name}\n"
        for task_id, files in release_files(release).items()
        for name, file in files_by_name(task_id, files).items()
    ]
    if not lines:
        raise Http404
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    as_attachment(response, "SHA256SUMS", cache=_CACHE)
    return conditional_response(request, response)


@require_safe
@throttled
def manifest(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that is public about a release, for programs."""
    count_expensive(request)
    release = get_object_or_404(Release.objects.public(), slug=slug)
    tasks = release_tasks(release)
    parts, counts = composition(release, tasks), coverage(release)
    document = {
        "release": release.slug,
        "title": release.title,
        "description": release.description,
        "hidden": release.hidden,
        "official": release.official,
        "tasks": [
            _task_document(request, release, task, part, counts.get(task.task.id, ()))
            for task, part in zip(tasks, parts, strict=True)
        ],
    }
    text = json.dumps(document, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    as_attachment(response, f"{release.slug}-manifest.json", cache=_CACHE)
    return conditional_response(request, response)


@require_safe
@throttled
def composition_file(request: HttpRequest, slug: str) -> HttpResponse:
    """How many examples each task has, and how long they are, as on the page."""
    count_expensive(request)
    release = get_object_or_404(Release.objects.public(), slug=slug)
    parts = composition(release, release_tasks(release))
    return _csv_file(request, composition_csv(parts), f"{release.slug}-composition.csv")


@require_safe
@throttled
def coverage_file(request: HttpRequest, slug: str) -> HttpResponse:
    """How many examples each task has at which length and position."""
    count_expensive(request)
    release = get_object_or_404(Release.objects.public(), slug=slug)
    return _csv_file(request, coverage_csv(coverage(release)), f"{release.slug}-coverage.csv")


@require_safe
@throttled
def composition_svg(request: HttpRequest, slug: str) -> HttpResponse:
    count_expensive(request)
    release = get_object_or_404(Release.objects.public(), slug=slug)
    parts = composition(release, release_tasks(release))
    if not parts:
        raise Http404
    plot = composition_of(parts)
    knows_input = any(part.input_share is not None for part in parts)
    key = "Bars: share of the examples. Outlines: share of the input." if knows_input else ""
    picture = Picture(
        "charts/_composition.html",
        {"plot": plot},
        plot.width,
        plot.height,
        f"{'Shares of the tasks'}: {composition_finding(parts)}",
        [*filter(None, [key]), *_notes(release)],
        css="plot composition",
    )
    return svg_response(request, picture, f"{release.slug}-composition.svg")


@require_safe
@throttled
def coverage_svg(request: HttpRequest, slug: str) -> HttpResponse:
    """For one task."""
    count_expensive(request)
    release = get_object_or_404(Release.objects.public(), slug=slug)
    task = TASKS.get(request.GET.get("task", ""))
    plot = coverage_of(coverage(release).get(task.id, [])) if task else None
    if task is None or plot is None:
        raise Http404
    key = "Across: length in tokens. Down: position of the evidence (0: start, 1: end)."
    picture = Picture(
        "charts/_counts.html",
        {"plot": plot},
        plot.width,
        plot.height,
        f"{task_title(task.id, release)}: {coverage_finding(plot)}",
        [key, *_notes(release)],
    )
    return svg_response(request, picture, f"{release.slug}-{task.id}-coverage.svg")


def _notes(release: Release) -> list[str]:
    return notes_of(release.title, [release.slug], reverse("release", args=[release.slug]))


def _csv_file(request: HttpRequest, text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return conditional_response(request, as_attachment(response, name, cache=_CACHE))


def _task_document(
    request: HttpRequest,
    release: Release,
    found: ReleaseTask,
    part: Part,
    counts: Iterable[Counted],
) -> dict[str, Any]:
    base = request.build_absolute_uri(reverse("release", args=[release.slug]))
    return {
        "task": found.task.id,
        "title": found.task.title,
        "examples": found.data_set.size,
        "labels_sha256": None if release.hidden else found.data_set.labels_hash,
        "questions_sha256": found.data_set.questions_hash or None,
        "files": [
            {"name": name, "url": f"{base}{name}", "bytes": file.size, "sha256": file.sha256}
            for name, file in files_by_name(found.task.id, found.files).items()
        ],
        "tokens": asdict(found.lengths) if found.lengths else None,
        "lengths": [
            {"target_tokens": target, **asdict(lengths)}
            for target, lengths in found.by_target.items()
        ],
        "answer_tokens": None
        if part.output_tokens is None
        else {"mean": part.output_tokens, "estimated": part.output_estimated},
        "coverage": [cell_figures(one) for one in counts],
    }


def files_by_name(task_id: str, files: PublicFiles) -> Mapping[str, ReleaseFile]:
    """The files of a task, by their names in the directory of a release."""
    names = (f"{task_id}.jsonl", f"{FACETS}/{task_id}.jsonl")
    return {name: file for name, file in zip(names, files, strict=True) if file}
