"""The admin's site: signing in and changing a password are done on the site's own pages, which are
throttled."""

import allauth.account.admin
import allauth.mfa.admin
import allauth.socialaccount.admin
import allauth.usersessions.admin  # noqa: F401 - this one sessions
import django.contrib.auth.admin  # noqa: F401 - and this one groups
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from portal.errors import SecondFactorNeededError
from portal.models import User


def has_permission(request: HttpRequest) -> bool:
    """Django itself would check only its own flags."""
    user = request.user
    return isinstance(user, User) and user.is_active and user.is_staff and user.is_admin


def sign_in(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """No form of its own: it would not be throttled."""
    if has_permission(request):
        return redirect("admin:index")
    if isinstance(request.user, User) and request.user.needs_second_factor:
        raise SecondFactorNeededError
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", reverse("admin:index")))


def change_password(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    return redirect("account_change_password")


def sign_out(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """As on the site, where it is logged; then Django shows its own page."""
    if request.method == "POST":
        get_adapter().logout(request)
    return _show_signed_out(request)


_show_signed_out = admin.site.logout
admin.site.logout = sign_out  # type: ignore[assignment, method-assign]
admin.site.has_permission = has_permission  # type: ignore[method-assign]
admin.site.login = sign_in  # type: ignore[method-assign]
admin.site.password_change = change_password  # type: ignore[assignment, method-assign]
admin.site.site_header = admin.site.site_title = "∞Bench"
admin.site.unregister(Group)  # roles decide who may do what
# A password can be reset through any confirmed address, so editing one would take over the account.
admin.site.unregister(EmailAddress)
# They hold secrets, other ways to sign in, and what is private.
admin.site.unregister((Authenticator, SocialAccount, SocialApp, SocialToken, UserSession))
