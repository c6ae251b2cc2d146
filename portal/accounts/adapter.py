"""What allauth asks of the site: its error messages, its mails, and where users land."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from portal.accounts.known_devices import known_device, remember_device
from portal.mail.outbox import queue_account_email
from portal.models import User

_NO_MATCH = _("Wrong user name or password.")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # a package without types
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _NO_MATCH,
        "email_password_mismatch": _NO_MATCH,
        "too_many_login_attempts": _(
            "Too many wrong passwords, so even the right one is refused for now. Wait five "
            "minutes (an hour after very many attempts), or reset your password, which signs you "
            "in at once."
        ),
        "incorrect_password": _("Wrong password."),
        "enter_current_password": _("Wrong password."),
        "username_taken": _("This user name is taken."),
        "email_taken": _("An account with this email address already exists."),
        "duplicate_email": _("This is already your email address."),
        "same_as_current": _("This is already your email address."),
        "rate_limited": _("Too many attempts. Wait a few minutes, then try again."),
    }

    def pre_authenticate(self, request: HttpRequest, **credentials: str) -> None:
        """Count the attempt, which is taken back if it succeeds. Raises ``ValidationError``."""
        login = credentials.get("email") or credentials.get("username", "")
        if device := known_device(request, login):
            action, key = "login_failed_on_known_device", device
        else:
            action, key = "login_failed", self._get_login_attempts_cache_key(request, **credentials)
        self._login_failed_rl_usage = ratelimit.consume(
            request, app="allauth.account", action=action, key=key
        )
        if not self._login_failed_rl_usage:
            raise self.validation_error("too_many_login_attempts")

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:  # noqa: ANN401 - allauth's
        response: HttpResponse = super().post_login(request, user, **details)
        remember_device(request, response, user)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        is_reviewer = isinstance(request.user, User) and request.user.is_reviewer
        return reverse("review" if is_reviewer else "submissions")

    def respond_email_verification_sent(
        self, request: HttpRequest, user: User | None
    ) -> HttpResponse:
        """Without a user there was an account already, and nothing was made. The password is hashed
        all the same, so that the time does not show it."""
        if user is None:
            make_password("as for a new account")
        response: HttpResponse = super().respond_email_verification_sent(request, user)
        return response

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """By a worker: the page that asks for it must not depend on the mail server."""
        mail = self.render_mail(template_prefix, email, {"request": self.request, **context})
        user = context.get("user")
        known = user if isinstance(user, User) else None
        queue_account_email(str(mail.subject), str(mail.body), address=email, user=known)

    def format_email_subject(self, subject: str) -> str:
        """Without the prefix, which every mail gets when it is sent."""
        return subject

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Links lead to ``SITE_URL``, whatever the Host header says.

        Otherwise an attacker could have a mail sent whose link brings its key to another host.
        """
        here = urlsplit(settings.SITE_URL)
        links = {
            name: urlsplit(url)._replace(scheme=here.scheme, netloc=here.netloc).geturl()
            for name, url in context.items()
            if name.endswith("_url")
        }
        full = {**context, **links, "email": email, "current_site": {"domain": here.netloc}}
        mail: EmailMessage = super().render_mail(template_prefix, email, full, headers)
        return mail
