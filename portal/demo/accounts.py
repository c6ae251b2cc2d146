"""The accounts of the demo, created once, with random passwords in a private file.

A password that was changed on the site stays changed; the file then holds null for it.
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
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without look-alikes


class StoredPassword(TypedDict):
    password: str | None  # None: changed on the site
    encoded: str  # the hash that the database had


def prepare_accounts(file: Path) -> None:
    """Create the accounts that are missing, and bring the file of passwords up to date."""
    before: dict[str, StoredPassword] = json.loads(read_text(file) or "{}")
    now = {name: _prepare(name, role, before.get(name)) for name, role in DEMO_ACCOUNTS.items()}
    if now != before:
        write_private(file, json.dumps(now, indent=2))


def _prepare(name: str, role: Role, stored: StoredPassword | None) -> StoredPassword:
    user = User.objects.filter(username=name).first()
    if user is None:
        password = "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))
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
        return {"password": password, "encoded": user.password}
    if stored is None:
        return {"password": None, "encoded": user.password}
    if stored["encoded"] == user.password:
        return stored
    # A new hash may be of the same password: Django upgrades hashes at sign-in.
    is_same = stored["password"] is not None and user.check_password(stored["password"])
    return {"password": stored["password"] if is_same else None, "encoded": user.password}
