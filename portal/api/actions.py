"""Actions: a POST that does one thing to a record, and answers with the updated record."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import Fields, fields_of
from portal.models import Action, User
from portal.permissions.actions import ACTIONS
from portal.web.problems import problems

_Record = TypeVar("_Record")


class ActionView(TokenView, ABC, Generic[_Record]):
    sends: ClassVar[Fields | None] = None  # set by ``action``

    def post(self, request: Request, **named: UUID) -> Response:
        user = owner_of(request)
        [record_id] = named.values()
        self.act(self.find(user, record_id), user, fields_of(request, self.sends))
        return Response(self.document(user, record_id))

    @abstractmethod
    def find(self, user: User, record_id: UUID, /) -> _Record:
        """What the user may act on. Raises ``Http404`` and ``NotAllowedError``."""

    @abstractmethod
    def act(self, record: _Record, user: User, fields: dict[str, Any], /) -> None: ...

    @abstractmethod
    def document(self, user: User, record_id: UUID, /) -> dict[str, Any]:
        """The record as it is now."""


def action(
    operation_id: str,
    summary: str,
    description: str,
    request: Fields | None = None,
    *,
    tag: str,
    answer: type[BaseSerializer[Any]],
    conflicts: Sequence[str],
    refusals: Mapping[int, Sequence[str]] | None = None,
    of_fields: Sequence[str] = (),
) -> Any:  # noqa: ANN401 - a decorator of classes
    """Describes an ``ActionView``, and sets the fields that it takes.

    ``request``: the fields of the body; None: none. ``conflicts``: its codes of 409. ``refusals``:
    its codes of other statuses, besides those that all actions have. ``of_fields``: its own codes
    of single fields.
    """
    known = {400: ["no_object"], 409: conflicts, 422: ["invalid_fields"]}
    describe = extend_schema_view(
        post=extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            tags=[tag],
            request=request,
            responses={200: answer, **problems({**known, **(refusals or {})}, of_fields=of_fields)},
        )
    )

    def decorate(view: type[ActionView[_Record]]) -> Any:  # noqa: ANN401 - as it is described
        view.sends = request
        return describe(view)

    return decorate


def conflicts_of(*actions: Action) -> list[str]:
    """The codes of 409 of these actions, from the table of actions."""
    codes = {"wrong_state": True}
    for rule in map(ACTIONS.__getitem__, actions):
        codes |= {condition.code: True for condition in rule.conditions}
    return list(codes)
