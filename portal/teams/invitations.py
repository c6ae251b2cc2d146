"""Invitations to a team: by user name or email address, accepted by whoever is meant.

The answer is the same whether there is such an account or not, and so is what happens: a row is
written, and the mail that may follow is sent later by a worker.
"""

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower, Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import now

from portal.audit.records import log_team
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.mail.outbox import queue_account_email
from portal.models import (
    InvitationState,
    Membership,
    Team,
    TeamAction,
    TeamInvitation,
    TeamRole,
    User,
)
from portal.permissions.access import team_role
from portal.teams.services import MAX_MEMBERS, check_room_for, lock_team, raise_version_of

LIFE = timedelta(days=14)
MAX_OPEN = 20  # of a team
MAX_SENT = 20  # by one person in 24 hours
_MAX_MAILS = 3  # to one person in 24 hours, from anybody; further invitations send no mail


def invite(team: Team, invited: str, role: str, *, by: User) -> TeamInvitation:
    """``invited``: a user name or an email address. Raises ``StateError`` and ``QuotaError``, for
    reasons that disclose nothing about accounts."""
    account, email = None, ""
    if "@" in invited:
        validate_email(invited)
        email = invited.lower()
    else:
        account = User.objects.filter(username__iexact=invited, is_active=True).first()
    try:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=by.pk)
            locked = lock_team(team, TeamAction.INVITE, by)
            _check_bounds(locked, by)
            if account and team_role(account, locked.pk):
                raise StateError("This person is in the team already.", "in_team")
            locked.invitations.filter(state=InvitationState.OPEN, expires__lte=Now()).update(
                state=InvitationState.REVOKED
            )
            invitation = TeamInvitation.objects.create(
                team=locked,
                invited=invited,
                account=account,
                email=email,
                role=TeamRole(role),
                invited_by=by,
                expires=now() + LIFE,
            )
            _send(invitation)
            log_team(
                locked,
                TeamAction.INVITE,
                by=by,
                after=role,
                reason=account.username if account else "",
            )
    except IntegrityError as error:
        raise StateError(
            "There is an open invitation for this person already.", "invited"
        ) from error
    return invitation


def _check_bounds(team: Team, by: User) -> None:
    """Raises ``QuotaError``."""
    if team.invitations.open().count() >= MAX_OPEN:
        message = "The team has %(most)s open invitations: take one back, or wait."
        raise QuotaError(message=message, code="too_many_invitations", most=MAX_OPEN)
    day = Now() - timedelta(days=1)
    if TeamInvitation.objects.filter(invited_by=by, created__gt=day).count() >= MAX_SENT:
        message = "You have sent %(most)s invitations in 24 hours, which is as many as possible."
        raise QuotaError(message=message, code="too_many_invitations", most=MAX_SENT)


def _send(invitation: TeamInvitation) -> None:
    """Mail it, unless the same person has had enough such mails today."""
    address = invitation.email or (invitation.account.email if invitation.account else "")
    if not address:
        return
    day = Now() - timedelta(days=1)
    same = Q(email=address.lower()) | Q(account__isnull=False, account=invitation.account)
    if TeamInvitation.objects.filter(same, created__gt=day).count() > _MAX_MAILS:
        return
    context = {
        "team": invitation.team.name,
        "who": invitation.invited_by.username,
        "days": LIFE.days,
        "page": settings.SITE_URL + reverse("my-teams"),
        "site": settings.SITE_URL,
        "address": invitation.email,
    }
    subject = f"Invitation to the team {invitation.team.name}"
    queue_account_email(
        subject,
        render_to_string("mail/team_invitation.txt", context),
        address=address,
        user=invitation.account,
    )


def invitations_for(user: User) -> QuerySet[TeamInvitation]:
    """The open ones that this person may accept: to their account, or to an address that they have
    confirmed."""
    own = EmailAddress.objects.filter(user=user, verified=True)
    addresses = own.annotate(lower=Lower("email")).values("lower")
    found = TeamInvitation.objects.open().filter(
        Q(account=user) | Q(email__in=addresses) & ~Q(email="")
    )
    return found.exclude(team__in=Team.objects.of(user)).select_related("team", "invited_by")


def accept_invitation(invitation: TeamInvitation, *, by: User) -> Membership:
    """Raises ``StateError`` and ``QuotaError``."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)
        locked = Team.objects.select_for_update(no_key=True).get(pk=invitation.team_id)
        _check_theirs(invitation, by)
        check_room_for(by, invitation.role)
        if Membership.objects.current().filter(team=locked).count() >= MAX_MEMBERS:
            message = "A team can have %(most)s members at most."
            raise QuotaError(message=message, code="team_full", most=MAX_MEMBERS)
        TeamInvitation.objects.filter(pk=invitation.pk).update(state=InvitationState.ACCEPTED)
        joined = Membership.objects.create(team=locked, user=by, role=invitation.role)
        log_team(locked, TeamAction.ACCEPT, by=by, after=invitation.role, reason=by.username)
        raise_version_of(locked)
    return joined


def decline_invitation(invitation: TeamInvitation, *, by: User) -> None:
    """Raises ``StateError``."""
    with transaction.atomic():
        locked = Team.objects.select_for_update(no_key=True).get(pk=invitation.team_id)
        _check_theirs(invitation, by)
        TeamInvitation.objects.filter(pk=invitation.pk).update(state=InvitationState.DECLINED)
        log_team(locked, TeamAction.DECLINE, by=by, reason=by.username)


def revoke_invitation(invitation: TeamInvitation, *, by: User) -> None:
    """Raises ``StateError``."""
    with transaction.atomic():
        locked = lock_team(invitation.team, TeamAction.REVOKE, by)
        open_ones = TeamInvitation.objects.filter(pk=invitation.pk, state=InvitationState.OPEN)
        if not open_ones.update(state=InvitationState.REVOKED):
            raise NotAllowedError
        log_team(locked, TeamAction.REVOKE, by=by)


def _check_theirs(invitation: TeamInvitation, user: User) -> None:
    """Under the lock of the team. Raises ``StateError``."""
    if not invitations_for(user).filter(pk=invitation.pk).exists():
        raise StateError("This invitation is no longer open.", "not_open")
