"""Tokens with which clients of the API act for a user."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Scope(models.TextChoices):
    READ = "read", "Read what you may see, private submissions included"
    SUBMIT = "submit", "Submit predictions, and act on your submissions"
    RUN = "run", "Configure, start, pause and stop endpoint runs, which can cost you money"
    REVIEW = "review", "Read what waits for review and decide, as long as you are a reviewer"


class ApiTokens(models.QuerySet["ApiToken"]):
    def in_force(self) -> "ApiTokens":
        """Of active users, neither expired nor revoked, by the database's clock."""
        return self.filter(revoked=None, expires__gt=Now(), owner__is_active=True)


class ApiToken(models.Model):
    """The token itself is shown once, and only its hash is stored. It has 256 random bits, so a
    fast hash is enough."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField("name", max_length=60)
    beginning = models.CharField(max_length=12)  # of the token, so that its owner recognises it
    digest = models.CharField(max_length=64, unique=True)  # SHA-256 of the token, hexadecimal
    # Of the owner's password when it was created: a new password ends the token, as it does
    # sessions.
    auth_hash = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope))
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)  # the last time, to the minute
    revoked = models.DateTimeField(null=True)

    objects = ApiTokens.as_manager()

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.UniqueConstraint(
                name="names_of_tokens_in_use_differ",
                fields=["owner", "name"],
                condition=Q(revoked=None),
            ),
            models.CheckConstraint(name="a_token_may_do_something", condition=~Q(scopes=[])),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.beginning}…)"
