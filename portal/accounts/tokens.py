"""Create, find and revoke the tokens with which programs act for a user."""

import secrets
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.crypto import constant_time_compare
from django.utils.timezone import now

from portal.errors import StateError
from portal.models import ApiToken, User

PREFIX = "ibench_"  # by which programs that look for leaked secrets recognise a token
LIFETIMES = (30, 90, 365)  # days
MOST_TOKENS = 20  # of a user, in force at once
_BYTES = 32
_SHOWN = len(PREFIX) + 4  # characters of the beginning that is kept
_NOTED_EVERY = timedelta(minutes=1)


class NewToken(NamedTuple):
    token: ApiToken
    text: str  # not kept anywhere


def create_token(owner: User, name: str, scopes: Collection[str], days: int) -> NewToken:
    """A token that expires in so many days.

    Raises ``StateError`` where its name is in use or the user has too many.
    """
    text = PREFIX + secrets.token_urlsafe(_BYTES)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # one at a time
        own = tokens_of(owner)
        if any(one.name == name for one in own):
            raise StateError("You have a token of this name already.", "name_in_use")
        if len(own) >= MOST_TOKENS:
            most = {"most": MOST_TOKENS}
            raise StateError(
                "You have {most} tokens. Revoke one that is not used any more.".format(**most),
                "too_many_tokens",
            )
        # The name of an expired token is free again.
        ApiToken.objects.filter(owner=owner, name=name, revoked=None).update(revoked=Now())
        token = ApiToken.objects.create(
            owner=owner,
            name=name,
            beginning=text[:_SHOWN],
            digest=_digest(text),
            auth_hash=owner.get_session_auth_hash(),
            scopes=sorted(scopes),
            expires=now() + timedelta(days=days),
        )
    return NewToken(token, text)


def tokens_of(owner: User) -> list[ApiToken]:
    """Those in force, the newest first."""
    found = ApiToken.objects.in_force().filter(owner=owner)
    return [one for one in found if _has_same_password(one, owner)]


def find_token(text: str) -> ApiToken | None:
    """The token in force with this text, with its owner. Its use is noted, once a minute.

    It is found by its hash, so the time of the search discloses nothing about the token.
    """
    found = ApiToken.objects.in_force().select_related("owner").filter(digest=_digest(text)).first()
    if found is not None and not _has_same_password(found, found.owner):
        return None
    if found is not None and (found.used is None or found.used < now() - _NOTED_EVERY):
        earlier = Q(used=None) | Q(used__lt=Now() - _NOTED_EVERY)  # once for concurrent requests
        ApiToken.objects.filter(earlier, pk=found.pk).update(used=Now())
    return found


def revoke_token(owner: User, token_id: int) -> bool:
    """Returns whether the user had such a token in use. It is refused from now on."""
    own = ApiToken.objects.filter(owner=owner, revoked=None, pk=token_id)
    return bool(own.update(revoked=Now()))


def _has_same_password(token: ApiToken, owner: User) -> bool:
    """Whether the password is the one of when the token was created."""
    return constant_time_compare(token.auth_hash, owner.get_session_auth_hash())


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
