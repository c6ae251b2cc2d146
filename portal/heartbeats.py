"""Who is alive: workers, sweepers and backups sign in the database, which every machine reaches.

A sign says that a process looks for work, not that it does any: that the oldest row of a queue is
young says that (``portal.health``).
"""

import socket
from typing import Any

from django.db.models import F
from django.db.models.functions import Now

from portal.models import Heartbeat, HeartbeatKind, Tally
from scoring import __version__


def beat(kind: HeartbeatKind, name: str = "", **more: Any) -> None:
    """Without a name, that of the machine."""
    key = (name or f"{kind}@{socket.gethostname()}")[:200]
    values = {"kind": kind, "at": Now(), "version": __version__, **more}
    if not Heartbeat.objects.filter(pk=key).update(**values):
        Heartbeat.objects.update_or_create(name=key, defaults=values)


def sign_out(name: str) -> None:
    Heartbeat.objects.filter(pk=name[:200]).delete()


def forget_old_heartbeats() -> int:
    return Heartbeat.objects.forgotten().delete()[0]


def count_lost_leases(number: int) -> None:
    if number:
        row, _ = Tally.objects.get_or_create(name=Tally.Name.LOST_LEASES)
        Tally.objects.filter(pk=row.pk).update(count=F("count") + number)
