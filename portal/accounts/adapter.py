"""What allauth asks of the site: its error messages, its mails, and where users land."""

import logging
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.mail import EmailMessage
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from portal.accounts.known_devices import known_device, remember_device, users_called
from portal.mail.outbox import queue_account_email
from portal.models import REVIEWERS, User

# Named after the room, not this module: deployments select these lines by that name.
log = logging.getLogger("portal.accounts")

_NO_MATCH = "Wrong user name or password."


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # a package without types
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _NO_MATCH,
        "email_password_mismatch": _NO_MATCH,
        "too_many_login_attempts": (
            "Too many wrong passwords, so even the right one is refused for now. Wait five "
            "minutes (an hour after very many attempts), or reset your password, which signs you "
            "in at once."
        ),
        "incorrect_password": "Wrong password.",
        "enter_current_password": "Wrong password.",
        "username_taken": "This user name is taken.",
        "email_taken": "An account with this email address already exists.",
        "duplicate_email": "This is already your email address.",
        "same_as_current": "This is already your email address.",
        "rate_limited": "Too many attempts. Wait a few minutes, then try again.",
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
            user = users_called(login).first()
            self._log(logging.WARNING, "sign-in refused: too many attempts", user)
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: str) -> None:
        """What was typed as a name is not logged: it may be a password."""
        login = credentials.get("email") or credentials.get("username", "")
        self._log(logging.WARNING, "wrong password", users_called(login).first())

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **details)
        remember_device(request, response, user)
        self._log(logging.INFO, "signed in", user)
        return response

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        self._log(logging.WARNING, "sign-in refused: the account is closed", user)
        response: HttpResponse = super().respond_user_inactive(request, user)
        return response

    def logout(self, request: HttpRequest) -> None:
        user = request.user
        super().logout(request)
        self._log(logging.INFO, "signed out", user)

    def save_user(
        self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True
    ) -> User:
        saved: User = super().save_user(request, user, form, commit)
        self._log(logging.INFO, "signed up", saved)
        return saved

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        confirmed: bool = super().confirm_email(request, email_address)
        if confirmed:
            self._log(logging.INFO, "address confirmed", email_address.user)
        return confirmed

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        self._log(logging.INFO, "password reset requested", user)
        super().send_password_reset_mail(user, email, context)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """The mail about a changed password or address is named for what was done."""
        done = template_prefix.rpartition("/")[2].replace("_", " ")
        self._log(logging.INFO, done, user)
        super().send_notification_mail(template_prefix, user, context, email)

    def _log(self, level: int, event: str, user: object) -> None:
        """With the client's address, which the line of the request does not have."""
        known = {"user": user.pk} if isinstance(user, User) else {}
        log.log(level, event, extra={**known, "address": self.get_client_ip(self.request)})

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Reviewers without a second factor are redirected from there to the page that adds one."""
        is_reviewer = isinstance(request.user, User) and request.user.role in REVIEWERS
        return reverse("review" if is_reviewer else "submissions")

    def respond_email_verification_sent(
        self, request: HttpRequest, user: User | None
    ) -> HttpResponse:
        """Without a user, there was an account already, and none was created. The password is
        hashed all the same, so that the response time does not disclose this."""
        if user is None:
            make_password("as for a new account")
        response: HttpResponse = super().respond_email_verification_sent(request, user)
        return response

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Leave it to a worker: the page that asks for it must not depend on the mail server."""
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

        Otherwise an attacker could have a mail sent whose link takes its key to another host.
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
