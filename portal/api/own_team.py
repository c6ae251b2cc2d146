"""What people do with a team of theirs: edit, leave and delete it, and manage who is in it.

Each view calls the same service as the page; the service checks who may.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import errors_of_fields, valid
from portal.api.teams import NAME_CODES, OF_THE_NAME, InvitationSerializer, TeamSerializer
from portal.models import Membership, Scope, Team, TeamRole, User
from portal.permissions.access import get_team
from portal.teams.forms import InvitationForm, MemberForm, ShownForm, TeamForm
from portal.teams.invitations import invite, revoke_invitation
from portal.teams.names import MAX_LENGTH
from portal.teams.services import (
    change_role,
    delete_team,
    edit_team,
    leave_team,
    remove_member,
    show_in_team,
)
from portal.web.problems import problems

_TAGS = ["Teams"]
_NOT_OWNER = {403: ["not_allowed"]}
_INVALID = {400: ["no_object"], 422: ["invalid_fields"]}


class SentTeamChangeSerializer(serializers.Serializer[Any]):
    """What is to be changed of a team."""

    name = serializers.CharField(
        max_length=MAX_LENGTH, required=False, help_text="No other team can have a similar one."
    )
    link = serializers.CharField(
        max_length=200, required=False, help_text="Where more is said of it."
    )


class SentInvitationSerializer(serializers.Serializer[Any]):
    """Who is invited."""

    invited = serializers.CharField(
        max_length=254,
        help_text="A user name or an email address. The answer does not say whether there is such "
        "an account.",
    )
    role = serializers.ChoiceField(
        choices=TeamRole.values, required=False, help_text="Default: `member`."
    )


class SentRoleSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=TeamRole.values, help_text="What they are from now on.")


class SentShownSerializer(serializers.Serializer[Any]):
    shown = serializers.BooleanField(help_text="Whether the public page of the team names you.")


class TeamInvitationSerializer(InvitationSerializer):
    """An open invitation to a team of yours."""

    invited = serializers.CharField(help_text="The user name or email address.")


class TeamInvitationsSerializer(serializers.Serializer[Any]):
    """The open invitations to a team."""

    invitations = TeamInvitationSerializer(many=True, help_text="The newest first.")


class _OwnTeamView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.TEAMS, "DELETE": Scope.TEAMS}


class TeamView(_OwnTeamView):
    """POST: what is sent is changed. DELETE: while nothing belongs to it."""

    @extend_schema(
        operation_id="edit_team",
        summary="Change a team",
        description="What is not sent stays. Its owners may; the name stays once others know it.",
        tags=_TAGS,
        request=SentTeamChangeSerializer,
        responses={
            200: TeamSerializer,
            **problems({**_INVALID, **_NOT_OWNER, 409: ["known"]}, of_fields=NAME_CODES),
        },
    )
    def post(self, request: Request, team: str) -> Response:
        user = owner_of(request)
        found = get_team(user, team)
        sent = fields_of(request, SentTeamChangeSerializer)
        form = valid(TeamForm({"name": found.name, "link": found.link, **sent}))
        with errors_of_fields(OF_THE_NAME):
            edit_team(found, **form.cleaned_data, by=user)
        return _team(user, found)

    @extend_schema(
        operation_id="delete_team",
        summary="Delete a team",
        description="Its owners may, while nothing belongs to it.",
        tags=_TAGS,
        responses={204: None, **problems({**_NOT_OWNER, 409: ["in_use"]})},
    )
    def delete(self, request: Request, team: str) -> Response:
        user = owner_of(request)
        delete_team(get_team(user, team), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


class LeaveView(_OwnTeamView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.TEAMS}

    @extend_schema(
        operation_id="leave_team",
        summary="Leave a team",
        description="What you have submitted for it stays the team's. A team needs an owner.",
        tags=_TAGS,
        request=None,
        responses={204: None, **problems({403: ["not_allowed"], 409: ["last_owner"]})},
    )
    def post(self, request: Request, team: str) -> Response:
        user = owner_of(request)
        leave_team(get_team(user, team), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


class ShownView(_OwnTeamView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.TEAMS}

    @extend_schema(
        operation_id="show_in_team",
        summary="Show or hide your name",
        description="On the public page of the team. Only you decide it.",
        tags=_TAGS,
        request=SentShownSerializer,
        responses={200: TeamSerializer, **problems(_INVALID)},
    )
    def post(self, request: Request, team: str) -> Response:
        user = owner_of(request)
        found = get_team(user, team)
        form = valid(ShownForm(fields_of(request, SentShownSerializer)))
        show_in_team(found, by=user, shown=form.cleaned_data["shown"])
        return _team(user, found)


class MemberView(_OwnTeamView):
    """POST: another role. DELETE: out of the team."""

    @extend_schema(
        operation_id="change_role",
        summary="Change the role of a member",
        description="Owners may. A team needs an owner.",
        tags=_TAGS,
        request=SentRoleSerializer,
        responses={
            200: TeamSerializer,
            **problems(
                {
                    **_INVALID,
                    **_NOT_OWNER,
                    409: ["last_owner", "not_in_team"],
                    429: ["too_many_teams"],
                }
            ),
        },
    )
    def post(self, request: Request, team: str, username: str) -> Response:
        user = owner_of(request)
        found = get_team(user, team)
        member = _member(found, username)
        sent = fields_of(request, SentRoleSerializer)
        form = MemberForm({**sent, "member": member.username}, team=found)
        form.fields["role"].required = True
        change_role(found, member, valid(form).cleaned_data["role"], by=user)
        return _team(user, found)

    @extend_schema(
        operation_id="remove_member",
        summary="Remove a member",
        description="Owners may. What they have submitted for the team stays the team's.",
        tags=_TAGS,
        responses={204: None, **problems({**_NOT_OWNER, 409: ["last_owner", "not_in_team"]})},
    )
    def delete(self, request: Request, team: str, username: str) -> Response:
        user = owner_of(request)
        found = get_team(user, team)
        remove_member(found, _member(found, username), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


class TeamInvitationsView(_OwnTeamView):
    """GET: the open ones. POST: another one."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.TEAMS}

    @extend_schema(
        operation_id="list_team_invitations",
        summary="Open invitations to a team",
        description="Of a team that you are in.",
        tags=_TAGS,
        responses=TeamInvitationsSerializer,
    )
    def get(self, request: Request, team: str) -> Response:
        invitations = get_team(owner_of(request), team).invitations.open()
        found: Any = invitations.select_related("team", "invited_by")
        return Response({"invitations": TeamInvitationSerializer(found, many=True).data})

    @extend_schema(
        operation_id="invite_to_team",
        summary="Invite somebody",
        description="Owners may. It can be accepted within two weeks; where there is such an "
        "address, a mail tells of it.",
        tags=_TAGS,
        request=SentInvitationSerializer,
        responses={
            201: TeamInvitationSerializer,
            **problems(
                {
                    **_INVALID,
                    **_NOT_OWNER,
                    409: ["in_team", "invited"],
                    429: ["too_many_invitations"],
                }
            ),
        },
    )
    def post(self, request: Request, team: str) -> Response:
        user = owner_of(request)
        found = get_team(user, team)
        sent = fields_of(request, SentInvitationSerializer)
        asked = valid(InvitationForm({"role": TeamRole.MEMBER, **sent})).cleaned_data
        made = invite(found, asked["invited"], asked["role"], by=user)
        return Response(TeamInvitationSerializer(made).data, HTTPStatus.CREATED)


class TeamInvitationView(_OwnTeamView):
    scopes: ClassVar[Mapping[str, Scope]] = {"DELETE": Scope.TEAMS}

    @extend_schema(
        operation_id="cancel_invitation",
        summary="Cancel an invitation",
        description="Owners may, while it is open.",
        tags=_TAGS,
        responses={204: None, **problems(_NOT_OWNER)},
    )
    def delete(self, request: Request, team: str, invitation_id: int) -> Response:
        user = owner_of(request)
        invitations = get_team(user, team).invitations.all()
        revoke_invitation(get_object_or_404(invitations, pk=invitation_id), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


def _member(team: Team, username: str) -> User:
    """A current member. Raises ``Http404``."""
    current = team.memberships.current().select_related("user")
    return get_object_or_404(current, user__username=username).user


def _team(user: User, team: Team) -> Response:
    """The team as it is after the change."""
    own = Membership.objects.current().select_related("team")
    return Response(TeamSerializer(get_object_or_404(own, user=user, team=team)).data)
