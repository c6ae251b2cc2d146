"""Keys of endpoints in the database: encrypted, each for one run and one host.

Fernet takes no associated data, so the run and the host are encrypted together with the key: a
ciphertext that was copied to another run, or is used for another host, is refused.
"""

import json
from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from urllib.parse import urlsplit
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from portal.errors import UserError


class EndpointKeyError(UserError):
    """The key cannot be stored or read; the message has no part of it."""


def idle_key_end() -> CombinedExpression:
    """When to delete the key of a run that has not started or stops running now."""
    return Now() + timedelta(days=settings.IDLE_KEY_DAYS)


def host_of(url: str) -> str:
    """What a key is bound to: host and port, as they are in the address of an endpoint."""
    return urlsplit(url).netloc.lower()


def encrypt_key(key: str, *, run_id: UUID, host: str) -> str:
    """Raises ``EndpointKeyError``."""
    document = json.dumps([str(run_id), host, key])
    return _fernet().encrypt(document.encode()).decode()


def decrypt_key(ciphertext: str, *, run_id: UUID, host: str) -> str:
    """Raises ``EndpointKeyError``, also for the ciphertext of another run or host."""
    try:
        document = _fernet().decrypt(ciphertext.encode())
    except InvalidToken:
        raise EndpointKeyError(
            "The key of this run cannot be read any more. Enter it again.", "unreadable_key"
        ) from None
    bound_run, bound_host, key = json.loads(document)
    if (bound_run, bound_host) != (str(run_id), host):
        raise EndpointKeyError(
            "The key was given for another run or another address. Enter it again.",
            "foreign_key",
        )
    return str(key)


def renew_ciphertext(ciphertext: str) -> str:
    """The same key encrypted with the first secret. Raises ``EndpointKeyError``."""
    try:
        return _fernet().rotate(ciphertext.encode()).decode()
    except InvalidToken:
        raise EndpointKeyError(
            "The key of this run cannot be read any more. Enter it again.", "unreadable_key"
        ) from None


def _fernet() -> MultiFernet:
    secrets: list[str] = settings.ENDPOINT_KEY_SECRETS
    if not secrets:
        raise EndpointKeyError(
            "This site cannot keep keys: its administrator has set no secret for them.",
            "no_secret",
        )
    digests = (sha256(secret.encode()).digest() for secret in secrets)
    return MultiFernet(Fernet(urlsafe_b64encode(digest)) for digest in digests)
