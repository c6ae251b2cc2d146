"""What people do with teams. Who may: ``TEAM_RULES``.

Each step is one transaction with its audit entry, under the lock of the team's row. Uploads and
runs for the team wait for that lock too, so nobody who has just been removed still submits for it.
"""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from portal.audit.records import log_team
from portal.board_version import raise_board_version
from portal.endpoint_runs.services import end_use_of_key
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import (
    Action,
    EndpointRun,
    HubFetch,
    HubJobState,
    InvitationState,
    LanguageModel,
    Membership,
    RunState,
    Submission,
    SubmissionState,
    Team,
    TeamAction,
    TeamInvitation,
    TeamRole,
    User,
)
from portal.permissions.access import team_role
from portal.states import write_audit_entry
from portal.teams.names import check_name, new_slug

MAX_OWNED = 5  # teams that a person is an owner of
MAX_JOINED = 20  # teams that a person is in
MAX_MEMBERS = 50

_OWNERS = frozenset({TeamRole.OWNER})
_ALL = frozenset(TeamRole)
TEAM_RULES: Mapping[TeamAction, frozenset[TeamRole]] = {
    TeamAction.EDIT: _OWNERS,
    TeamAction.INVITE: _OWNERS,
    TeamAction.REVOKE: _OWNERS,
    TeamAction.REMOVE: _OWNERS,
    TeamAction.CHANGE_ROLE: _OWNERS,
    TeamAction.DELETE: _OWNERS,
    TeamAction.LEAVE: _ALL,
    TeamAction.MOVE_MODEL: _ALL,  # their own, to the team
}


def lock_team(team: Team, action: TeamAction, by: User) -> Team:
    """The row, locked until the transaction ends. Raises ``NotAllowedError``."""
    locked = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team_role(by, locked.pk) not in TEAM_RULES[action]:
        raise NotAllowedError
    return locked


def create_team(*, name: str, link: str = "", by: User) -> Team:
    """With its first owner. Raises ``StateError`` and ``QuotaError``."""
    try:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=by.pk)
            check_room_for(by, TeamRole.OWNER)
            looks = check_name(name, by=by)
            team = Team.objects.create(name=name, link=link, skeleton=looks, slug=new_slug(name))
            Membership.objects.create(team=team, user=by, role=TeamRole.OWNER)
            log_team(team, TeamAction.CREATE, by=by, reason=name)
    except IntegrityError as error:  # two at once
        raise StateError("This name is taken.", "name_taken") from error
    return team


def edit_team(team: Team, *, name: str, link: str, by: User) -> Team:
    """Raises ``StateError`` for a name that others know already: only an admin can change it."""
    with transaction.atomic():
        locked = lock_team(team, TeamAction.EDIT, by)
        if name != locked.name:
            if locked.is_public:
                raise StateError(
                    "Others already know the team by this name, so only an admin can change it.",
                    "known",
                )
            locked.skeleton = check_name(name, by=by, team=locked)
        before, locked.name, locked.link = locked.name, name, link
        locked.save(update_fields=["name", "skeleton", "link"])
        reason = f"{before} → {name}" if before != name else "link"
        log_team(locked, TeamAction.EDIT, by=by, reason=reason)
        raise_version_of(locked)
    return locked


def show_in_team(team: Team, *, by: User, shown: bool) -> None:
    """Whether the public page of the team names this member, who alone decides it."""
    with transaction.atomic():
        own = Membership.objects.current().filter(team=team, user=by)
        if own.exclude(shown=shown).update(shown=shown):
            raise_version_of(team)


def leave_team(team: Team, *, by: User) -> None:
    """Raises ``StateError`` for the last owner."""
    with transaction.atomic():
        locked = lock_team(team, TeamAction.LEAVE, by)
        _end_membership(_membership(locked, by))
        log_team(locked, TeamAction.LEAVE, by=by, reason=by.username)


def remove_member(team: Team, member: User, *, by: User) -> None:
    """Raises ``StateError``."""
    with transaction.atomic():
        locked = lock_team(team, TeamAction.REMOVE, by)
        _end_membership(_membership(locked, member))
        log_team(locked, TeamAction.REMOVE, by=by, reason=member.username)


def change_role(team: Team, member: User, role: str, *, by: User) -> None:
    """Raises ``StateError`` and ``QuotaError``."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=member.pk)
        locked = lock_team(team, TeamAction.CHANGE_ROLE, by)
        found = _membership(locked, member)
        before, found.role = found.role, TeamRole(role)
        if before == found.role:
            return
        if before == TeamRole.OWNER:
            _check_other_owner(found)
            _end_invitations_by(found)
        else:
            check_room_for(member, TeamRole.OWNER)
        found.save(update_fields=["role"])
        raise_version_of(locked)
        log_team(
            locked,
            TeamAction.CHANGE_ROLE,
            by=by,
            before=before,
            after=found.role,
            reason=member.username,
        )


def is_deletable(team: Team) -> bool:
    """Whether nothing belongs to it."""
    belongings = (team.submissions, team.language_models, team.endpoint_runs, team.hub_fetches)
    return not any(rows.exists() for rows in belongings)


def delete_team(team: Team, *, by: User) -> None:
    """Raises ``StateError`` where anything belongs to it."""
    with transaction.atomic():
        locked = lock_team(team, TeamAction.DELETE, by)
        if not is_deletable(locked):
            raise StateError("Something belongs to the team, so it cannot be deleted.", "in_use")
        log_team(locked, TeamAction.DELETE, by=by, reason=locked.name)
        locked.delete()


def move_model(model: LanguageModel, team: Team, *, by: User) -> None:
    """Move a person's own language model to their team, with their submissions and runs of it. The
    history of each submission shows it. Raises ``StateError``."""
    with transaction.atomic():
        locked = lock_team(team, TeamAction.MOVE_MODEL, by)
        moved = LanguageModel.objects.select_for_update().get(pk=model.pk)
        if moved.owner_id != by.pk or moved.team_id is not None:
            raise NotAllowedError
        runs = EndpointRun.objects.filter(language_model=moved, owner=by, team=None)
        runs = runs.select_for_update(of=("self",))
        # Drafts concern only their owner, but once started they are the team's.
        EndpointRun.objects.filter(pk__in=[one.pk for one in runs]).update(team=locked)
        rows = moved.submissions.filter(owner=by, team=None)
        submissions = list(rows.select_for_update(of=("self",)).order_by("pk"))
        Submission.objects.filter(pk__in=[one.pk for one in submissions]).update(team=locked)
        LanguageModel.objects.filter(pk=moved.pk).update(team=locked)
        for one in submissions:
            write_audit_entry(
                one, Action.MOVE_TO_TEAM, one.state, one.state, by=by, reason=locked.name
            )
        log_team(locked, TeamAction.MOVE_MODEL, by=by, reason=moved.slug)
        if any(one.state != SubmissionState.PRIVATE for one in submissions):
            raise_board_version()


def check_room_for(user: User, role: str) -> None:
    """Call it under the lock of this user's row. Raises ``QuotaError``: without a bound a person
    could have many teams, each with a quota for others to use."""
    joined = Membership.objects.current().filter(user=user)
    if role == TeamRole.OWNER and joined.filter(role=TeamRole.OWNER).count() >= MAX_OWNED:
        message = "One person can be an owner of %(most)s teams at most."
        raise QuotaError(message=message, code="too_many_teams", most=MAX_OWNED)
    if joined.count() >= MAX_JOINED:
        message = "One person can be in %(most)s teams at most."
        raise QuotaError(message=message, code="too_many_teams", most=MAX_JOINED)


def raise_version_of(team: Team) -> None:
    """After a change to a team: its page names members, and the pages of its entries say whether an
    owner belongs to the maker of the model. No page shows a team that is not public."""
    if team.is_public:
        raise_board_version()


def _membership(team: Team, user: User) -> Membership:
    found = Membership.objects.current().filter(team=team, user=user).first()
    if found is None:
        raise StateError("This person is not in the team.", "not_in_team")
    return found


def _check_other_owner(membership: Membership) -> None:
    others = Membership.objects.owners().filter(team=membership.team_id, user__is_active=True)
    if not others.exclude(pk=membership.pk).exists():
        raise StateError("A team needs an owner: first make somebody else one.", "last_owner")


def _end_invitations_by(owner: Membership) -> None:
    """They could come back through an account that they have invited."""
    open_ones = TeamInvitation.objects.open().filter(team=owner.team_id, invited_by=owner.user_id)
    open_ones.update(state=InvitationState.REVOKED)


def _end_membership(membership: Membership) -> None:
    """End this and all that the person has under way for the team. Their keys and tokens are used
    for it no more: runs that have started pause, drafts are deleted, and jobs for the Hub end."""
    if membership.role == TeamRole.OWNER:
        _check_other_owner(membership)
        _end_invitations_by(membership)
    Membership.objects.filter(pk=membership.pk).update(left=Now(), shown=False)
    runs = EndpointRun.objects.filter(team=membership.team_id, owner=membership.user_id)
    for run in runs.select_for_update().order_by("pk"):
        if run.state == RunState.DRAFT:
            run.delete()
        else:
            end_use_of_key(run, reason="left_team")
    fetches = HubFetch.objects.filter(team=membership.team_id, owner=membership.user_id)
    fetches.end(HubJobState.FAILED, "left_team")
    raise_version_of(membership.team)
