"""Which workers, sweepers and backups are alive, in the database, which every machine reaches.

A heartbeat says that a process looks for work, not that it does any: what says that is how long the
oldest row of its queue has waited (``portal.health``).
"""

import socket
from typing import Any

from django.db.models import F
from django.db.models.functions import Now

from portal.models import Heartbeat, HeartbeatKind, Tally
from scoring import __version__


def beat(kind: HeartbeatKind, name: str = "", **more: Any) -> None:
    """Without a name, it is named after the machine."""
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
