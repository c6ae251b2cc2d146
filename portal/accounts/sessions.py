"""Expired sessions."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.management import call_command


def delete_expired_sessions() -> int:
    """Delete them, and the addresses and browsers of them. Returns how many of the latter."""
    call_command("clearsessions")
    keys = Session.objects.values("session_key")
    deleted, _rows = UserSession.objects.exclude(session_key__in=keys).delete()
    return int(deleted)
