"""What releases are made of and the database does not hold: long texts, and files to take away.

Each is stored once, under its hash. Its row is written as soon as its file is whole, long before
there is a release that names it: so an import that was killed finds it again.
"""

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

_KEPT = timedelta(days=7)  # since an import had it in hand: it may be started again


class ContextQuerySet(models.QuerySet["Context"]):
    def forgotten(self) -> Self:
        """Those of imports that nobody has finished."""
        return self.filter(examples=None, seen__lt=Now() - _KEPT)


class Context(models.Model):
    """A text that examples ask about. ``portal.releases.contexts`` reads any window of it."""

    sha256 = models.CharField(max_length=64, unique=True)
    characters = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField()  # bytes of UTF-8
    tokens = models.PositiveBigIntegerField()
    tokens_estimated = models.BooleanField()
    text = models.FileField(max_length=200, editable=False)
    index = models.FileField(max_length=200, editable=False)  # of scoring.text.text_index
    seen = models.DateTimeField(db_default=Now())  # when an import last had it in hand

    objects = ContextQuerySet.as_manager()

    def __str__(self) -> str:
        return self.sha256[:8]


class ReleaseFileQuerySet(models.QuerySet["ReleaseFile"]):
    def forgotten(self) -> Self:
        """Those of imports that nobody has finished."""
        unnamed = self.filter(whole_of=None, questions_of=None, facets_of=None)
        return unnamed.filter(seen__lt=Now() - _KEPT)


class ReleaseFile(models.Model):
    """JSON lines that can be downloaded; made by an import, and never changed."""

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.PositiveBigIntegerField()  # bytes
    file = models.FileField(max_length=200, editable=False)
    seen = models.DateTimeField(db_default=Now())  # when an import last had it in hand

    objects = ReleaseFileQuerySet.as_manager()

    def __str__(self) -> str:
        return self.sha256[:8]
