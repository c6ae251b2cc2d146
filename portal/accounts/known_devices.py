"""Browsers in which a user has signed in before, so that an attack cannot lock them out.

Wrong passwords have to be counted by name as well as by address, or an attacker with many
addresses could guess without end. But then anybody can use up the count of a name, and its owner is
refused too. So a browser in which the owner has signed in gets a signed cookie, and its wrong
passwords are counted separately. Everybody else shares the count of the name, whether they have no
cookie or that of another account. An owner in a new browser can be held up while an attack goes on,
but not kept out: the link of a password reset signs in.

Nothing is stored: the cookie holds a random number, by which its wrong passwords are counted, and
the last few users who have signed in there. It opens nothing by itself.
"""

import secrets
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from portal.models import User

COOKIE = f"{settings.COOKIE_PREFIX}device"
_SALT = "portal.accounts.known_devices"
_LIFE = timedelta(days=365)
_USERS = 5  # on one device


def known_device(request: HttpRequest, login: str) -> str:
    """The number of this browser if the user of this name or address has signed in with it, else
    an empty string."""
    number, users = _read(request)
    return number if users and users_called(login).filter(pk__in=users).exists() else ""


def users_called(login: str) -> QuerySet[User]:
    """Those who can sign in with this name or address."""
    named = Q(username__iexact=login) | Q(emailaddress__email__iexact=login)
    return User.objects.filter(named).distinct()


def remember_device(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """The number stays the same, so that signing in to another account gives no new count."""
    number, users = _read(request)
    users = [user.pk, *(pk for pk in users if pk != user.pk)][:_USERS]
    response.set_signed_cookie(
        COOKIE,
        ".".join([number or secrets.token_hex(8), *map(str, users)]),
        salt=_SALT,
        max_age=_LIFE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[int]]:
    """The number and the users; empty where there is no cookie, or it was not signed here."""
    value = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=_LIFE)
    number, *users = (value or "").split(".")
    return number, [int(pk) for pk in users]
