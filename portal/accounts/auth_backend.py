"""Sign-in that takes as long for a known address as for an unknown one.

Otherwise the time would show which addresses have an account. What takes time is the hash of a
password; everything else is lost in the noise of a network.
"""

from allauth.account.auth_backends import AuthenticationBackend
from django.http import HttpRequest

from portal.models import User


class ConstantTimeAuthBackend(AuthenticationBackend):  # type: ignore[misc]  # a package without types
    """Hashes once. The form gives an address both as email and as username, and allauth would try
    each."""

    def authenticate(self, request: HttpRequest | None, **credentials: str) -> User | None:
        if credentials.get("email") == credentials.get("username"):
            credentials.pop("email", None)
        found: User | None = super().authenticate(request, **credentials)
        return found
