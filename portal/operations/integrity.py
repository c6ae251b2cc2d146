"""Whether the site is intact: its audit log."""

import hashlib
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.db import connection

from portal.audit.chain import EMPTY, BrokenLogError, Link, verify_log
from portal.models import AuditHead

# Not needed by a restored site: sessions, so that everybody signs in again, and what is recomputed.
LEFT_OUT = ("django_session", "portal_cache", "portal_heartbeat")


class IntegrityError(Exception):
    """What is wrong, as a sentence."""


def log_head() -> Link:
    """The newest entry of the audit log. Works with a database that is not migrated yet, too."""
    head = AuditHead.objects.values_list("entries", "hash").first()
    return Link(*head) if head else EMPTY


def verify_audit_log(known: Link) -> None:
    """``known``: an entry that must still be there. Raises ``IntegrityError``."""
    try:
        verify_log(known)
    except BrokenLogError as error:
        raise IntegrityError(f"The audit log is broken. {error}") from error


def row_counts() -> dict[str, int]:
    tables = sorted(set(connection.introspection.table_names()) - {*LEFT_OUT})
    counts = {}
    with connection.cursor() as cursor:
        for table in tables:
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT count(*) FROM {name}")  # noqa: S608 - quoted by Django
            [counts[table]] = cursor.fetchone() or [0]
    return counts


def fingerprints() -> dict[str, list[str]]:
    """Of the secrets, which no backup holds, to tell whether the right ones are set. Slow to
    compute, so that a short secret cannot be guessed from its fingerprint."""
    values = {
        "SECRET_KEY": [settings.SECRET_KEY],
        "SECOND_FACTOR_SECRETS": settings.SECOND_FACTOR_SECRETS,
        "ENDPOINT_KEY_SECRETS": settings.ENDPOINT_KEY_SECRETS,
    }
    return {
        name: [
            hashlib.scrypt(secret.encode(), salt=name.encode(), n=1 << 14, r=8, p=1, dklen=8).hex()
            for secret in secrets
        ]
        for name, secrets in values.items()
    }


def missing_secrets(expected: Mapping[str, Iterable[str]]) -> list[str]:
    """Names of settings that lack an expected secret."""
    present = fingerprints()
    return [name for name, known in expected.items() if not {*known} <= {*present.get(name, ())}]
