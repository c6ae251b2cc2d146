"""The page on which authors put an entry on the model card."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from portal.errors import StateError, UserError
from portal.hub.card_page import card_page
from portal.hub.forms import CardForm
from portal.hub.model_cards import (
    cancel_pull_request,
    check_public,
    repository_on_hub,
    request_pull_request,
)
from portal.permissions.access import get_own_submission, user_of
from portal.web.form_views import post_only, posted_data, user_errors_as_messages


@sensitive_post_parameters("token")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_model_card(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """A poll of the page's script gets 204 if the page shows this progress already."""
    user = user_of(request)
    submission = get_own_submission(user, submission_id)
    if "HX-Request" in request.headers and request.method == "GET":
        page = card_page(submission)
        if not page.is_open:
            return HttpResponseClientRefresh()  # with the form again
        if page.etag == request.GET.get("etag"):
            return HttpResponse(status=204)
        return render(request, "hub/_card_requests.html", {"page": page})
    try:
        check_public(submission)
    except StateError as error:
        messages.error(request, str(error), extra_tags=error.code)
        return redirect("submission", submission_id)
    page = card_page(submission)
    repository = "" if page.was_opened else repository_on_hub(submission)
    form = CardForm(posted_data(request), initial={"repository": repository})
    if form.is_valid():
        asked = form.cleaned_data
        try:
            request_pull_request(submission, asked["repository"], asked["token"], by=user)
        except UserError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            return redirect("submission-model-card", submission_id)
    context = {"page": page, "form": form}
    return render(request, "hub/model_card.html", context, status=422 if form.is_bound else 200)


@login_required
@post_only("submission-model-card", "submission_id")
def submission_cancel_model_card(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    submission = get_own_submission(user, submission_id)
    with user_errors_as_messages(request):
        cancel_pull_request(submission, by=user)
        messages.success(request, "Cancelled.")
    return redirect("submission-model-card", submission_id)
