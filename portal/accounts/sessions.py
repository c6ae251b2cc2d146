"""Sessions that are over."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.management import call_command


def delete_expired_sessions() -> int:
    """With the addresses and browsers from which they came. Returns how many of these."""
    call_command("clearsessions")
    keys = Session.objects.values("session_key")
    deleted, _rows = UserSession.objects.exclude(session_key__in=keys).delete()
    return int(deleted)
