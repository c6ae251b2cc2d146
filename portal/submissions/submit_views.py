"""Hand in predictions: everything that speaks against it is looked at before a byte is read."""

from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import http_date
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from portal.errors import QuotaError, StateError
from portal.evaluations.sandbox import may_score, sandbox
from portal.models import Submission, User
from portal.permissions import user_of
from portal.submissions.file_names import FILE_NAMES
from portal.submissions.forms import SubmitForms, from_earlier
from portal.submissions.quotas import quota_of
from portal.submissions.refused_uploads import REFUSED_UPLOADS
from portal.submissions.services import submit_predictions
from portal.submissions.uploads import (
    AGAIN,
    Incoming,
    Refusal,
    RefusedUploadError,
    check_length,
    receive,
)
from scoring.limits import LIMITS, MIB


@csrf_exempt  # the check reads the body; it is made in _take, when the body may be read
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    request.encoding = "utf-8"  # whatever the client says: what it sends is read as that
    if refusal := _refusal(request):
        return refusal
    if request.method == "POST":
        return _receive(request)
    earlier = _earlier(request)
    initial = from_earlier(earlier) if earlier else None
    return _page(request, SubmitForms(user_of(request), initial=initial))


def _refusal(request: HttpRequest) -> HttpResponse | None:
    """The answer to those who may not hand in now, or not this."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not may_score():
        reason = {"reason": sandbox().reason}
        return render(request, "errors/no_sandbox.html", reason, status=503)
    if request.method != "POST":
        return None
    try:
        check_length(request)
    except RefusedUploadError as error:
        return _refused(request, error.why)
    if quota_of(user_of(request)).used_up:
        return _page(request, SubmitForms(user_of(request)), status=429)
    return None


def _receive(request: HttpRequest) -> HttpResponse:
    try:
        with receive(request) as incoming:
            return _take(request, incoming)
    except RefusedUploadError as error:
        return _refused(request, error.why)


@csrf_protect
def _take(request: HttpRequest, incoming: Incoming) -> HttpResponse:
    user = user_of(request)
    forms = SubmitForms(user, request.POST, sent=len(incoming.files))
    if before := _handed_in(user, forms):
        return _done(request, before)
    if not forms.is_valid():
        return _page(request, forms, status=422)
    upload, name = incoming.as_one_file()
    asked = forms.form.cleaned_data
    try:
        submission = submit_predictions(
            owner=user,
            language_model=forms.language_model,
            release=asked["release"],
            settings=forms.form.settings,
            upload=upload,
            upload_name=name,
            submission_id=asked["submission"],
            previous=forms.previous,
        )
    except StateError as error:
        forms.form.add_error(None, str(error))
        return _page(request, forms, status=422)
    except QuotaError:
        return _page(request, forms, status=429)
    return _done(request, submission)


def _handed_in(user: User, forms: SubmitForms) -> Submission | None:
    """The submission that this form has made already."""
    forms.form.is_valid()
    submission_id: UUID | None = forms.form.cleaned_data.get("submission")
    if submission_id is None:
        return None
    return Submission.objects.owned_by(user).filter(pk=submission_id).first()


def _done(request: HttpRequest, submission: Submission) -> HttpResponse:
    """To the page of the submission. A script goes there by itself: it cannot be held back from
    following a redirect, and would load the page twice."""
    place = reverse("submission", args=[submission.pk])
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        return HttpResponse(status=201, headers={"Location": place})
    return redirect(place)


def _page(request: HttpRequest, forms: SubmitForms, *, status: int = 200) -> HttpResponse:
    quota = quota_of(user_of(request))
    context = {
        "forms": forms,
        "earlier": forms.earlier,
        "quota": quota,
        "cap": LIMITS.bytes_in,
        "cap_mb": LIMITS.bytes_in // MIB,
        "most_files": LIMITS.entries,
        "names": FILE_NAMES,
    }
    page = render(request, "submit/submit.html", context, status=status)
    if status == 429 and quota.opens:
        page["Retry-After"] = http_date(quota.opens.timestamp())
    return page


def _refused(request: HttpRequest, why: Refusal) -> HttpResponse:
    answer = REFUSED_UPLOADS[why]
    page = render(request, "submit/refused.html", {"answer": answer}, status=answer.status)
    if why is Refusal.BUSY:
        page["Retry-After"] = str(AGAIN)
    return page


def _earlier(request: HttpRequest) -> Submission | None:
    """One's own submission that the address names, of which this is to be a new version."""
    if "from" not in request.GET:
        return None
    try:
        submission_id = UUID(request.GET["from"])
    except ValueError as error:
        raise Http404 from error
    found = Submission.objects.owned_by(user_of(request)).filter(pk=submission_id).first()
    if found is None:
        raise Http404
    return found
