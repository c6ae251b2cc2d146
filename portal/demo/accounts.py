"""The accounts of the demo: made once, with random passwords that only we can read.

Who changes a password keeps it: what is printed then says so instead of a wrong one.
"""

import json
import secrets
from pathlib import Path
from typing import TypedDict

from allauth.account.models import EmailAddress
from django.db import transaction

from portal.demo.state_folder import read_text, write_private
from portal.models import Role, User

DEMO_ACCOUNTS = {"author": Role.AUTHOR, "reviewer": Role.REVIEWER, "admin": Role.ADMIN}
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another


class Kept(TypedDict):
    """What the file says of an account. ``password`` is null where somebody has changed it."""

    password: str | None
    encoded: str  # as the database had it


def prepare_accounts(file: Path) -> None:
    """See that there are the accounts of the demo, and that the file tells their passwords."""
    before: dict[str, Kept] = json.loads(read_text(file) or "{}")
    now = {name: _prepare(name, role, before.get(name)) for name, role in DEMO_ACCOUNTS.items()}
    if now != before:
        write_private(file, json.dumps(now, indent=2))


def _prepare(name: str, role: Role, kept: Kept | None) -> Kept:
    user = User.objects.filter(username=name).first()
    if user is None:
        password = _new_password()
        return {"password": password, "encoded": _create(name, role, password).password}
    if kept is None:
        return {"password": None, "encoded": user.password}
    if kept["encoded"] == user.password:
        return kept
    # Another hash may be of the same password: it is made anew as Django's advice goes up.
    is_same = kept["password"] is not None and user.check_password(kept["password"])
    return {"password": kept["password"] if is_same else None, "encoded": user.password}


def _new_password() -> str:
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def _create(name: str, role: Role, password: str) -> User:
    is_admin = role == Role.ADMIN
    with transaction.atomic():
        user = User.objects.create_user(
            name,
            f"{name}@example.org",
            password,
            role=role,
            is_staff=is_admin,
            is_superuser=is_admin,
        )
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user
