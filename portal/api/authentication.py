"""Whom a client acts for, and what it may do: its token says so, never a cookie."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.accounts.tokens import find_token
from portal.api.parsers import JsonParser
from portal.models import ApiToken, Scope, Submission, User
from portal.permissions.access import get_submission, owns
from portal.web.query_parameters import check_parameters
from portal.web.throttle import count_expensive

_SCHEME = "Bearer"
_CHALLENGE = f'{_SCHEME} realm="api"'


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer TOKEN``. A wrong token counts towards the throttle of its address."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = request.headers.get("Authorization", "")
        scheme, _, text = header.partition(" ")
        if scheme.lower() != _SCHEME.lower():
            return None
        token = find_token(text.strip())
        if token is None:
            count_expensive(django_request(request))
            raise AuthenticationFailed(
                "The token is unknown, has expired or was revoked. Make another on your profile: "
                f"{settings.SITE_URL}{reverse('tokens')}",
                "bad_token",
            )
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401, as in RFC 6750: without an error if no token was sent."""
        scheme, _, _ = request.headers.get("Authorization", "").partition(" ")
        error = ', error="invalid_token"' if scheme.lower() == _SCHEME.lower() else ""
        return f"{_CHALLENGE}{error}"


class IsInScope(BasePermission):
    """Whether the token has the scope that the view names for the method."""

    def has_permission(self, request: Request, view: Any) -> bool:  # noqa: ANN401 - as in DRF
        token = request.auth
        if not isinstance(token, ApiToken):
            return False  # answered with 401, because the authentication class has a header
        needed = view.scopes.get("GET" if request.method == "HEAD" else request.method)
        if needed and needed not in token.scopes:  # other methods are answered with 405
            raise MissingScope(needed)
        if needed == Scope.REVIEW and token.owner.needs_second_factor:
            raise PermissionDenied(
                "Reviewers need a second factor here. Its owner can add one: "
                f"{settings.SITE_URL}{reverse('mfa_index')}",
                "second_factor",
            )
        if needed == Scope.REVIEW and not token.owner.is_reviewer:
            raise PermissionDenied("Its owner is no reviewer.", "no_reviewer")
        return True


class TokenView(APIView):
    """For clients with a token; always in English. ``scopes``: what each method needs."""

    authentication_classes = (TokenAuthentication,)
    permission_classes = (IsInScope,)
    parser_classes: Sequence[type[BaseParser]] = (JsonParser,)
    http_method_names = ["get", "head", "post", "delete"]  # noqa: RUF012 - as in Django
    scopes: ClassVar[Mapping[str, Scope]]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        check_parameters(self, request)

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-store"
        return response


class MissingScope(PermissionDenied):
    default_code = "missing_scope"

    def __init__(self, needed: Scope) -> None:
        super().__init__(f"The token lacks the scope “{needed}”.")
        self.auth_header = f'{_CHALLENGE}, error="insufficient_scope", scope="{needed}"'


def owner_of(request: Request) -> User:
    """The user whom the client acts for."""
    token: Any = request.auth
    owner: User = token.owner
    return owner


def submission_of(request: Request, submission_id: UUID) -> Submission:
    """A submission that the owner of the token may see. One that only a reviewer sees also needs
    the scope ``review``: a token without it reads only its owner's own. Raises ``Http404`` and
    ``PermissionDenied``."""
    user = owner_of(request)
    submission = get_submission(user, submission_id)
    token: Any = request.auth
    if Scope.REVIEW not in token.scopes and not owns(user, submission):
        raise MissingScope(Scope.REVIEW)
    return submission


def django_request(request: Request) -> HttpRequest:
    """Django's own request, whose body has not been read."""
    wrapped: HttpRequest = request._request
    return wrapped
