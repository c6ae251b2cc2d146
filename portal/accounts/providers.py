"""Signing in with another site (GitHub, Hugging Face), and which account that opens.

An address links two accounts only if it is confirmed on both sites. Nobody gets into an account
that a stranger has prepared, nor does a stranger keep a way into one: an account that is created
with another site has an address that the other site has confirmed, and an address that somebody
has typed here and never confirmed goes to whoever has confirmed it there.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import Provider
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest
from django.shortcuts import redirect

from portal.accounts.usernames import VALIDATORS
from portal.models import User


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # a package without types
    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "no_password": "First set a password: you could not sign in any more.",
        "no_verified_email": "First confirm an email address.",
        "connected_other": "This is connected to another account here.",
    }

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> Provider:
        """Raises ``Http404`` where it is not configured."""
        try:
            return super().get_provider(request, provider, client_id)
        except SocialApp.DoesNotExist:
            raise Http404 from None

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """The account that has confirmed an address which the other site has confirmed too."""
        for email in _confirmed(sociallogin):
            own = EmailAddress.objects.filter(email__iexact=email, verified=True)
            if address := own.filter(user__is_active=True).first():
                return address.user, email
        return None

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Keep only what is needed from the other site: whose account it is there."""
        account = sociallogin.account
        profile = account.extra_data
        claims = profile.get("userinfo") or profile.get("id_token") or profile
        # GitHub calls it login, OpenID Connect preferred_username.
        name = claims.get("login") or claims.get("preferred_username") or claims.get("name") or ""
        account.extra_data = {"name": str(name)[:100]}
        if account.pk:
            account.save(update_fields=["extra_data"])
        emails = _confirmed(sociallogin)
        if not sociallogin.is_existing and emails:
            _free_unconfirmed(emails[0])
        sociallogin.email_addresses = [
            EmailAddress(email=email, verified=True, primary=True) for email in emails[:1]
        ]

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Needs a confirmed address: else somebody could create an account with the address of
        another person, and keep a way in."""
        if not _confirmed(sociallogin):
            text = (
                "%(site)s has not confirmed your email address, so we cannot make an account. "
                "Confirm it there first, or sign up here."
            )
            text %= {"site": sociallogin.provider.name}
            messages.error(request, text, extra_tags="unconfirmed")
            raise ImmediateHttpResponse(redirect("account_login"))
        return bool(super().is_open_for_signup(request, sociallogin))

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        """With the user name of the other site, if it is allowed here."""
        name = str(sociallogin.account.extra_data.get("name", ""))
        return {"email": _confirmed(sociallogin)[0], "username": name if _is_allowed(name) else ""}

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]
    ) -> User:
        """Take over nothing but the address."""
        user: User = sociallogin.user
        user.email = next(iter(_confirmed(sociallogin)), "")
        return user


def _confirmed(sociallogin: SocialLogin) -> list[str]:
    """The addresses that the other site has confirmed, the primary one first. Only ``True`` counts,
    not whatever else is true in Python."""
    found = [one for one in sociallogin.email_addresses if one.verified is True]
    return [one.email for one in sorted(found, key=lambda one: not one.primary)]


def _is_allowed(name: str) -> bool:
    try:
        for validate in VALIDATORS:
            validate(name)
    except ValidationError:
        return False
    return True


def _free_unconfirmed(email: str) -> None:
    """Take the address from accounts that were given it here and never confirmed it."""
    with transaction.atomic():
        unconfirmed = EmailAddress.objects.filter(email__iexact=email, verified=False)
        users = list(unconfirmed.values_list("user", flat=True))
        unconfirmed.delete()
        User.objects.filter(pk__in=users, email__iexact=email).update(email="")
