"""The demo's team: two people without passwords, the language model that one of them has moved to
it with a published entry, and an invitation for the demo's author, who sees it all by accepting."""

from pathlib import Path

from portal.demo.baseline_entries import ReferenceReader, publish_reference_entry
from portal.models import LanguageModel, Release, Role, Team, TeamRole, User
from portal.permissions.access import team_role
from portal.teams.invitations import accept_invitation, invitations_for, invite
from portal.teams.services import create_team, move_model, show_in_team

NAME = "Longreader Lab"
READER = ReferenceReader(16 * 1024, "Longreader")
_OWNER, _MEMBER, _INVITED = "longreader", "colleague", "author"


def prepare_team(release: Release, predictions: Path, *, reviewer: User) -> None:
    """Create what is missing. Raises as ``publish_reference_entry``."""
    owner, member = _account(_OWNER), _account(_MEMBER)
    team = Team.objects.filter(name=NAME).first() or create_team(name=NAME, by=owner)
    if not team_role(member, team.pk):
        sent = invitations_for(member).filter(team=team).first()
        accept_invitation(sent or invite(team, _MEMBER, TeamRole.MEMBER, by=owner), by=member)
        show_in_team(team, by=member, shown=True)
    if not READER.is_decided_in(release):
        publish_reference_entry(READER, release, predictions, owner=member, reviewer=reviewer)
    if own := LanguageModel.objects.filter(owner=member, team=None, name=READER.name).first():
        move_model(own, team, by=member)
    if not team.invitations.filter(invited=_INVITED).exists():
        invite(team, _INVITED, TeamRole.MEMBER, by=owner)


def _account(name: str) -> User:
    """An account without a password."""
    defaults = {"email": f"{name}@example.org", "role": Role.AUTHOR}
    return User.objects.get_or_create(username=name, defaults=defaults)[0]
