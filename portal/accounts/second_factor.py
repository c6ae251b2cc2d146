"""What allauth asks of the site about second factors: names, texts, and how secrets are stored."""

from base64 import urlsafe_b64encode
from hashlib import sha256

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.template.loader import render_to_string

from portal.audit.records import log_record
from portal.mail.outbox import queue_account_email
from portal.models import User

_TITLE = "∞Bench"


class UnreadableSecretError(Exception):
    """None of this site's secrets fits."""


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # a package without types
    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This did not work: the code or key is wrong, or too old. Try again.",
        "cannot_generate_recovery_codes": (
            "Recovery codes replace a second factor: add an authenticator app or a passkey first."
        ),
        "unreadable_secret": (
            "This site can no longer read what your authenticator app shares with it. Use a "
            "passkey, or ask an admin."
        ),
    }

    def encrypt(self, text: str) -> str:
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Raises ``ValidationError`` where none of the secrets fits."""
        try:
            return _fernet().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise self.validation_error("unreadable_secret") from None

    def generate_authenticator_name(self, user: AbstractBaseUser, type: str) -> str:  # noqa: A002 - allauth's
        """The name of a passkey to which its owner gives none."""
        number = user.authenticator_set.filter(type=type).count() + 1  # type: ignore[attr-defined]
        return f"Passkey {number}"

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return user.get_username()

    def _get_user_identifier(self, user: AbstractBaseUser) -> str:
        """The name under which a device shows a passkey that it holds."""
        return user.get_username()

    def _get_site_name(self) -> str:
        return _TITLE


def remove_second_factors(user: User, *, by: User | None) -> bool:
    """For somebody who has lost them: ends their sessions, and notifies them. Returns whether there
    were any.

    ``by``: an admin; None: whoever runs the site, by a command.
    """
    with transaction.atomic():
        deleted, _rows = Authenticator.objects.filter(user=user).delete()
        if not deleted:
            return False
        for session in UserSession.objects.filter(user=user):
            session.end()
        log_record(user, {"second_factor": "there"}, {"second_factor": ""}, by=by)
        if user.email:
            body = render_to_string(
                "mail/second_factor_removed.txt",
                {"who": user.username, "site": settings.SITE_URL},
            )
            subject = "Your second factor was removed"
            queue_account_email(subject, body, address=user.email, user=user)
    return True


def renew_ciphertext(ciphertext: str) -> str:
    """Encrypt it again, under the first secret. Raises ``UnreadableSecretError``."""
    try:
        return _fernet().rotate(ciphertext.encode()).decode()
    except InvalidToken:
        raise UnreadableSecretError from None


def _fernet() -> MultiFernet:
    """``SECRET_KEY`` is one of the secrets, so that sites need not set others."""
    secrets = [*settings.SECOND_FACTOR_SECRETS, settings.SECRET_KEY]
    digests = (sha256(b"second factor\n" + secret.encode()).digest() for secret in secrets)
    return MultiFernet(Fernet(urlsafe_b64encode(digest)) for digest in digests)
