"""Requests that are sent again with their ``Idempotency-Key`` are carried out once, as in
draft-ietf-httpapi-idempotency-key-header.

The id of what a request creates is computed from its key, so any process finds what was created,
and nobody else can know the id beforehand.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.crypto import constant_time_compare, salted_hmac
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from portal.api.authentication import owner_of
from portal.api.errors import InvalidFields
from portal.models import RequestKey, User

REPLAYED = "Idempotency-Replayed"
IS_REPLAYED = OpenApiParameter(
    REPLAYED,
    location=OpenApiParameter.HEADER,
    response=[200],
    description="`true`: an earlier request with this key has made it.",
)
_LONGEST = 200  # characters
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    location=OpenApiParameter.HEADER,
    description=f"Any text of your own, at most {_LONGEST} characters, such as a UUID: however "
    "often a request arrives with it, it makes one submission. Send it again with the same key "
    "when the connection broke off.",
)
_COMPARED_FOR = timedelta(days=7)  # after that, a repeated request is answered without a comparison


class OtherContent(InvalidFields):
    """No single field is wrong."""

    default_detail = "This Idempotency-Key was used for a request with another content."
    default_code = "idempotency_key_reused"


def id_of_key(request: Request) -> UUID | None:
    """The id of the submission that the request creates. None: it has no key."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return None
    if len(key) > _LONGEST:
        raise ParseError(f"Idempotency-Key has at most {_LONGEST} characters.", "long_key")
    return UUID(bytes=_digest("submission", f"{owner_of(request).pk}/{key}")[:16], version=4)


@contextmanager
def one_after_the_other(made: UUID | None) -> Iterator[None]:
    """Serialises requests with the same key, across processes. Each runs in a transaction, at whose
    end PostgreSQL releases the lock: a lock of the session would stay with whomever pgbouncer gives
    the connection to next."""
    if made is None:
        yield
        return
    number = int.from_bytes(made.bytes[:8], signed=True)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])
        yield


def check_same(made: UUID, sent: object) -> None:
    """``sent``: all content that matters, as JSON. Raises ``OtherContent`` if the first request
    with this key had another content."""
    first = RequestKey.objects.filter(pk=made).first()
    if first and not constant_time_compare(first.digest, _digest("content", _text(sent)).hex()):
        raise OtherContent


def remember(owner: User, made: UUID | None, sent: object) -> None:
    """Store the content of the first request with a key. Called once it has been carried out: a
    refused request may be corrected and sent again with its key."""
    if made is None:
        return
    RequestKey.objects.filter(owner=owner, at__lt=Now() - _COMPARED_FOR).delete()
    digest = _digest("content", _text(sent)).hex()
    RequestKey.objects.update_or_create(pk=made, defaults={"owner": owner, "digest": digest})


def _text(sent: object) -> str:
    return json.dumps(sent, sort_keys=True)


def _digest(what: str, text: str) -> bytes:
    """Keyed with this site's secret, since the content may be secret."""
    return salted_hmac(f"portal.api.idempotency.{what}", text, algorithm="sha256").digest()
