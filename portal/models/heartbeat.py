"""Heartbeats of the processes besides the web server, and counts that no other row holds."""

from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

LIFETIME = timedelta(seconds=60)  # after the last heartbeat; longer if heartbeats are rare
_KEPT = timedelta(days=2)
_MISSED = timedelta(hours=1)


class HeartbeatKind(models.TextChoices):
    WORKER = "worker"
    SWEEPER = "sweeper"
    BACKUP = "backup"  # the last complete one


def _silence() -> CombinedExpression:
    """A process without a heartbeat since then is gone. Workers record every third heartbeat."""
    return Now() - max(LIFETIME, timedelta(seconds=12 * settings.HEARTBEAT))


class HeartbeatQuerySet(models.QuerySet["Heartbeat"]):
    def of(self, kind: HeartbeatKind) -> Self:
        """The newest first."""
        return self.filter(kind=kind).order_by("-at", "name")

    def alive(self) -> Self:
        return self.filter(at__gte=_silence())

    def missed(self) -> Self:
        """Workers that fell silent recently, without saying that they stop."""
        workers = self.of(HeartbeatKind.WORKER).filter(at__gte=Now() - _MISSED)
        return workers.filter(at__lt=_silence())

    def forgotten(self) -> Self:
        """Heartbeats of processes that are gone for good: containers get a new name each time."""
        gone = self.exclude(kind=HeartbeatKind.BACKUP)
        return gone.filter(at__lt=Now() - _KEPT)


class Heartbeat(models.Model):
    name = models.CharField(max_length=200, primary_key=True)  # of the process, with its host
    kind = models.CharField(max_length=10, choices=HeartbeatKind)
    at = models.DateTimeField(db_default=Now())  # the last heartbeat
    queues = models.JSONField(default=list)  # of a worker
    job = models.CharField(max_length=100, blank=True, default="")  # what a worker is doing
    version = models.CharField(max_length=40, blank=True, default="")
    sandbox = models.CharField(max_length=10, blank=True, default="")  # its level, if it scores
    details = models.CharField(max_length=500, blank=True, default="")

    objects = HeartbeatQuerySet.as_manager()

    class Meta:
        ordering = ["kind", "name"]

    def __str__(self) -> str:
        return self.name


class Tally(models.Model):
    """Counters."""

    class Name(models.TextChoices):
        LOST_LEASES = "lost leases"

    name = models.CharField(max_length=20, choices=Name, primary_key=True)
    count = models.PositiveBigIntegerField(default=0)

    objects: ClassVar[models.Manager["Tally"]] = models.Manager()

    def __str__(self) -> str:
        return f"{self.name}: {self.count}"
