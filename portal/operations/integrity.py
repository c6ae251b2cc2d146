"""Whether the site is intact: its logs and its receipts."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

from django.conf import settings
from django.db import connection

from portal.audit.chain import EMPTY, BrokenLogError, Link, verify_log
from portal.ledger.chain import verify_ledger
from portal.models import AuditHead, Evaluation, LedgerHead
from portal.scores.documents.receipts import has_receipts, receipt_of
from scoring.ledger import BrokenLedgerError, Head
from scoring.receipts import ReceiptError, canonical_json, check_receipt

# Not needed by a restored site: sessions, so that everybody signs in again, and what is recomputed.
LEFT_OUT = ("django_session", "portal_cache", "portal_heartbeat")
MOST_RECEIPTS = 200


class LogHeads(NamedTuple):
    """The newest entry of each log."""

    audit: Link
    ledger: Head

    @classmethod
    def parse(cls, audit: str, ledger: str) -> Self:
        (first, _, link), (second, _, head) = audit.partition(":"), ledger.partition(":")
        return cls(Link(int(first), link), Head(int(second), head))


class IntegrityError(Exception):
    """What is wrong, as a sentence."""


def log_heads() -> LogHeads:
    audit = AuditHead.objects.values_list("entries", "hash").first()
    ledger = LedgerHead.objects.values_list("entries", "hash").first()
    return LogHeads(Link(*audit) if audit else EMPTY, Head(*ledger) if ledger else Head())


def verify_logs(known: LogHeads | None = None) -> LogHeads:
    """``known``: entries that must still be there. Raises ``IntegrityError``."""
    try:
        if known is None:
            return LogHeads(verify_log(), verify_ledger())
        return LogHeads(verify_log(known.audit), verify_ledger(known.ledger))
    except BrokenLogError as error:
        raise IntegrityError(f"The audit log is broken. {error}") from error
    except BrokenLedgerError as error:
        raise IntegrityError(f"The ledger is broken. {error}") from error


def row_counts() -> dict[str, int]:
    tables = sorted(set(connection.introspection.table_names()) - {*LEFT_OUT})
    counts = {}
    with connection.cursor() as cursor:
        for table in tables:
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT count(*) FROM {name}")  # noqa: S608 - quoted by Django
            [counts[table]] = cursor.fetchone() or [0]
    return counts


def receipt_hashes(evaluations: Iterable[str] | None = None) -> dict[str, str]:
    """Hashes of the receipts that this site gives out for these evaluations, or for some of those
    that are scored. Raises ``IntegrityError`` if one does not verify."""
    if not has_receipts():
        return {}
    scored = Evaluation.objects.scored().select_related("submission__release")
    chosen = scored.order_by("?")[:MOST_RECEIPTS]
    if evaluations is not None:
        chosen = scored.filter(pk__in=[int(one) for one in evaluations])
    found = {}
    for evaluation in chosen:
        receipt = json.loads(json.dumps(receipt_of(evaluation)))
        try:
            check_receipt(receipt)
        except ReceiptError as error:
            raise IntegrityError(f"The receipt of evaluation {evaluation.pk}: {error}") from error
        digest = hashlib.sha256(canonical_json(receipt).encode())
        found[str(evaluation.pk)] = digest.hexdigest()
    return found


def fingerprints() -> dict[str, list[str]]:
    """Of the secrets, which no backup holds, to tell whether the right ones are set. Slow to
    compute, so that a short secret cannot be guessed from its fingerprint."""
    values = {
        "SECRET_KEY": [settings.SECRET_KEY],
        "SECOND_FACTOR_SECRETS": settings.SECOND_FACTOR_SECRETS,
        "ENDPOINT_KEY_SECRETS": settings.ENDPOINT_KEY_SECRETS,
        "RECEIPT_KEYS": settings.RECEIPT_KEYS,
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
