"""Invitations: who can accept them, what they reveal about accounts, and how many there may be."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db.models.functions import Now

from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import Membership, Notice, Team, TeamInvitation, TeamRole, User
from portal.teams import invitations
from portal.teams.invitations import (
    accept_invitation,
    decline_invitation,
    invitations_for,
    invite,
    revoke_invitation,
)
from portal.teams.services import change_role, remove_member
from tests.support.factories import team_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(alice: User) -> Team:
    return team_of(alice)


@pytest.fixture
def carol(db: None) -> User:
    return User.objects.create_user("carol", email="carol@example.org")


def confirm(user: User, email: str, *, verified: bool = True) -> None:
    EmailAddress.objects.create(user=user, email=email, verified=verified)


def test_who_is_invited_by_name_accepts_and_is_in_the_team_with_that_role(
    team: Team, alice: User, carol: User, bob: User
) -> None:
    invitation = invite(team, "Carol", TeamRole.OWNER, by=alice)
    with pytest.raises(StateError):
        accept_invitation(invitation, by=bob)
    accept_invitation(invitation, by=carol)
    found = Membership.objects.current().get(user=carol)
    assert (found.team, found.role, found.shown) == (team, TeamRole.OWNER, False)
    with pytest.raises(StateError):  # once
        accept_invitation(invitation, by=carol)
    with pytest.raises(StateError, match="already"):
        invite(team, "carol", TeamRole.MEMBER, by=alice)


@pytest.mark.parametrize("verified", [True, False])
@pytest.mark.parametrize("address", ["Carol@Example.org", "carol@example.com"])
def test_an_invitation_to_an_address_is_for_who_has_confirmed_it(
    team: Team, alice: User, carol: User, address: str, verified: bool
) -> None:
    invitation = invite(team, "carol@example.org", TeamRole.MEMBER, by=alice)
    confirm(carol, address, verified=verified)  # anybody can claim an unconfirmed address
    is_hers = verified and address.endswith(".org")
    assert [*invitations_for(carol)] == [invitation] * is_hers


def test_nobody_learns_from_an_invitation_which_accounts_there_are(
    team: Team, alice: User, carol: User
) -> None:
    confirm(carol, "carol@example.org")
    said = [
        (str(one), one.state, one.invited)
        for name in ("carol", "nobody.here", "carol@example.org", "nobody@example.org")
        for one in [invite(team, name, TeamRole.MEMBER, by=alice)]
    ]
    assert said == [
        (f"{name} to {team.pk}", "open", name)
        for name in ("carol", "nobody.here", "carol@example.org", "nobody@example.org")
    ]
    for name in ("CAROL", "Nobody.here", "Carol@example.org", "NOBODY@example.org"):
        with pytest.raises(StateError) as refusal:
            invite(team, name, TeamRole.MEMBER, by=alice)
        assert refusal.value.code == "invited"
    assert {*Notice.objects.values_list("address", flat=True)} == {
        "carol@example.org",
        "nobody@example.org",
    }
    # Registering the name of an invitation to nobody gains nothing.
    taken = User.objects.create_user("nobody.here")
    assert not invitations_for(taken).exists()


def test_an_invitation_ends_by_time_by_the_team_or_by_who_is_invited(
    team: Team, alice: User, bob: User, carol: User
) -> None:
    late = invite(team, "carol", TeamRole.MEMBER, by=alice)
    TeamInvitation.objects.update(expires=Now() - timedelta(seconds=1))
    with pytest.raises(StateError):
        accept_invitation(late, by=carol)
    revoked = invite(team, "carol", TeamRole.MEMBER, by=alice)  # the late one is not in its way
    with pytest.raises(NotAllowedError):
        revoke_invitation(revoked, by=bob)
    revoke_invitation(revoked, by=alice)
    declined = invite(team, "carol", TeamRole.MEMBER, by=alice)
    decline_invitation(declined, by=carol)
    for one in (late, revoked, declined):
        with pytest.raises(StateError):
            accept_invitation(one, by=carol)
    assert not Membership.objects.filter(user=carol).exists()


@pytest.mark.parametrize("is_removed", [True, False])
def test_who_is_no_owner_any_more_has_invited_nobody(
    team: Team, alice: User, bob: User, carol: User, is_removed: bool
) -> None:
    """Otherwise they could come back through an account that they had invited before."""
    Membership.objects.create(team=team, user=bob, role=TeamRole.OWNER)
    theirs = invite(team, "carol", TeamRole.OWNER, by=bob)
    own = invite(team, "dave@example.org", TeamRole.MEMBER, by=alice)
    remove_member(team, bob, by=alice) if is_removed else change_role(
        team, bob, TeamRole.MEMBER, by=alice
    )
    with pytest.raises(StateError):
        accept_invitation(theirs, by=carol)
    assert [*team.invitations.open()] == [own]


def test_invitations_are_bounded_and_mails_to_one_person_more_so(
    team: Team, alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    teams = [team, *(team_of(bob, name=f"Number {name}") for name in ("one", "two", "six"))]
    for one in teams:
        by = Membership.objects.owners().get(team=one).user
        invite(one, "carol@example.org", TeamRole.MEMBER, by=by)
    assert (TeamInvitation.objects.count(), Notice.objects.count()) == (4, 3)
    monkeypatch.setattr(invitations, "MAX_OPEN", 2)
    invite(team, "x@example.org", TeamRole.MEMBER, by=alice)
    with pytest.raises(QuotaError):
        invite(team, "y@example.org", TeamRole.MEMBER, by=alice)
    monkeypatch.setattr(invitations, "MAX_SENT", 3)
    with pytest.raises(QuotaError):  # per person, however many teams they have
        invite(teams[1], "y@example.org", TeamRole.MEMBER, by=bob)


def test_only_owners_invite_and_only_to_what_can_be_an_address(
    team: Team, alice: User, bob: User
) -> None:
    Membership.objects.create(team=team, user=bob)
    with pytest.raises(NotAllowedError):
        invite(team, "carol", TeamRole.MEMBER, by=bob)
    with pytest.raises(ValidationError):
        invite(team, "a@b@c", TeamRole.MEMBER, by=alice)


def test_the_mail_names_the_team_and_the_page_and_holds_no_secret(team: Team, alice: User) -> None:
    invite(team, "new@example.org", TeamRole.MEMBER, by=alice)
    notice = Notice.objects.get()
    assert "Long Lab" in notice.subject
    assert "/my-teams/" in notice.body
    assert "alice" in notice.body
    assert "new@example.org" in notice.body
