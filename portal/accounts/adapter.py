"""What the accounts' package says to people, in the words of this site, and where it leads."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from portal.accounts.auth_backend import OneHashForSignUp
from portal.models import User

_NO_MATCH = _("This name or address and this password do not belong together.")


class InOurWords(OneHashForSignUp):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _NO_MATCH,
        "email_password_mismatch": _NO_MATCH,
        "too_many_login_attempts": _(
            "Too many wrong passwords: now not even the right one opens. Wait five minutes, or an "
            "hour after very many, or reset your password, which signs you in at once."
        ),
        "incorrect_password": _("This is not your password."),
        "enter_current_password": _("This is not your password."),
        "username_taken": _("This name is taken."),
        "email_taken": _("There is an account with this address already."),
        "duplicate_email": _("This is the address of your account already."),
        "same_as_current": _("This is the address of your account already."),
        "rate_limited": _("Too many attempts. Wait a few minutes."),
    }

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Who reviews mostly comes for what waits."""
        reviews = isinstance(request.user, User) and request.user.is_reviewer
        return reverse("review" if reviews else "submissions")

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Links lead to the site as it calls itself, whatever host somebody has asked it by.

        Else a stranger could have a link with a key in it sent that leads elsewhere.
        """
        links = {name: _at_home(url) for name, url in context.items() if name.endswith("_url")}
        ours = {**context, **links, "current_site": {"domain": urlsplit(settings.SITE_URL).netloc}}
        mail: EmailMessage = super().render_mail(template_prefix, email, ours, headers)
        return mail


def _at_home(url: str) -> str:
    path = urlsplit(url)._replace(scheme="", netloc="").geturl()
    return f"{settings.SITE_URL}{path}"
