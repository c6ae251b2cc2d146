"""Downloads of a release: the files of its tasks, their checksums, and a manifest."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.pages.releases import ReleaseTask, release_files, release_tasks
from portal.models import Release, ReleaseFile
from portal.permissions import PublicFiles
from portal.web.file_responses import as_attachment, send_file
from scoring.releases.facets import FACETS

_CACHE = "public, no-cache"  # kept by browsers, and checked before each use


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
        for name, file in _by_name(task_id, files).items()
    ]
    if not lines:
        raise Http404
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    as_attachment(response, "SHA256SUMS", cache=_CACHE)
    return conditional_response(request, response)


@require_safe
def manifest(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that is public about a release, for programs."""
    release = get_object_or_404(Release.objects.public(), slug=slug)
    document = {
        "release": release.slug,
        "title": release.title,
        "description": release.description,
        "hidden": release.hidden,
        "official": release.official,
        "tasks": [_task_document(request, release, task) for task in release_tasks(release)],
    }
    text = json.dumps(document, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    as_attachment(response, f"{release.slug}-manifest.json", cache=_CACHE)
    return conditional_response(request, response)


def _task_document(request: HttpRequest, release: Release, found: ReleaseTask) -> dict[str, Any]:
    base = request.build_absolute_uri(reverse("release", args=[release.slug]))
    return {
        "task": found.task.id,
        "title": found.task.title,
        "examples": found.data_set.size,
        "labels_sha256": None if release.hidden else found.data_set.labels_hash,
        "questions_sha256": found.data_set.questions_hash or None,
        "files": [
            {"name": name, "url": f"{base}{name}", "bytes": file.size, "sha256": file.sha256}
            for name, file in _by_name(found.task.id, found.files).items()
        ],
        "tokens": asdict(found.lengths) if found.lengths else None,
        "lengths": [
            {"target_tokens": target, **asdict(lengths)}
            for target, lengths in found.by_target.items()
        ],
    }


def _by_name(task_id: str, files: PublicFiles) -> Mapping[str, ReleaseFile]:
    """The files of a task by their names in the directory of a release."""
    names = (f"{task_id}.jsonl", f"{FACETS}/{task_id}.jsonl")
    return {name: file for name, file in zip(names, files, strict=True) if file}
