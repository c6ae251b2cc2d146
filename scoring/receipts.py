"""Receipts: what a site has scored, signed, so that anybody can check it later without the site.

A receipt is a JSON object: the ``payload``, the public ``key`` in base64, and in ``signature`` the
Ed25519 signature (RFC 8032) of ``signed_bytes``, in base64. Whether the key is that of the site is
for the reader to find out: sites publish theirs.
"""

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

FORM = "infinitebench-receipt-1"

_FIELDS = frozenset({"form", "payload", "key", "signature"})
_KEY_BYTES = 32
_SIGNATURE_BYTES = 64

Payload = dict[str, Any]


class ReceiptError(ValueError):
    """It is no receipt, or one that nobody has signed as it is."""


class Receipt(NamedTuple):
    payload: Payload
    key: str  # that has signed it, in base64


def signed_bytes(payload: Mapping[str, Any]) -> bytes:
    """A line with ``FORM``, and the payload as JSON in UTF-8: keys sorted, no spaces, numbers as
    Python writes them. Equal payloads have equal bytes, in whatever order their keys came."""
    return f"{FORM}\n{canonical_json(payload)}".encode()


def canonical_json(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def signed_receipt(payload: Payload, key: Ed25519PrivateKey) -> dict[str, object]:
    """The document; always the same for the same payload and key."""
    return {
        "form": FORM,
        "payload": payload,
        "key": public_key(key),
        "signature": b64encode(key.sign(signed_bytes(payload))).decode(),
    }


def public_key(key: Ed25519PrivateKey) -> str:
    """In base64, as in receipts."""
    return b64encode(key.public_key().public_bytes_raw()).decode()


def check_receipt(document: object) -> Receipt:
    """What was signed, and with which key. Raises ``ReceiptError``."""
    if not isinstance(document, dict) or document.get("form") != FORM:
        raise ReceiptError(f"It is no receipt: “form” is not “{FORM}”.")
    if document.keys() - _FIELDS:
        raise ReceiptError("It has fields beside the payload, which nobody has signed.")
    payload = document.get("payload")
    if not isinstance(payload, dict):
        raise ReceiptError("It has no payload.")
    key = _bytes_of(document, "key", _KEY_BYTES)
    signature = _bytes_of(document, "signature", _SIGNATURE_BYTES)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed_bytes(payload))
    except (InvalidSignature, UnicodeEncodeError):
        raise ReceiptError("The signature does not fit: it was changed after signing.") from None
    return Receipt(payload, b64encode(key).decode())


def _bytes_of(document: Mapping[str, object], name: str, length: int) -> bytes:
    """Raises ``ReceiptError``."""
    try:
        found = b64decode(str(document.get(name, "")), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != length:
        raise ReceiptError(f"Its “{name}” is not {length} bytes in base64.")
    return found
