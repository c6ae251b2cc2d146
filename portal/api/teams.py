"""The teams of the token's owner, creating a team, and invitations to join others."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import Refused, errors_of_fields, valid
from portal.api.my_models import OwnModelSerializer
from portal.endpoint_runs.limits import runs_left_of_team
from portal.models import LanguageModel, Membership, Scope, TeamInvitation, TeamRole
from portal.submissions.quotas import quota_of_team
from portal.teams.forms import MoveForm, TeamForm
from portal.teams.invitations import accept_invitation, decline_invitation, invitations_for
from portal.teams.names import MAX_LENGTH
from portal.teams.services import create_team, move_model
from portal.web.problems import problems

_TAGS = ["Teams"]
NAME_CODES = ["address", "mixed_scripts", "reserved", "name_taken", "name_of_maker"]
OF_THE_NAME = dict.fromkeys(NAME_CODES, "name")


class MemberSerializer(serializers.Serializer[Membership]):
    """Somebody who is in a team now."""

    username = serializers.CharField(source="user.username", help_text="The user name.")
    role = serializers.ChoiceField(
        choices=TeamRole.values, help_text="Owners decide who is in the team."
    )
    joined = serializers.DateTimeField(help_text="Since when.")
    shown = serializers.BooleanField(help_text="Whether the public page of the team names them.")


class TeamSerializer(serializers.Serializer[Membership]):
    """A team, as somebody in it sees it."""

    id = serializers.CharField(
        source="team.slug", help_text="Its ID, as in its URL, and for `team` when you submit."
    )
    name = serializers.CharField(source="team.name", help_text="Its name.")
    link = serializers.CharField(
        source="team.link", help_text="Where more is said of it, or empty."
    )
    role = serializers.ChoiceField(choices=TeamRole.values, help_text="Yours.")
    uploads_left = serializers.SerializerMethodField(
        help_text="Of the team's quota, which is its members' together, in these 24 hours."
    )
    runs_left = serializers.SerializerMethodField(
        help_text="Endpoint runs that may still be started for the team in these 24 hours."
    )
    members = serializers.SerializerMethodField(help_text="Who is in it now.")

    def get_uploads_left(self, membership: Membership) -> int | None:
        return quota_of_team(membership.team).left

    def get_runs_left(self, membership: Membership) -> int:
        return runs_left_of_team(membership.team).today

    @extend_schema_field(MemberSerializer(many=True))
    def get_members(self, membership: Membership) -> list[dict[str, Any]]:
        members: Any = membership.team.memberships.current().select_related("user")
        return list(MemberSerializer(members, many=True).data)


class TeamsSerializer(serializers.Serializer[Any]):
    """Your teams."""

    teams = TeamSerializer(many=True, help_text="By name.")


class InvitationSerializer(serializers.Serializer[TeamInvitation]):
    """An open invitation to you."""

    id = serializers.IntegerField(source="pk", help_text="Its number, for the other addresses.")
    team = serializers.CharField(source="team.name", help_text="The name of the team.")
    team_id = serializers.CharField(
        source="team.slug", help_text="The ID of the team, as in its URL."
    )
    role = serializers.ChoiceField(choices=TeamRole.values, help_text="What you would be in it.")
    invited_by = serializers.CharField(source="invited_by.username", help_text="By whom.")
    expires = serializers.DateTimeField(help_text="Until when it can be accepted.")


class InvitationsSerializer(serializers.Serializer[Any]):
    """The open invitations to you."""

    invitations = InvitationSerializer(many=True, help_text="The newest first.")


class SentTeamSerializer(serializers.Serializer[Any]):
    """A team that you are in."""

    team = serializers.CharField(help_text="Its ID, as in its URL.")


class SentNewTeamSerializer(serializers.Serializer[Any]):
    """A team that there is not yet."""

    name = serializers.CharField(
        max_length=MAX_LENGTH, help_text="No other team can have a similar one."
    )
    link = serializers.CharField(
        max_length=200, required=False, help_text="Where more is said of it."
    )


class TeamsView(TokenView):
    """GET: those that you are in. POST: a new one."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.TEAMS}

    @extend_schema(
        operation_id="list_teams",
        summary="Your teams",
        description="With your role in each, and who else is in it. There are at most 20.",
        tags=_TAGS,
        responses=TeamsSerializer,
    )
    def get(self, request: Request) -> Response:
        own = Membership.objects.current().filter(user=owner_of(request))
        found: Any = own.select_related("team").order_by("team__name", "team__slug")
        return Response({"teams": TeamSerializer(found, many=True).data})

    @extend_schema(
        operation_id="create_team",
        summary="Create a team",
        description="You are its first owner.",
        tags=_TAGS,
        request=SentNewTeamSerializer,
        responses={
            201: TeamSerializer,
            **problems(
                {
                    400: ["no_object"],
                    422: ["invalid_fields"],
                    429: ["too_many_teams"],
                },
                of_fields=NAME_CODES,
            ),
        },
    )
    def post(self, request: Request) -> Response:
        user = owner_of(request)
        form = valid(TeamForm(fields_of(request, SentNewTeamSerializer)))
        with errors_of_fields(OF_THE_NAME):
            team = create_team(**form.cleaned_data, by=user)
        own = Membership.objects.select_related("team").get(team=team, user=user)
        return Response(TeamSerializer(own).data, HTTPStatus.CREATED)


class InvitationsView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ}

    @extend_schema(
        operation_id="list_invitations",
        summary="Invitations to teams",
        description="The open ones, to you or to an address that you have confirmed.",
        tags=_TAGS,
        responses=InvitationsSerializer,
    )
    def get(self, request: Request) -> Response:
        found: Any = invitations_for(owner_of(request))
        return Response({"invitations": InvitationSerializer(found, many=True).data})


class AcceptView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.TEAMS}

    @extend_schema(
        operation_id="accept_invitation",
        summary="Accept an invitation",
        description="You are in the team then.",
        tags=_TAGS,
        request=None,
        responses={
            200: TeamSerializer,
            **problems({409: ["not_open"], 429: ["too_many_teams", "team_full"]}),
        },
    )
    def post(self, request: Request, invitation_id: int) -> Response:
        user = owner_of(request)
        found = get_object_or_404(invitations_for(user), pk=invitation_id)
        return Response(TeamSerializer(accept_invitation(found, by=user)).data)


class DeclineView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.TEAMS}

    @extend_schema(
        operation_id="decline_invitation",
        summary="Decline an invitation",
        description="It is gone then.",
        tags=_TAGS,
        request=None,
        responses={204: None, **problems({409: ["not_open"]})},
    )
    def post(self, request: Request, invitation_id: int) -> Response:
        user = owner_of(request)
        found = get_object_or_404(invitations_for(user), pk=invitation_id)
        decline_invitation(found, by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


class MoveModelView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.SUBMIT}

    @extend_schema(
        operation_id="move_my_model",
        summary="Give a language model to a team",
        description="One that is yours alone, with your submissions and runs of it. You cannot "
        "take it back. The token has to be newer than your membership of the team.",
        tags=_TAGS,
        request=SentTeamSerializer,
        responses={
            200: OwnModelSerializer,
            **problems(
                {
                    400: ["no_object"],
                    403: ["not_allowed", "newer_than_token"],
                    422: ["invalid_fields"],
                }
            ),
        },
    )
    def post(self, request: Request, model: str) -> Response:
        user = owner_of(request)
        own = LanguageModel.objects.filter(owner=user, team=None)
        found = get_object_or_404(own, slug=model)
        form = valid(MoveForm(fields_of(request, SentTeamSerializer), user=user))
        team, token = form.cleaned_data["team"], request.auth
        # Else a thief could use a stolen token to join a team of theirs, and move the model there.
        before = Membership.objects.current().filter(joined__lte=token.created)
        if not before.filter(team=team, user=user).exists():
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "The token is older than your membership of this team. Make another one, or move "
                "the model on its page.",
                "newer_than_token",
            )
        move_model(found, team, by=user)
        moved = LanguageModel.objects.with_uses().select_related("team").get(pk=found.pk)
        return Response(OwnModelSerializer(moved).data)
