"""What can be taken away of a release: the files of its tasks, and what to check them by."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.conditional import or_unchanged
from leaderboard.pages.releases import Lengths, ReleaseTask, files_of, release_with_board, tasks_of
from portal.models import Release, ReleaseFile
from portal.permissions import PublicFiles
from portal.web.file_responses import as_attachment, send_file
from scoring.releases.facets import FACETS

_LINES = "application/jsonl"
_CACHE = "public, no-cache"  # who has it already is not sent it again


@require_safe
def rows(request: HttpRequest, slug: str, task_id: str) -> HttpResponseBase:
    """The questions of a task with their contexts; with the answers, unless these are hidden."""
    return _stored(request, _files(slug, task_id).rows, f"{task_id}.jsonl")


@require_safe
def facets(request: HttpRequest, slug: str, task_id: str) -> HttpResponseBase:
    """Lengths, depths and evidence; of a hidden release there is no such thing."""
    return _stored(request, _files(slug, task_id).facets, f"{FACETS}-{task_id}.jsonl")


@require_safe
def checksums(request: HttpRequest, slug: str) -> HttpResponse:
    """What ``sha256sum --check`` reads, beside the files."""
    lines = [
        f"{file.sha256}  {name}\n"
        for task_id, files in files_of(_release(slug)).items()
        for name, file in _named(task_id, files).items()
    ]
    if not lines:
        raise Http404
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    as_attachment(response, "SHA256SUMS", cache=_CACHE)
    return or_unchanged(request, response)


@require_safe
def manifest(request: HttpRequest, slug: str) -> HttpResponse:
    """All that is public of a release, for programs."""
    release = _release(slug)
    document = {
        "release": release.slug,
        "title": release.title,
        "description": release.description,
        "hidden": release.hidden,
        "official": release.official,
        "tasks": [_task_document(request, release, found) for found in tasks_of(release)],
    }
    text = json.dumps(document, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    as_attachment(response, f"{release.slug}-manifest.json", cache=_CACHE)
    return or_unchanged(request, response)


def _release(slug: str) -> Release:
    release = release_with_board(slug)
    if release is None:
        raise Http404
    return release


def _files(slug: str, task_id: str) -> PublicFiles:
    found = files_of(_release(slug)).get(task_id)
    if found is None:
        raise Http404
    return found


def _stored(request: HttpRequest, stored: ReleaseFile | None, name: str) -> HttpResponseBase:
    if stored is None or not stored.file.storage.exists(str(stored.file.name)):
        raise Http404
    response = send_file(
        request, stored.file, size=stored.size, sha256=stored.sha256, content_type=_LINES
    )
    return as_attachment(response, name, cache=_CACHE)


def _named(task_id: str, files: PublicFiles) -> Mapping[str, ReleaseFile]:
    """The files of a task by their names in a release's directory."""
    names = (f"{task_id}.jsonl", f"{FACETS}/{task_id}.jsonl")
    return {name: file for name, file in zip(names, files, strict=True) if file}


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
            for name, file in _named(found.task.id, found.files).items()
        ],
        "tokens": _lengths_document(found.lengths),
        "lengths": [
            {"target_tokens": target, **asdict(lengths)}
            for target, lengths in found.by_target.items()
        ],
    }


def _lengths_document(lengths: Lengths | None) -> dict[str, Any] | None:
    return asdict(lengths) if lengths else None
