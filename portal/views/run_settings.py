"""Correct what was told of a run, as long as nobody decides about it or reads it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from portal.access import get_submission, user_of
from portal.forms.run import RunForm
from portal.submissions import edit_settings, may_edit
from portal.views.refusals import refusals_told


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_edit(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    if not may_edit(found, user):
        messages.error(
            request, _("Only its owner can change this, while it is private or rejected.")
        )
        return redirect("submission", submission_id)
    data = request.POST if request.method == "POST" else None
    form = RunForm(data, instance=get_submission(user, submission_id))
    if not form.is_valid():
        context = {"submission": found, "form": form}
        return render(
            request, "submissions/edit.html", context, status=422 if form.is_bound else 200
        )
    with refusals_told(request):
        edit_settings(found, form.told, by=user)
        messages.success(request, _("Saved."))
    return redirect("submission", submission_id)
