"""The profile, and settings for all pages that also work without an account, in a cookie."""

from datetime import timedelta
from typing import Any

from allauth.account import app_settings as allauth_settings
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.models import EmailAddress
from allauth.account.views import ConfirmEmailView, EmailView, SignupView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from portal.accounts.forms import ProfileForm, TokenForm
from portal.accounts.tokens import NewToken, create_token, revoke_token, tokens_of
from portal.board_version import raise_board_version
from portal.errors import StateError
from portal.models import User
from portal.permissions.access import user_of
from portal.web.form_views import (
    post_only,
    posted_data,
    render_form,
    safe_next_url,
)
from portal.web.themes import THEME_COOKIE, THEMES

_YEAR = 365 * 24 * 3600  # seconds


@method_decorator(transaction.atomic, "form_valid")
class SignUpView(SignupView):  # type: ignore[misc]  # a package without types
    """The account and the mail that confirms it are stored together, or neither is."""


@method_decorator(transaction.atomic, "form_valid")
class ChangeAddressView(EmailView):  # type: ignore[misc]
    """Likewise a new address and the mail that confirms it."""


class ConfirmAddressView(ConfirmEmailView):  # type: ignore[misc]
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """A link that was used before is no error; one that is wrong or too old is."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["already_confirmed"] = not self.object and _is_confirmed_by(self.kwargs["key"])
        return context


def _is_confirmed_by(key: str) -> bool:
    """Whether the address that the key of a link stands for is confirmed."""
    life = timedelta(days=allauth_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS)
    try:
        number = signing.loads(key, max_age=life, salt=allauth_settings.SALT)
    except signing.BadSignature:
        return False
    return bool(EmailAddress.objects.filter(pk=number, verified=True).exists())


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    stored = User.objects.get(pk=user_of(request).pk)  # the menu shows what is stored, not typed
    form = ProfileForm(posted_data(request), instance=stored)
    if form.is_valid():
        with transaction.atomic():
            form.save()
            if form.has_changed() and stored.is_named:
                raise_board_version()
        messages.success(request, "Saved.")
        return redirect("profile")
    return render_form(request, "account/profile.html", form)


def _is_post(request: HttpRequest) -> bool:
    return request.method == "POST"


@login_required
@reauthentication_required(enabled=_is_post)  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """Those in force, and the form for a new one, whose answer is the only page that shows it."""
    user = user_of(request)
    form = TokenForm(posted_data(request))
    new: NewToken | None = None
    if form.is_valid():
        try:
            new = create_token(user, **form.cleaned_data)
        except StateError as error:
            form.add_error("name", ValidationError(str(error), error.code))
    context = {
        "tokens": tokens_of(user),
        "new": new,
        "asks_password": is_reauthentication_required(request, app="account"),
    }
    if new:
        return render(request, "account/tokens.html", {**context, "form": TokenForm()})
    return render_form(request, "account/tokens.html", form, context)


@login_required
@post_only("tokens")
def token_revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    if not revoke_token(user_of(request), token_id):
        raise Http404
    messages.success(request, "The token was revoked.")
    return redirect("tokens")


@post_only("home")
def theme(request: HttpRequest) -> HttpResponse:
    """Remember the theme and go back to the page where it was chosen; any other value deletes the
    cookie, so that the theme is the system's."""
    chosen = request.POST.get("theme", "")
    response = HttpResponseRedirect(safe_next_url(request.POST) or reverse("home"))
    if chosen not in THEMES:
        response.delete_cookie(THEME_COOKIE)
        return response
    response.set_cookie(
        THEME_COOKIE,
        chosen,
        max_age=_YEAR,
        samesite="Lax",
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response
