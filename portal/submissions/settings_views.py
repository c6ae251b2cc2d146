"""Correct what was told of a run, as long as nobody decides about it or reads it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from portal.models import Action
from portal.permissions import can, get_submission, user_of
from portal.submissions.run_forms import RunForm
from portal.submissions.services import edit_settings
from portal.web.form_views import posted_data, render_form, user_errors_as_messages


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_edit(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    if not can(user, Action.EDIT_SETTINGS, found):
        messages.error(
            request, _("Only its owner can change this, while it is private or rejected.")
        )
        return redirect("submission", submission_id)
    form = RunForm(posted_data(request), instance=get_submission(user, submission_id))
    if not form.is_valid():
        return render_form(request, "submissions/edit.html", form, {"submission": found})
    with user_errors_as_messages(request):
        edit_settings(found, form.editable_settings, by=user)
        messages.success(request, _("Saved."))
    return redirect("submission", submission_id)
