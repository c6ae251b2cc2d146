"""The people of the site, and what they may do."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    AUTHOR = "author", _("author")  # submits, and sees what is theirs or public
    REVIEWER = "reviewer", _("reviewer")  # sees everything that was submitted, publishes or rejects
    ADMIN = "admin", _("admin")  # all of it, and Django's admin


class User(AbstractUser):
    role = models.CharField(max_length=10, choices=Role, default=Role.AUTHOR)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="only_admins_enter_the_admin",
                condition=models.Q(is_staff=False) | models.Q(role=Role.ADMIN),
            )
        ]

    @property
    def is_reviewer(self) -> bool:
        """Whether they may see and judge what others submitted."""
        return self.role in (Role.REVIEWER, Role.ADMIN)
