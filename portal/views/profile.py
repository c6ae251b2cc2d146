"""Who I am here."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from portal.access import user_of
from portal.forms.profile import ProfileForm
from portal.models import User


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    stored = User.objects.get(pk=user_of(request).pk)  # the bar shows what is, not what is typed
    form = ProfileForm(request.POST or None, instance=stored)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("profile")
    return render(request, "profile.html", {"form": form}, status=422 if form.is_bound else 200)
