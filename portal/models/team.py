"""Teams: people who act under one name, and share what they submit for it.

Former members stay on record, since a reviewer must not decide about what once was theirs. A team
can only be deleted while nothing belongs to it.
"""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower, Now

from portal.models.visibility import was_public

Person = Any  # an account, whose model this module cannot import


class TeamRole(models.TextChoices):
    OWNER = "owner", "owner"  # decides who is in the team, and withdraws what it has published
    MEMBER = "member", "member"  # submits, edits, requests publication


class TeamQuerySet(models.QuerySet["Team"]):
    def of(self, user: Person) -> Self:
        """Those that this person is a current member of."""
        return self.filter(pk__in=Membership.objects.current().filter(user=user).values("team"))

    def public(self) -> Self:
        """Those that others may know of: something of theirs is or was on a board with its name."""
        return self.filter(was_public("submissions__")).distinct()


class Team(models.Model):
    slug = models.SlugField("address", max_length=80, unique=True)
    name = models.CharField("name", max_length=60)
    # Of the name (``portal.review.facts.confusables``): no two teams may have names that look
    # alike.
    skeleton = models.CharField(max_length=400, unique=True, editable=False)
    link = models.URLField("link", blank=True)
    created = models.DateTimeField(db_default=Now())

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name", "slug"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_public(self) -> bool:
        return Team.objects.public().filter(pk=self.pk).exists()


class MembershipQuerySet(models.QuerySet["Membership"]):
    def current(self) -> Self:
        return self.filter(left=None)

    def owners(self) -> Self:
        return self.current().filter(role=TeamRole.OWNER)


class Membership(models.Model):
    """Each team has at least one owner: the database ensures it (``0002_database.sql``)."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships", db_index=False
    )
    role = models.CharField(
        "role", max_length=10, choices=TeamRole, default=TeamRole.MEMBER, db_default="member"
    )
    joined = models.DateTimeField(db_default=Now())
    left = models.DateTimeField(null=True, blank=True)
    # Whether the page of the team names this person, which takes their consent.
    shown = models.BooleanField(default=False, db_default=False)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["team", "joined", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "team"],
                condition=models.Q(left=None),
                name="one_membership_in_a_team",
            )
        ]
        indexes = [models.Index(fields=["team", "user"], name="memberships_of_a_team")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team_id}: {self.role}"


class InvitationState(models.TextChoices):
    OPEN = "open", "open"
    ACCEPTED = "accepted", "accepted"
    DECLINED = "declined", "declined"
    REVOKED = "revoked", "revoked"


class TeamInvitationQuerySet(models.QuerySet["TeamInvitation"]):
    def open(self) -> Self:
        """By the database's clock."""
        return self.filter(state=InvitationState.OPEN, expires__gt=Now())


class TeamInvitation(models.Model):
    """An invitation to an account, or to whoever has confirmed an email address. It holds no secret
    that could be passed on or used again: the mail only says where to sign in.

    An unknown user name makes an invitation that nobody can accept, so that nobody learns which
    names exist, and nobody can register the name to get in.
    """

    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    invited = models.CharField(max_length=254)  # the username or email address, as typed
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="team_invitations", null=True
    )
    email = models.EmailField(blank=True)  # in lower case; empty: it is to a username
    role = models.CharField(max_length=10, choices=TeamRole, default=TeamRole.MEMBER)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="sent_team_invitations"
    )
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField()
    state = models.CharField(
        max_length=10, choices=InvitationState, default=InvitationState.OPEN, editable=False
    )

    objects = TeamInvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.UniqueConstraint(
                "team",
                Lower("invited"),
                condition=models.Q(state="open"),
                name="one_open_invitation_of_a_person",
            )
        ]

    def __str__(self) -> str:
        return f"{self.invited} to {self.team_id}"


def shared_with(user: Person) -> models.Q:
    """Selects the rows, with an owner and a team, that this person acts for. Without a team they
    are their owner's; with one they are those of all current members, whoever submitted them.
    ``portal.permissions.access.acts_for`` is the same rule for a single row."""
    teams = Membership.objects.current().filter(user=user).values("team")
    return models.Q(team=None, owner=user) | models.Q(team__in=teams)


def ever_shared_with(user: Person) -> models.Q:
    """Also what they have submitted for a team that they have left, and all that is its."""
    teams = Membership.objects.filter(user=user).values("team")
    return models.Q(owner=user) | models.Q(team__in=teams)


# Who holds a row, as one number: a person's primary key, or the negative one of a team. None: the
# site itself.
HOLDER = models.functions.Coalesce(
    models.F("team_id") * models.Value(-1),
    models.F("owner_id"),
    output_field=models.BigIntegerField(),
)
