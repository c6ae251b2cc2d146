"""Uploads that count against a quota: they stay when the submission is deleted."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class CountedUpload(models.Model):
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="counted_uploads"
    )
    submission = models.UUIDField(default=uuid.uuid4, db_index=True)  # may have been deleted
    failure = models.CharField(max_length=40, blank=True)  # a code, once deleted or tried again
    size = models.PositiveBigIntegerField(default=0, db_default=0)  # bytes stored
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["owner", "at"], name="counted_uploads_of_an_owner")]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.at:%Y-%m-%d %H:%M}"
