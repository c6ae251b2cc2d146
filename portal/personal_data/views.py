"""The export of all that the site holds about a user, and the deletion of the account."""

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from portal.errors import StateError
from portal.permissions.access import user_of
from portal.personal_data.deletion import delete_account
from portal.personal_data.export import export_account
from portal.personal_data.forms import DeletionForm
from portal.web.file_responses import as_attachment
from portal.web.form_views import posted_data, render_form


@login_required
@require_safe
@reauthentication_required  # type: ignore[untyped-decorator]  # a session left open is not enough
def account_export(request: HttpRequest) -> HttpResponse:
    response = JsonResponse(export_account(user_of(request)), json_dumps_params={"indent": 1})
    return as_attachment(response, "infinitebench-account.json", cache="private, no-store")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required  # type: ignore[untyped-decorator]
def account_delete(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    form = DeletionForm(posted_data(request), username=user.username)
    if form.is_valid():
        try:
            delete_account(user)
        except StateError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            get_adapter().logout(request)
            messages.success(request, "Your account was deleted.")
            return redirect("home")
    return render_form(request, "account/delete.html", form)
