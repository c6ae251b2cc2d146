"""The page that submits from the Hub, and the page of a fetch in progress."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from portal.endpoint_runs.keys import EndpointKeyError
from portal.errors import QuotaError, StateError
from portal.evaluations.sandbox import may_score, sandbox
from portal.hub.fetch_page import fetch_page
from portal.hub.forms import HubSubmitForms, initial_from_fetch
from portal.hub.services import cancel_fetch, request_fetch
from portal.models import Submission
from portal.permissions.access import get_fetch, get_submission, user_of
from portal.submissions.submit.page import form_page, id_in_query, initial_of_version, refused_page
from portal.web.form_views import post_only, user_errors_as_messages


@sensitive_post_parameters("token")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit_from_hub(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    if not may_score():
        reason = {"reason": sandbox().reason}
        return render(request, "errors/no_sandbox.html", reason, status=503)
    if request.method != "POST":
        failed = id_in_query(request, "again")
        initial = (
            initial_from_fetch(get_fetch(user, failed)) if failed else initial_of_version(request)
        )
        return form_page(request, HubSubmitForms(user, initial=initial))
    forms = HubSubmitForms(user, request.POST)
    if not forms.is_valid():
        return form_page(request, forms, status=422)
    asked = forms.form.cleaned_data
    try:
        fetch = request_fetch(
            forms.source,
            owner=user,
            language_model=forms.language_model,
            release=asked["release"],
            settings=forms.form.settings,
            token=asked["token"],
            task=asked["task"],
            previous=forms.previous,
            kept=forms.form.kept,
            fetch_id=asked["submission"],
        )
    except (StateError, EndpointKeyError) as error:
        forms.form.add_error(None, ValidationError(str(error), error.code))
        return form_page(request, forms, status=422)
    except QuotaError as error:
        return refused_page(request, forms, error)
    return redirect("submission", fetch.pk)


@login_required
@require_safe
def submission_fetch(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The progress of a fetch, until there is a submission. A poll of the page's script gets 204 if
    the page shows this progress already."""
    user = user_of(request)
    is_poll = "HX-Request" in request.headers
    if Submission.objects.filter(pk=submission_id).exists():
        get_submission(user, submission_id)
        there = redirect("submission", submission_id)
        return HttpResponseClientRedirect(there.url) if is_poll else there
    page = fetch_page(get_fetch(user, submission_id))
    if not is_poll:
        return render(request, "hub/fetch.html", {"page": page})
    if page.etag == request.GET.get("etag"):
        return HttpResponse(status=204)
    return render(request, "hub/_fetch.html", {"page": page})


@login_required
@post_only("submission", "submission_id")
def submission_cancel_fetch(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    fetch = get_fetch(user_of(request), submission_id)
    with user_errors_as_messages(request):
        cancel_fetch(fetch)
        messages.success(request, "Cancelled. Nothing was submitted.")
    return redirect("submission", submission_id)
