"""Users and their roles."""

from typing import Any, ClassVar

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.utils.functional import cached_property

from portal.models.visibility import is_public


class Role(models.TextChoices):
    AUTHOR = "author", "author"  # submits, and sees what is public or their own
    REVIEWER = "reviewer", "reviewer"  # sees all submissions, and publishes or rejects them
    ADMIN = "admin", "admin"  # all of this, and Django's admin


REVIEWERS = (Role.REVIEWER, Role.ADMIN)
_SECOND_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)  # not recovery codes


class Users(UserManager["User"]):
    use_in_migrations = False

    def create_superuser(
        self,
        username: str,
        email: str | None = None,
        password: str | None = None,
        **fields: Any,
    ) -> "User":
        """Makes an admin: Django's ``createsuperuser`` command knows nothing of roles."""
        fields.setdefault("role", Role.ADMIN)
        return super().create_superuser(username, email, password, **fields)

    def reviewers_to_notify(self) -> "models.QuerySet[User]":
        """Reviewers and admins who want mail about what waits for review."""
        found = self.filter(role__in=REVIEWERS, is_active=True, email_reviews=True)
        return found.exclude(email="").order_by("pk")


class User(AbstractUser):
    role = models.CharField("role", max_length=10, choices=Role, default=Role.AUTHOR)
    # What users state about themselves is not checked.
    organisation = models.CharField("organisation", max_length=120, blank=True)
    link = models.URLField("link", blank=True, help_text="Your own page, or your group's.")
    # Mail about the account itself is always sent.
    email_decisions = models.BooleanField(default=True, db_default=True)
    email_reviews = models.BooleanField(default=True, db_default=True)

    # When its owner deleted it: the row stays, without a name, for what still refers to it.
    deleted = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[Users] = Users()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="only_admins_enter_the_admin",
                condition=models.Q(is_staff=False) | models.Q(role=Role.ADMIN),
            )
        ]

    @cached_property
    def has_second_factor(self) -> bool:
        found = Authenticator.objects.filter(user_id=self.pk, type__in=_SECOND_FACTORS)
        return bool(found.exists())

    @property
    def needs_second_factor(self) -> bool:
        """Whether the user gets the rights of their role only with a second factor."""
        may_more = self.role in REVIEWERS and settings.SECOND_FACTOR
        return may_more and not self.has_second_factor

    @property
    def acting_role(self) -> str:
        """The role whose rights the user has now. All rules use it; ``role`` is only shown."""
        return Role.AUTHOR if self.needs_second_factor else self.role

    @property
    def is_reviewer(self) -> bool:
        """Whether the user may see the submissions of others and decide about them; also admins."""
        return self.acting_role in REVIEWERS

    @property
    def is_admin(self) -> bool:
        return self.acting_role == Role.ADMIN

    @property
    def is_named(self) -> bool:
        """Whether the public page of an entry names this user."""
        return self.submissions.filter(is_public()).exists()
