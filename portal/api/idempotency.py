"""Requests that are sent again under their ``Idempotency-Key`` are carried out once, as in
draft-ietf-httpapi-idempotency-key-header.

The id of what a request makes is computed from its key: what was made is found by it, in whichever
process, and nobody else can know it before.
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
_COMPARED_FOR = timedelta(days=7)  # later, what was made is given back without a look at the rest


def key_parameter(made: str) -> OpenApiParameter:
    """For the description of an address that makes something."""
    return OpenApiParameter(
        "Idempotency-Key",
        location=OpenApiParameter.HEADER,
        description=f"Any text of your own, at most {_LONGEST} characters, such as a UUID: however "
        f"often a request arrives with it, it makes one {made}. Send it again with the same key "
        "when the connection broke off.",
    )


class OtherContent(InvalidFields):
    """No field is wrong by itself."""

    default_detail = "This Idempotency-Key was used for a request with another content."
    default_code = "idempotency_key_reused"


def id_of_key(request: Request, what: str) -> UUID | None:
    """Of what the request makes, such as “submission”; None: it has no key."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return None
    if len(key) > _LONGEST:
        raise ParseError(f"Idempotency-Key has at most {_LONGEST} characters.", "long_key")
    return UUID(bytes=_digest(what, f"{owner_of(request).pk}/{key}")[:16], version=4)


@contextmanager
def one_after_the_other(made: UUID | None) -> Iterator[None]:
    """Requests with the same key, in whichever process: each in a transaction, at whose end
    PostgreSQL gives up the lock. One that held beyond it would stay with whoever pgbouncer lends
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
    """``sent``: everything that decides, as JSON can hold it. Raises ``OtherContent`` where the
    first request with this key was another one."""
    first = RequestKey.objects.filter(pk=made).first()
    if first and not constant_time_compare(first.digest, _digest("content", _text(sent)).hex()):
        raise OtherContent


def remember(owner: User, made: UUID | None, sent: object) -> None:
    """What the first request with a key was: once it is carried out, for one that was refused may
    be mended and sent again under its key."""
    if made is None:
        return
    RequestKey.objects.filter(owner=owner, at__lt=Now() - _COMPARED_FOR).delete()
    digest = _digest("content", _text(sent)).hex()
    RequestKey.objects.update_or_create(pk=made, defaults={"owner": owner, "digest": digest})


def _text(sent: object) -> str:
    return json.dumps(sent, sort_keys=True)


def _digest(what: str, text: str) -> bytes:
    """Of this site alone: what was sent may be secret."""
    return salted_hmac(f"portal.api.idempotency.{what}", text, algorithm="sha256").digest()
