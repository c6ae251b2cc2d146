"""Users and their roles."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    AUTHOR = "author", _("author")  # submits, and sees what is theirs or public
    REVIEWER = "reviewer", _("reviewer")  # sees everything that was submitted, publishes or rejects
    ADMIN = "admin", _("admin")  # all of it, and Django's admin


REVIEWERS = (Role.REVIEWER, Role.ADMIN)


class Users(UserManager["User"]):
    use_in_migrations = False

    def create_superuser(
        self,
        username: str,
        email: str | None = None,
        password: str | None = None,
        **fields: Any,
    ) -> "User":
        """Makes an admin: Django's command of this name knows nothing of roles."""
        fields.setdefault("role", Role.ADMIN)
        return super().create_superuser(username, email, password, **fields)

    def reviewers_to_notify(self) -> "models.QuerySet[User]":
        """Reviewers and admins who want mail about what waits for review."""
        found = self.filter(role__in=REVIEWERS, is_active=True, email_reviews=True)
        return found.exclude(email="").order_by("pk")


class User(AbstractUser):
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.AUTHOR)
    # What users say about themselves is not checked; ``portal.models.affiliation`` is.
    organisation = models.CharField(_("organisation"), max_length=120, blank=True)
    link = models.URLField(_("link"), blank=True, help_text=_("Your own page, or your group's."))
    # Mail about the account itself is always sent.
    email_decisions = models.BooleanField(default=True, db_default=True)
    email_reviews = models.BooleanField(default=True, db_default=True)

    objects: ClassVar[Users] = Users()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="only_admins_enter_the_admin",
                condition=models.Q(is_staff=False) | models.Q(role=Role.ADMIN),
            )
        ]

    @property
    def is_reviewer(self) -> bool:
        """Whether the user may see and decide about the submissions of others: admins too."""
        return self.role in REVIEWERS
