"""Receipts of evaluations: what was scored, when, and with which result, signed by this site.

Nothing is stored: an evaluation always has the same receipt as long as the first of
``RECEIPT_KEYS`` stays the same. Earlier keys stay in that list, and thus on the page that publishes
them.
"""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from portal.models import Evaluation
from portal.scores.documents.reports import report_summary
from scoring.receipts import Payload, public_key, signed_receipt


def has_receipts() -> bool:
    return bool(settings.RECEIPT_KEYS)


def receipt_of(evaluation: Evaluation) -> dict[str, object]:
    """The receipt of a scored evaluation, with all that may be public: on a hidden release, what
    its page discloses, and no hash of labels. Raises ``IndexError`` if the site has no key."""
    submission = evaluation.submission
    scored = evaluation.public_finished
    payload: Payload = {
        "site": settings.SITE_URL,
        "submission": str(submission.pk),
        "evaluation": evaluation.pk,
        "model": submission.title,
        "release": submission.release.slug,
        "scored": scored.isoformat() if scored else None,
        "align": evaluation.align or None,
        **report_summary(evaluation, exact=not submission.release.hidden),
    }
    return signed_receipt(payload, _keys()[0])


def receipt_keys() -> list[str]:
    """The public keys of all receipts of this site, in base64, the newest first."""
    return [public_key(key) for key in _keys()]


def _keys() -> list[Ed25519PrivateKey]:
    return [_key_from(secret) for secret in settings.RECEIPT_KEYS]


def _key_from(secret: str) -> Ed25519PrivateKey:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"infinitebench receipts")
    return Ed25519PrivateKey.from_private_bytes(derived.derive(secret.encode()))
