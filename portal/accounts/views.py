"""Who I am here."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from portal.accounts.forms import ProfileForm
from portal.models import User
from portal.permissions import user_of
from portal.web.form_views import posted_data, render_form


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    stored = User.objects.get(pk=user_of(request).pk)  # the bar shows what is, not what is typed
    form = ProfileForm(posted_data(request), instance=stored)
    if form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("profile")
    return render_form(request, "account/profile.html", form)
