"""Teams through the API: listing them, invitations, and submissions for them."""

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
    OrganisationDomain,
    Release,
    Scope,
    Submission,
    Team,
    TeamInvitation,
    TeamRole,
    User,
)
from portal.teams.invitations import invite
from tests.support.clients import Answer
from tests.support.factories import endpoint_run, model_of, packed_folder, team_of
from tests.support.programs import errors_of, hand_in, problem_of, program

pytestmark = pytest.mark.django_db


def test_a_program_lists_teams_and_accepts_or_declines_invitations(alice: User, bob: User) -> None:
    team, other = team_of(alice), team_of(alice, name="Other Lab")
    for one in (team, other):
        invite(one, "bob", TeamRole.MEMBER, by=alice)
    client = program(bob, Scope.READ, Scope.SUBMIT, Scope.TEAMS)
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
    client = program(bob, Scope.READ, Scope.SUBMIT, Scope.TEAMS)
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
    client = program(bob, Scope.SUBMIT, Scope.TEAMS, Scope.RUN, Scope.READ)
    place = reverse("api-my-model-move", args=[model.slug])
    refused = client.post(place, {"team": "none"}, "application/json")
    assert problem_of(refused) == (422, "invalid_fields")
    # A thief may have used the token to accept an invitation to the thief's own team.
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


def test_a_program_does_with_a_team_what_its_page_does(alice: User, bob: User) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT, Scope.TEAMS)

    def post(path: str, **fields: object) -> Answer:
        return client.post(f"/api/v1/teams/{path}", fields, "application/json")

    made = post("", name="Long Lab")
    assert (made.status_code, made.json()["role"]) == (201, "owner")
    team = f"{made.json()['id']}/"
    for name, code in (
        ("Long Lab", "name_taken"),
        ("http://long.example", "address"),
        ("L\u043eng", "mixed_scripts"),
    ):
        assert errors_of(post("", name=name)) == {("name", code)}
    post("", name="Other Lab")
    assert errors_of(post("other-lab/", name="Long Lab")) == {("name", "name_taken")}
    assert client.delete("/api/v1/teams/other-lab/").status_code == 204
    assert post(team, link="https://lab.example").json()["link"] == "https://lab.example"
    assert post(f"{team}show/", shown=True).json()["members"][0]["shown"] is True
    assert post(f"{team}show/", shown=False).json()["members"][0]["shown"] is False
    assert problem_of(post(f"{team}leave/")) == (409, "last_owner")
    first = post(f"{team}invitations/", invited="nobody")
    [listed] = client.get(f"/api/v1/teams/{team}invitations/").json()["invitations"]
    assert (first.status_code, listed["id"]) == (201, first.json()["id"])
    gone = client.delete(f"/api/v1/teams/{team}invitations/{first.json()['id']}/")
    assert gone.status_code == 204
    invited = post(f"{team}invitations/", invited="bob").json()
    program(bob, Scope.SUBMIT, Scope.TEAMS).post(
        reverse("api-invitation-accept", args=[invited["id"]])
    )
    roles = {one["username"]: one["role"] for one in post(team).json()["members"]}
    assert roles == {"alice": "owner", "bob": "member"}
    changed = post(f"{team}members/bob/", role="owner").json()["members"]
    assert [one["role"] for one in changed] == ["owner", "owner"]
    assert client.delete(f"/api/v1/teams/{team}members/bob/").status_code == 204
    assert problem_of(client.delete(f"/api/v1/teams/{team}members/bob/")) == (404, "not_found")
    assert client.delete(f"/api/v1/teams/{team}").status_code == 204
    assert not Team.objects.exists()


def test_members_by_program_decide_as_little_as_on_the_page(alice: User, bob: User) -> None:
    team = team_of(alice, bob)
    client = program(bob, Scope.READ, Scope.SUBMIT, Scope.TEAMS)
    place = f"/api/v1/teams/{team.slug}/"
    answers = [
        client.post(place, {"name": "Other"}, "application/json"),
        client.delete(place),
        client.post(f"{place}invitations/", {"invited": "rita"}, "application/json"),
        client.post(f"{place}members/bob/", {"role": "owner"}, "application/json"),
        client.delete(f"{place}members/alice/"),
    ]
    assert {problem_of(one) for one in answers} == {(403, "not_allowed")}
    assert client.post(f"{place}leave/").status_code == 204


def test_a_program_adds_and_removes_addresses_and_a_mail_confirms_them(alice: User) -> None:
    OrganisationDomain.objects.create(domain="lab.example", organisation="Lab")
    client = program(alice, Scope.READ, Scope.SUBMIT, Scope.TEAMS)
    place = "/api/v1/affiliations/"
    unknown = client.post(place, {"email": "a@elsewhere.example"}, "application/json")
    assert problem_of(unknown) == (409, "unknown_domain")
    added = client.post(place, {"email": "a@lab.example"}, "application/json")
    assert (added.status_code, added.json()["confirmed"]) == (202, None)
    found = client.get(place).json()
    assert [one["id"] for one in found["addresses"]] == [added.json()["id"]]
    assert client.delete(f"{place}{added.json()['id']}/").status_code == 204
    assert client.get(place).json()["addresses"] == []
