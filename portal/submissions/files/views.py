"""Downloads: the original bytes, the report, and the score of every example."""

import re
from collections.abc import Iterator
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from portal.models import Evaluation, Submission
from portal.permissions.access import (
    get_submission,
    may_see_verdicts,
    scored_evaluation,
    user_of,
)
from portal.scores.documents.reports import (
    csv_lines,
    example_rows,
    jsonl_lines,
    report_bytes,
    report_document,
)
from portal.web.file_responses import as_attachment, send_file

_BYTES = "application/octet-stream"
_CACHE = "private, no-store"
_POSITION = re.compile(r"\d{1,3}", re.ASCII)
_ENDINGS = (
    ".tar.gz", ".tgz", ".tar", ".zip", ".jsonl.gz", ".json.gz", ".gz", ".jsonl", ".json", ".txt",
)  # fmt: skip


@login_required
@require_safe
def original(request: HttpRequest, submission_id: UUID) -> HttpResponseBase:
    """The file as it was uploaded, with a name that is safe in a header: the newest file of the
    submission, or the one whose position the URL names."""
    submission = get_submission(user_of(request), submission_id)
    files = submission.files.select_related("original").order_by("-position")
    several = len(files) > 1
    if position := request.GET.get("file", ""):
        if not _POSITION.fullmatch(position):
            raise Http404
        files = files.filter(position=int(position))
    found = files.first()
    if found is None or not found.original.file.storage.exists(found.original.file.name):
        raise Http404
    original = found.original
    number = f"-{found.position + 1}" if several else ""
    name = f"{_name(submission)}{number}{file_ending(original.name)}"
    response = send_file(
        request, original.file, size=original.size, sha256=original.hash, content_type=_BYTES
    )
    return as_attachment(response, name, cache=_CACHE)


@login_required
@require_safe
def report(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The document of ``python -m scoring score … --json``; ``portal.scores.documents.reports``."""
    evaluation = _scored(request, submission_id)
    with_examples = may_see_verdicts(user_of(request), evaluation.submission)
    document = report_document(evaluation, with_examples=with_examples)
    response = HttpResponse(report_bytes(document), content_type="application/json")
    name = f"{_name(evaluation.submission)}-report.json"
    return as_attachment(response, name, cache=_CACHE)


@login_required
@require_safe
def examples_csv(request: HttpRequest, submission_id: UUID) -> HttpResponseBase:
    evaluation = _with_verdicts(request, submission_id)
    name = f"{_name(evaluation.submission)}-examples.csv"
    return _stream(request, csv_lines(example_rows(evaluation)), name, "text/csv; charset=utf-8")


@login_required
@require_safe
def examples_jsonl(request: HttpRequest, submission_id: UUID) -> HttpResponseBase:
    evaluation = _with_verdicts(request, submission_id)
    name = f"{_name(evaluation.submission)}-examples.jsonl"
    return _stream(request, jsonl_lines(example_rows(evaluation)), name, "application/jsonl")


def _scored(request: HttpRequest, submission_id: UUID) -> Evaluation:
    """The newest evaluation with scores, or the one that the URL names. Raises ``Http404``."""
    submission = get_submission(user_of(request), submission_id)
    evaluation = scored_evaluation(submission, request.GET.get("evaluation", ""))
    if evaluation is None:
        raise Http404
    return evaluation


def _with_verdicts(request: HttpRequest, submission_id: UUID) -> Evaluation:
    evaluation = _scored(request, submission_id)
    if not may_see_verdicts(user_of(request), evaluation.submission):
        raise Http404
    return evaluation


def _name(submission: Submission) -> str:
    return f"{submission.language_model.slug}-{submission.pk.hex[:8]}"


def file_ending(name: str) -> str:
    """The ending if it is one of known files; users may choose any."""
    return next((ending for ending in _ENDINGS if name.lower().endswith(ending)), ".bin")


def _stream(
    request: HttpRequest, body: Iterator[bytes], name: str, content_type: str
) -> StreamingHttpResponse:
    """A few rows at a time; a HEAD request reads none of them."""
    content = iter(()) if request.method == "HEAD" else body
    response = StreamingHttpResponse(content, content_type=content_type)
    return as_attachment(response, name, cache=_CACHE)
