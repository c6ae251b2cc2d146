"""Teams by program: which there are, invitations, and what is submitted for them."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from portal.models import (
    EndpointRun,
    InvitationState,
    LanguageModel,
    Membership,
    Release,
    Scope,
    Submission,
    TeamInvitation,
    TeamRole,
    User,
)
from portal.teams.invitations import invite
from tests.support.factories import endpoint_run, model_of, packed_folder, team_of
from tests.support.programs import hand_in, problem_of, program

pytestmark = pytest.mark.django_db


def test_a_program_lists_teams_and_accepts_or_declines_invitations(alice: User, bob: User) -> None:
    team, other = team_of(alice), team_of(alice, name="Other Lab")
    for one in (team, other):
        invite(one, "bob", TeamRole.MEMBER, by=alice)
    client = program(bob, Scope.READ, Scope.SUBMIT)
    assert client.get("/api/v1/teams/").json() == {"teams": []}
    found = {
        one["team"]: one["id"] for one in client.get("/api/v1/invitations/").json()["invitations"]
    }
    assert found.keys() == {"Long Lab", "Other Lab"}
    joined = client.post(reverse("api-invitation-accept", args=[found["Long Lab"]]))
    assert (joined.status_code, joined.json()["id"]) == (200, team.slug)
    declined = client.post(reverse("api-invitation-decline", args=[found["Other Lab"]]))
    assert declined.status_code == 204
    assert TeamInvitation.objects.get(team=other).state == InvitationState.DECLINED
    [listed] = client.get("/api/v1/teams/").json()["teams"]
    assert (listed["role"], listed["uploads_left"]) == ("member", 30)
    assert [one["username"] for one in listed["members"]] == ["alice", "bob"]


def test_a_program_submits_for_a_team_that_its_owner_is_in_and_for_no_other(
    alice: User, bob: User, rita: User, release: Release, world: Path
) -> None:
    team, other = team_of(alice, bob), team_of(rita, name="Other Lab")
    client = program(bob, Scope.READ, Scope.SUBMIT)
    files = ("preds.zip", packed_folder(world / "preds"))
    refused = hand_in(client, release, files, team=other.slug)
    assert problem_of(refused) == (422, "invalid_fields")
    assert [one["field"] for one in refused.json()["errors"]] == ["team"]
    made = hand_in(client, release, files, team=team.slug)
    assert (made.status_code, made.json()["team"]) == (201, team.slug)
    assert Submission.objects.get().team == team
    seen = program(alice, Scope.READ).get("/api/v1/submissions/").json()["submissions"]
    assert [one["team"] for one in seen] == [team.slug]


def test_a_model_is_given_to_a_team_and_a_changed_run_stays_with_its_team(
    alice: User, bob: User, release: Release
) -> None:
    team, model = team_of(alice, bob), model_of(bob)
    client = program(bob, Scope.SUBMIT, Scope.RUN, Scope.READ)
    place = reverse("api-my-model-move", args=[model.slug])
    refused = client.post(place, {"team": "none"}, "application/json")
    assert problem_of(refused) == (422, "invalid_fields")
    # Whoever has stolen the token may have accepted an invitation to a team of their own with it.
    own = Membership.objects.filter(team=team, user=bob)
    own.update(joined=Now())
    stolen = client.post(place, {"team": team.slug}, "application/json")
    assert problem_of(stolen) == (403, "newer_than_token")
    own.update(joined=Now() - timedelta(hours=1))
    moved = client.post(place, {"team": team.slug}, "application/json")
    assert moved.json()["team"] == team.slug
    assert LanguageModel.objects.get(pk=model.pk).team == team
    run = endpoint_run(bob, release)
    EndpointRun.objects.filter(pk=run.pk).update(team=team)
    assert client.get(reverse("api-run", args=[run.pk])).json()["team"] == team.slug
