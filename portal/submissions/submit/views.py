"""The submit page. Every reason to refuse an upload is checked before its body is read."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from portal.errors import QuotaError, StateError
from portal.evaluations.sandbox import may_score, sandbox
from portal.models import Submission
from portal.permissions.access import user_of
from portal.submissions.files.originals import Upload
from portal.submissions.files.uploads import (
    AT_ONCE_EACH,
    FORM_ROOM,
    RETRY_AFTER_SECONDS,
    Incoming,
    Refusal,
    RefusedUploadError,
    check_length,
    check_room,
    receive,
)
from portal.submissions.quotas import quota_of
from portal.submissions.services import submit_predictions
from portal.submissions.submit.forms import SubmitForms
from portal.submissions.submit.model_choice import model_choice
from portal.submissions.submit.page import form_page, initial_of_version, refused_page
from scoring.limits import LIMITS, MIB


@csrf_exempt  # the check reads the body, so it is left to _submit_files
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not may_score():
        reason = {"reason": sandbox().reason}
        return render(request, "errors/no_sandbox.html", reason, status=503)
    user = user_of(request)
    if request.method != "POST":
        return form_page(request, SubmitForms(user, initial=initial_of_version(request)))
    try:
        check_length(request)
        files = max(0, int(request.META["CONTENT_LENGTH"]) - FORM_ROOM)  # bytes, at least
        if refusal := quota_of(user).refusal(files):
            return refused_page(request, SubmitForms(user), refusal)
        check_room(request)
        with receive(request) as incoming:
            return _submit_files(request, incoming)
    except RefusedUploadError as error:
        answer = REFUSED_UPLOADS[error.reason]
        page = render(request, "submit/refused.html", {"answer": answer}, status=answer.status)
        if error.reason is Refusal.BUSY:
            page["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return page


@login_required
@require_safe
def submit_models(request: HttpRequest) -> HttpResponse:
    """The results of a search for a language model, as a fragment for the page's script."""
    search, chosen = (request.GET.get(name, "") for name in ("models", "chosen"))
    choice = model_choice(user_of(request), search=search, chosen=chosen)
    return render(request, "submit/_model_choices.html", {"choice": choice})


@csrf_protect
def _submit_files(request: HttpRequest, incoming: Incoming) -> HttpResponse:
    user = user_of(request)
    forms = SubmitForms(user, request.POST, sent=len(incoming.files))
    valid = forms.is_valid()
    asked = forms.form.cleaned_data
    # A form may be sent twice: the first response was lost, or the button was clicked again.
    submission_id: UUID | None = asked.get("submission")
    own = Submission.objects.filter(owner=user)
    if submission_id and (first := own.filter(pk=submission_id).first()):
        return _redirect_to(request, first)
    if not valid:
        return form_page(request, forms, status=422)
    upload = None
    if incoming.files:
        content, name = incoming.as_one_file()
        upload = Upload(content, name, asked["task"], forms.form.file_tasks)
    try:
        submission = submit_predictions(
            owner=user,
            language_model=forms.language_model,
            release=asked["release"],
            settings=forms.form.settings,
            upload=upload,
            kept=forms.form.kept,
            submission_id=submission_id,
            previous=forms.previous,
        )
    except StateError as error:
        forms.form.add_error(None, ValidationError(str(error), error.code))
        return form_page(request, forms, status=422)
    except QuotaError as error:
        return refused_page(request, forms, error)
    return _redirect_to(request, submission)


def _redirect_to(request: HttpRequest, submission: Submission) -> HttpResponse:
    """The page's script gets the URL with a 201: it would follow a redirect, and load the page
    twice."""
    url = reverse("submission", args=[submission.pk])
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        return HttpResponse(status=201, headers={"Location": url})
    return redirect(url)


class RefusedUpload(NamedTuple):
    status: int
    title: str
    fix: str


REFUSED_UPLOADS: Mapping[Refusal, RefusedUpload] = {
    Refusal.NO_LENGTH: RefusedUpload(
        411,
        "The upload does not state its length",
        "Send it with a Content-Length header, as every browser does.",
    ),
    Refusal.TOO_LARGE: RefusedUpload(
        413,
        "This upload is too large",
        f"Uploads can have at most {LIMITS.bytes_in // MIB} MB. Put the files into a .zip or "
        ".tar.gz archive: predictions shrink to a fifth or less. Leave out contexts and prompts, "
        "which are not scored.",
    ),
    Refusal.TOO_MANY: RefusedUpload(
        413,
        "Too many files",
        (
            f"An upload can have at most {LIMITS.entries:,} files. Submit only the prediction "
            "files of one run."
        ),
    ),
    Refusal.CUT: RefusedUpload(
        400,
        "The upload was interrupted",
        "The connection may have been lost. Try again.",
    ),
    Refusal.UNREADABLE: RefusedUpload(
        400,
        "The upload could not be read",
        "This is not what the form on this page sends. Reload the page and try again.",
    ),
    Refusal.NO_ROOM: RefusedUpload(
        507,
        "There is no room for this upload right now",
        "This is our fault. It does not use your quota, and we can see it. Try again later.",
    ),
    Refusal.BUSY: RefusedUpload(
        503,
        "Too many uploads right now",
        (
            f"Each account can run up to {AT_ONCE_EACH} uploads at the same time. If others of "
            "yours are still running, wait for them to finish; if not, try again in a moment."
        ),
    ),
}
