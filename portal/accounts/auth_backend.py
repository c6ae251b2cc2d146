"""An address with an account is answered after as long as one without: time would tell it too.

What takes time is the hash of a password; everything else is lost in the noise of a network.
"""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest, HttpResponse

from portal.models import User


class OneHash(AuthenticationBackend):  # type: ignore[misc]  # a package without types
    """Who signs in with an address is looked for once.

    The form gives it as address and as name, and the package tries both as an address.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: str) -> User | None:
        if credentials.get("email") == credentials.get("username"):
            credentials.pop("email", None)
        found: User | None = super().authenticate(request, **credentials)
        return found


class OneHashForSignUp(DefaultAccountAdapter):  # type: ignore[misc]  # likewise
    def respond_email_verification_sent(
        self, request: HttpRequest, user: User | None
    ) -> HttpResponse:
        """Without a user nothing was made, as the address has an account already."""
        if user is None:
            make_password("as for a new account")
        answer: HttpResponse = super().respond_email_verification_sent(request, user)
        return answer
