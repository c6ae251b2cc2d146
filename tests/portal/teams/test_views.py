"""The pages of teams: who is in them, what is submitted for them, and what the public sees."""

from http import HTTPStatus
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from portal.endpoint_runs.configuration.forms import RunForms, initial_of
from portal.models import (
    CountedUpload,
    LanguageModel,
    Membership,
    Release,
    Submission,
    SubmissionState,
    Team,
    TeamInvitation,
    TeamRole,
    User,
)
from tests.support.clients import NEW_MODEL, errors_of, html_of, signed_in, submit, submitted
from tests.support.factories import (
    as_if_scored,
    endpoint_run,
    make_submission,
    model_of,
    packed_folder,
    published,
    release_of_all_tasks,
    team_of,
)
from tests.support.html import form_errors, notices, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(alice: User, bob: User) -> Team:
    """A team whose owner is Alice and whose member is Bob."""
    return team_of(alice, bob)


def pressed(client: Client, name: str, *parts: object, **fields: str) -> list[str]:
    """The codes of the messages on the page that a button leads to."""
    return notices(client.post(reverse(name, args=parts), fields, follow=True))


def role_of(user: User, team: Team) -> str:
    found = Membership.objects.current().filter(team=team, user=user)
    return found.values_list("role", flat=True).first() or ""


def test_who_creates_a_team_invites_others_who_accept_or_decline_on_their_page(
    alice: User, bob: User, rita: User
) -> None:
    owner = signed_in(alice)
    assert owner.get("/my-teams/").status_code == HTTPStatus.OK
    made = owner.post("/my-teams/", {"name": "Long Lab", "link": "example.org"})
    assert made["Location"] == "/my-teams/long-lab/"
    taken = owner.post("/my-teams/", {"name": "L0ng Lab"})
    assert (taken.status_code, form_errors(taken)) == (422, {("name", "name_taken")})
    team = Team.objects.get()
    for name in ("bob", "rita", "nobody"):  # the answers are the same
        assert pressed(owner, "my-team-invite", team.slug, invited=name, role="member") == ["good"]
    again = owner.post(reverse("my-team-invite", args=[team.slug]), {"invited": "bob"})
    assert again.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    shown = page(owner.get("/my-teams/long-lab/")).select("[data-invited]")
    assert {row["data-invited"] for row in shown} == {"bob", "rita", "nobody"}

    of_bob, of_rita = (TeamInvitation.objects.get(account=one) for one in (bob, rita))
    other = signed_in(bob)
    assert other.get("/my-teams/long-lab/").status_code == HTTPStatus.NOT_FOUND
    assert other.post(reverse("invitation-accept", args=[of_rita.pk])).status_code == 404
    assert len(page(other.get("/my-teams/")).select("[data-invitation]")) == 1
    pressed(other, "invitation-accept", of_bob.pk)
    pressed(signed_in(rita), "invitation-decline", of_rita.pk)
    assert (role_of(bob, team), role_of(rita, team)) == (TeamRole.MEMBER, "")
    open_one = team.invitations.open().get()
    pressed(owner, "my-team-revoke", team.slug, open_one.pk)
    assert not team.invitations.open().exists()


def test_owners_decide_who_is_in_the_team_and_members_only_whether_they_stay(
    team: Team, alice: User, bob: User
) -> None:
    owner, member = signed_in(alice), signed_in(bob)
    for name, parts in (
        ("my-team-role", {"member": "bob", "role": "owner"}),
        ("my-team-remove", {"member": "alice"}),
        ("my-team-invite", {"invited": "rita", "role": "member"}),
        ("my-team-delete", {}),
    ):
        assert pressed(member, name, team.slug, **parts) == ["not_allowed"], name
    assert "my-team-invite" not in html_of(member.get(f"/my-teams/{team.slug}/"))
    assert pressed(owner, "my-team-leave", team.slug) == ["last_owner"]
    pressed(owner, "my-team-role", team.slug, member="bob", role="owner")
    assert role_of(bob, team) == TeamRole.OWNER
    pressed(owner, "my-team-leave", team.slug)
    assert (role_of(alice, team), role_of(bob, team)) == ("", TeamRole.OWNER)
    assert owner.post(reverse("my-team-remove", args=[team.slug])).status_code == 404
    renamed = member.post(reverse("my-team-edit", args=[team.slug]), {"name": "Other Lab"})
    assert renamed.status_code == HTTPStatus.FOUND
    assert "Other Lab" in html_of(member.get(f"/my-teams/{team.slug}/"))
    pressed(member, "my-team-delete", team.slug)
    assert not Team.objects.exists()


def test_only_who_is_in_a_team_is_asked_for_whom_they_submit(
    team: Team, bob: User, rita: User, release: Release, world: Path
) -> None:
    member, other = signed_in(bob), signed_in(rita)
    assert page(member.get("/submit/")).select("[data-act-for] [data-team-quota]")
    assert not page(other.get("/submit/")).select("[data-act-for]")
    files = [("preds.zip", packed_folder(world / "preds"))]
    refused = submit(other, release, files, team=team.slug)
    assert (refused.status_code, errors_of(refused)) == (422, ["team"])
    found = submitted(submit(member, release, files, team=team.slug))
    assert (found.team, found.language_model.team, found.owner) == (team, team, bob)
    again = page(member.get(f"/submit/?from={found.pk}"))
    assert again.select(f'[name=team][value="{team.slug}"][checked]')
    chosen = {"language_model": str(found.language_model_id)}
    assert submitted(submit(member, release, files, **chosen)).team is None


def test_a_model_moves_to_a_team_with_its_submissions_and_reviewers_see_whose_they_are(
    team: Team, alice: User, bob: User, rita: User, release: Release
) -> None:
    submission = as_if_scored(make_submission(bob, release, b"{}"))
    model = model_of(bob)
    member = signed_in(bob)
    place = reverse("my-model-move", args=[model.slug])
    assert place in html_of(member.get("/my-models/"))
    assert signed_in(alice).get(place).status_code == HTTPStatus.NOT_FOUND
    assert member.get(place).status_code == HTTPStatus.OK
    member.post(place, {"team": team.slug})
    submission.refresh_from_db()
    assert (LanguageModel.objects.get(pk=model.pk).team, submission.team) == (team, team)
    assert member.get(place).status_code == HTTPStatus.NOT_FOUND  # it is not theirs
    assert team.name in html_of(signed_in(alice).get("/my-models/"))
    for reader, name in ((alice, "submission"), (rita, "review-submission")):
        shown = page(signed_in(reader).get(reverse(name, args=[submission.pk])))
        assert [one["data-team"] for one in shown.select("[data-team]")] == [team.slug]


def test_the_public_page_names_who_wants_it_and_lists_what_is_public(
    team: Team, alice: User, bob: User
) -> None:
    client = Client()
    assert client.get(f"/teams/{team.slug}/").status_code == HTTPStatus.NOT_FOUND
    release = release_of_all_tasks()
    entry = published(alice, release, "Open", {"passkey": 50.0}, team=team)
    Submission.objects.filter(pk=entry.pk).update(state=SubmissionState.PRIVATE)
    assert client.get(f"/teams/{team.slug}/").status_code == HTTPStatus.NOT_FOUND
    Submission.objects.filter(pk=entry.pk).update(state=SubmissionState.PUBLISHED)
    pressed(signed_in(bob), "my-team-show", team.slug, shown="1")
    shown = page(client.get(f"/teams/{team.slug}/"))
    assert [one["data-entry"] for one in shown.select("[data-entry]")] == [str(entry.pk)]
    assert [one["data-member"] for one in shown.select("[data-member]")] == ["bob"]
    assert f"/teams/{team.slug}/" in html_of(client.get(f"/entries/{entry.pk}/"))
    locked = signed_in(alice).post(reverse("my-team-edit", args=[team.slug]), {"name": "Else"})
    assert locked.status_code == HTTPStatus.FOUND
    assert Team.objects.get().name == team.name


def test_a_run_is_for_a_team_of_its_owner_and_for_no_other(
    team: Team, bob: User, rita: User, release: Release
) -> None:
    for user, found in ((bob, team), (rita, None)):
        form = RunForms(user, {"team": team.slug}).form
        assert not form.is_valid()  # the rest is missing
        assert form.cleaned_data.get("team") == found
        assert ("team" in form.errors) is (found is None)
    run = endpoint_run(bob, release)
    run.team = team
    shown = RunForms(bob, initial=initial_of(run)).form["team"]
    assert [str(one.data["value"]) for one in shown if one.data["selected"]] == [team.slug]


def test_with_the_quota_of_a_team_used_up_one_still_submits_for_oneself(
    team: Team, alice: User, bob: User, release: Release, world: Path
) -> None:
    CountedUpload.objects.bulk_create(
        CountedUpload(owner=alice, team=team, submission=uuid4()) for _ in range(30)
    )
    member, files = signed_in(bob), [("preds.zip", packed_folder(world / "preds"))]
    by_hub = {**NEW_MODEL, "release": str(release.pk), "repository": "a/b", "team": team.slug}
    for refused in (
        submit(member, release, files, team=team.slug),
        member.post("/submit/hub/", {**by_hub, "truncation": "unknown"}),
    ):
        assert refused.status_code == HTTPStatus.TOO_MANY_REQUESTS
        assert refused.headers["Retry-After"].endswith("GMT")
        assert page(refused).select('.errors [data-field="team"]')
    assert not Submission.objects.exists()
    assert submitted(submit(member, release, files)).team is None
