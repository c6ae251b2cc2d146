"""Stored files of releases: long contexts, and downloadable files.

Each is stored once, under its hash. Its row is written as soon as its file is complete, long before
any release refers to it, so that an import that was killed finds it when it is run again.
"""

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

_GRACE = timedelta(days=7)  # after an import last used it: the import may be run again


class ContextQuerySet(models.QuerySet["Context"]):
    def unused(self) -> Self:
        """Left by imports that were never finished."""
        return self.filter(examples=None, last_used__lt=Now() - _GRACE)


class Context(models.Model):
    """A text that examples ask about; ``portal.releases.context_windows`` reads parts of it."""

    sha256 = models.CharField(max_length=64, unique=True)
    characters = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField()  # bytes of UTF-8
    tokens = models.PositiveBigIntegerField()
    tokens_estimated = models.BooleanField()
    text = models.FileField(max_length=200, editable=False)
    index = models.FileField(max_length=200, editable=False)  # of scoring.text.text_index
    last_used = models.DateTimeField(db_default=Now())  # by an import

    objects = ContextQuerySet.as_manager()

    def __str__(self) -> str:
        return self.sha256[:8]


class ReleaseFileQuerySet(models.QuerySet["ReleaseFile"]):
    def unused(self) -> Self:
        """Left by imports that were never finished."""
        unreferenced = self.filter(whole_of=None, questions_of=None, facets_of=None)
        return unreferenced.filter(last_used__lt=Now() - _GRACE)


class ReleaseFile(models.Model):
    """JSON Lines for download; written by an import, and never changed."""

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField()  # bytes
    file = models.FileField(max_length=200, editable=False)
    last_used = models.DateTimeField(db_default=Now())  # by an import

    objects = ReleaseFileQuerySet.as_manager()

    def __str__(self) -> str:
        return self.sha256[:8]
