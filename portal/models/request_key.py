"""Requests that were sent with an Idempotency-Key."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class RequestKey(models.Model):
    """A request that was carried out. The key itself is not stored: the id of what the request has
    created is computed from it."""

    made = models.UUIDField(primary_key=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="request_keys")
    digest = models.CharField(max_length=64)  # of fields and files, hexadecimal
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"request for {self.made}"
